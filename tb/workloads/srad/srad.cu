// SPDX-License-Identifier: Apache-2.0
// Speckle reducing anisotropic diffusion (Yu and Acton, IEEE Transactions on Image Processing 2002): `measure` finds
// how freely every pixel of an ultrasound picture may mix with its neighbours, `diffuse` mixes them. The picture's
// edges and corners, and the coefficients that are cut off at 0 and 1, take ways of their own.
//
//   srad [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "srad";
constexpr int kTile = 16;
constexpr float kRate = 0.5f;

// Differences to the four neighbours; at an edge of the picture there is none.
struct Slopes {
  float up, down, left, right;
};

__host__ __device__ inline float coefficient(float here, const Slopes& slopes, float speckle) {
  const float squares =
      (slopes.up * slopes.up + slopes.down * slopes.down + slopes.left * slopes.left + slopes.right * slopes.right) /
      (here * here);
  const float laplacian = (slopes.up + slopes.down + slopes.left + slopes.right) / here;
  const float part = 1.0f + 0.25f * laplacian;
  const float variation = (0.5f * squares - 0.0625f * laplacian * laplacian) / (part * part);
  const float value = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));
  if (value < 0.0f) return 0.0f;
  if (value > 1.0f) return 1.0f;
  return value;
}

__global__ void measure(int rows, int columns, const float* picture, float speckle, Slopes* slopes,
                        float* coefficients) {
  __shared__ float tile[kTile][kTile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(blockIdx.x) * kTile + tx;
  const int y = static_cast<int>(blockIdx.y) * kTile + ty;
  const bool in_picture = x < columns && y < rows;
  const int at = y * columns + x;
  const float here = in_picture ? picture[at] : 0.0f;
  tile[ty][tx] = here;
  __syncthreads();
  if (!in_picture) return;
  Slopes slope = {0.0f, 0.0f, 0.0f, 0.0f};
  if (y > 0) slope.up = (ty > 0 ? tile[ty - 1][tx] : picture[at - columns]) - here;
  if (y + 1 < rows) slope.down = (ty + 1 < kTile ? tile[ty + 1][tx] : picture[at + columns]) - here;
  if (x > 0) slope.left = (tx > 0 ? tile[ty][tx - 1] : picture[at - 1]) - here;
  if (x + 1 < columns) slope.right = (tx + 1 < kTile ? tile[ty][tx + 1] : picture[at + 1]) - here;
  slopes[at] = slope;
  coefficients[at] = coefficient(here, slope, speckle);
}

// What flows in from below and from the right is held back by the neighbour's coefficient, the rest by the pixel's own.
__global__ void diffuse(int rows, int columns, float* picture, const Slopes* slopes, const float* coefficients) {
  const int x = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  if (x >= columns || y >= rows) return;
  const int at = y * columns + x;
  const float own = coefficients[at];
  float below = own;
  float right = own;
  if (y + 1 < rows) below = coefficients[at + columns];
  if (x + 1 < columns) right = coefficients[at + 1];
  const Slopes slope = slopes[at];
  picture[at] += 0.25f * kRate * (own * slope.up + below * slope.down + own * slope.left + right * slope.right);
}

namespace {

// Bright ellipses under speckle, which multiplies.
std::vector<float> random_picture(int rows, int columns, Random& random) {
  std::vector<float> picture;
  const float cx = 0.3f + 0.4f * random.unit();
  const float cy = 0.3f + 0.4f * random.unit();
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const float dx = static_cast<float>(x) / static_cast<float>(columns) - cx;
      const float dy = static_cast<float>(y) / static_cast<float>(rows) - cy;
      const float tissue = 4.0f * dx * dx + 9.0f * dy * dy < 0.2f ? 2.0f : 1.0f;
      picture.push_back(tissue * (0.6f + 0.8f * random.unit()));
    }
  }
  return picture;
}

// Variance over squared mean in the upper left quarter.
float speckle_of(const std::vector<float>& picture, int rows, int columns) {
  double sum = 0.0;
  double squares = 0.0;
  const int count = (rows / 2) * (columns / 2);
  for (int y = 0; y < rows / 2; ++y) {
    for (int x = 0; x < columns / 2; ++x) {
      const double value = picture[y * columns + x];
      sum += value;
      squares += value * value;
    }
  }
  const double mean = sum / count;
  return static_cast<float>((squares / count - mean * mean) / (mean * mean));
}

std::vector<float> step_on_host(int rows, int columns, const std::vector<float>& picture, float speckle) {
  const auto pixel = [&](int y, int x) {
    return picture[std::clamp(y, 0, rows - 1) * columns + std::clamp(x, 0, columns - 1)];
  };
  std::vector<Slopes> slopes;
  std::vector<float> coefficients;
  for (int i = 0; i < rows * columns; ++i) {
    const int y = i / columns;
    const int x = i % columns;
    slopes.push_back({pixel(y - 1, x) - picture[i], pixel(y + 1, x) - picture[i], pixel(y, x - 1) - picture[i],
                      pixel(y, x + 1) - picture[i]});
    coefficients.push_back(coefficient(picture[i], slopes[i], speckle));
  }
  std::vector<float> result = picture;
  for (int i = 0; i < rows * columns; ++i) {
    const float below = coefficients[std::min(i / columns + 1, rows - 1) * columns + i % columns];
    const float right = coefficients[i / columns * columns + std::min(i % columns + 1, columns - 1)];
    const Slopes& slope = slopes[i];
    const float own = coefficients[i];
    result[i] += 0.25f * kRate * (own * slope.up + below * slope.down + own * slope.left + right * slope.right);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int rows = workload::by_size(options.size, 20, 250, 600);
  const int columns = workload::by_size(options.size, 36, 310, 700);
  const int steps = workload::by_size(options.size, 1, 4, 8);
  Random random(options.seed);
  std::vector<float> expected = random_picture(rows, columns, random);

  const DeviceBuffer<float> picture(expected);
  const DeviceBuffer<Slopes> slopes(expected.size());
  const DeviceBuffer<float> coefficients(expected.size());
  const dim3 blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  for (int step = 0; step < steps; ++step) {
    const float speckle = speckle_of(expected, rows, columns);
    measure<<<blocks, dim3(kTile, kTile)>>>(rows, columns, picture.get(), speckle, slopes.get(), coefficients.get());
    workload::check_launch("measure");
    diffuse<<<blocks, dim3(kTile, kTile)>>>(rows, columns, picture.get(), slopes.get(), coefficients.get());
    workload::check_launch("diffuse");
    expected = step_on_host(rows, columns, expected, speckle);
  }
  std::printf("srad: %d x %d pixels, %d steps, speckle left %.4f\n", columns, rows, steps,
              speckle_of(expected, rows, columns));
  return workload::verdict(workload::compare(picture.download(), expected, 0.0f));
}
