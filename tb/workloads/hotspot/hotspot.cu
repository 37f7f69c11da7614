// SPDX-License-Identifier: Apache-2.0
// Temperature of a chip over time from the power its parts draw (thermal model of Huang et al., HotSpot, TVLSI 2006). A
// block of 16 x 16 threads advances its tile several time steps per launch; the cells it can still compute shrink by
// one ring a step, and neighbouring tiles overlap by that much (a pyramid with a ghost zone). Power and temperatures,
// old and new, are in shared memory.
//
// TBC's Table 1, TSTBC's Table 2 and HARP's Table 5 have hotspot of Rodinia (asubah/rodinia at commit c7cb01d).
// Algorithm and tiles are its own, and at default the size of its file run, 512 x 512 cells and one launch of two
// steps, which is HARP's grid of 43 x 43 blocks.
//
//   hotspot [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "hotspot";
constexpr int kTile = 16;
constexpr int kHeight = 2;  // time steps per launch at most
constexpr int kOwned = kTile - 2 * kHeight;

// What flows into a cell in one time step, for one kelvin of difference or one watt.
struct Coefficients {
  float power;
  float across;  // to the left and right neighbour
  float along;   // to the upper and lower neighbour
  float sink;    // to the surroundings
  float ambient;
};

__device__ inline bool within(int value, int first, int last) { return value >= first && value <= last; }

__global__ void advance(int steps, int rows, int columns, Coefficients k, const float* power, const float* from,
                        float* to) {
  __shared__ float heat[kTile][kTile];
  __shared__ float old[kTile][kTile];
  __shared__ float fresh[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int top = static_cast<int>(blockIdx.y) * (kTile - 2 * steps) - kHeight;
  const int left = static_cast<int>(blockIdx.x) * (kTile - 2 * steps) - kHeight;
  const int index = (top + ty) * columns + left + tx;
  if (within(top + ty, 0, rows - 1) && within(left + tx, 0, columns - 1)) {
    old[ty][tx] = from[index];
    heat[ty][tx] = power[index];
  }
  __syncthreads();
  // What of the tile is on the chip. No heat crosses the chip's edge: a missing neighbour is as warm as the cell
  // itself.
  const int first_row = max(0, -top);
  const int last_row = min(kTile - 1, rows - 1 - top);
  const int first_column = max(0, -left);
  const int last_column = min(kTile - 1, columns - 1 - left);
  const int above = max(first_row, ty - 1);
  const int below = min(last_row, ty + 1);
  const int before = max(first_column, tx - 1);
  const int after = min(last_column, tx + 1);
  bool computed = false;
  for (int step = 1; step <= steps; ++step) {
    computed = within(tx, step, kTile - 1 - step) && within(ty, step, kTile - 1 - step) &&
               within(tx, first_column, last_column) && within(ty, first_row, last_row);
    if (computed) {
      const float here = old[ty][tx];
      fresh[ty][tx] = here + heat[ty][tx] * k.power + (old[below][tx] + old[above][tx] - 2.0f * here) * k.along +
                      (old[ty][after] + old[ty][before] - 2.0f * here) * k.across + (k.ambient - here) * k.sink;
    }
    __syncthreads();
    if (step == steps) break;
    if (computed) old[ty][tx] = fresh[ty][tx];
    __syncthreads();
  }
  if (computed) to[index] = fresh[ty][tx];
}

namespace {

// A silicon die of 16 x 16 x 0.5 mm, 100 W/(m K), 1.75 MJ/(m3 K), cooled through its back, with half the longest time
// step at which the explicit scheme is stable.
Coefficients silicon(int rows, int columns) {
  const double thickness = 0.5e-3;
  const double height = 16e-3 / rows;
  const double width = 16e-3 / columns;
  const double capacity = 1.75e6 * thickness * height * width;
  const double across = 100.0 * thickness * height / width;
  const double along = 100.0 * thickness * width / height;
  const double sink = 100.0 * height * width / thickness;
  const double step = 0.5 * capacity / (2.0 * across + 2.0 * along + sink);
  return {static_cast<float>(step / capacity), static_cast<float>(step / capacity * across),
          static_cast<float>(step / capacity * along), static_cast<float>(step / capacity * sink), 80.0f};
}

// Rectangular units that draw 1 to 100 W/cm2, over a floor of leakage.
std::vector<float> power_map(int rows, int columns, workload::Random& random) {
  const float cell = 1.6f * 1.6f / static_cast<float>(rows * columns);
  std::vector<float> power(static_cast<size_t>(rows) * columns, 0.5f * cell);
  for (int unit = 0; unit < 32; ++unit) {
    const int top = static_cast<int>(random.below(rows));
    const int left = static_cast<int>(random.below(columns));
    const int bottom = std::min(rows, top + 1 + static_cast<int>(random.below(rows / 4)));
    const int right = std::min(columns, left + 1 + static_cast<int>(random.below(columns / 4)));
    const float density = 1.0f + 99.0f * random.unit();
    for (int row = top; row < bottom; ++row) {
      std::fill(power.begin() + row * columns + left, power.begin() + row * columns + right, density * cell);
    }
  }
  return power;
}

void step_on_host(int rows, int columns, const Coefficients& k, const std::vector<float>& power,
                  const std::vector<float>& from, std::vector<float>& to) {
  for (int row = 0; row < rows; ++row) {
    const int up = row > 0 ? -columns : 0;
    const int down = row + 1 < rows ? columns : 0;
    for (int column = 0; column < columns; ++column) {
      const int i = row * columns + column;
      const int left = column > 0 ? -1 : 0;
      const int right = column + 1 < columns ? 1 : 0;
      to[i] = from[i] + power[i] * k.power + (from[i + up] + from[i + down] - 2.0f * from[i]) * k.along +
              (from[i + left] + from[i + right] - 2.0f * from[i]) * k.across + (k.ambient - from[i]) * k.sink;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int rows = workload::by_size(options.size, 28, 512, 1024);
  const int columns = workload::by_size(options.size, 30, 512, 1024);
  const int steps = workload::by_size(options.size, 3, 2, 5);
  workload::Random random(options.seed);
  const Coefficients k = silicon(rows, columns);
  const std::vector<float> power = power_map(rows, columns, random);
  std::vector<float> start(power.size());
  for (float& temperature : start) temperature = 80.0f + 20.0f * random.unit();

  const DeviceBuffer<float> device_power(power);
  const DeviceBuffer<float> ping(start);
  const DeviceBuffer<float> pong(start.size());
  const dim3 blocks((columns + kOwned - 1) / kOwned, (rows + kOwned - 1) / kOwned);
  bool in_ping = true;
  for (int done = 0; done < steps; done += kHeight) {
    const DeviceBuffer<float>& from = in_ping ? ping : pong;
    const DeviceBuffer<float>& to = in_ping ? pong : ping;
    advance<<<blocks, dim3(kTile, kTile)>>>(std::min(kHeight, steps - done), rows, columns, k, device_power.get(),
                                            from.get(), to.get());
    workload::check_launch("advance");
    in_ping = !in_ping;
  }
  const std::vector<float> result = (in_ping ? ping : pong).download();

  std::printf("hotspot: %d x %d cells, %d time steps\n", rows, columns, steps);
  std::vector<float> expected = start;
  std::vector<float> next(start.size());
  for (int i = 0; i < steps; ++i) {
    step_on_host(rows, columns, k, power, expected, next);
    expected.swap(next);
  }
  return workload::verdict(workload::compare(result, expected, 1e-3f));
}
