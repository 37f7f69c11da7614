// SPDX-License-Identifier: Apache-2.0
// Stream clustering by local search (Guha et al., FOCS 2000): would it pay to make a point the centre of a cluster? The
// device finds what every other point would save by going over to it; points that would stay take another way than
// those that would go, and these are scattered over the warps.
//
//   streamcluster [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;
using Byte = unsigned char;

constexpr const char* kProgram = "streamcluster";
constexpr int kBlock = 512;

struct Shape {
  int points, dimensions;
};

// Where a point belongs and what that costs it.
struct Place {
  int centre;  // a point
  float cost;
};

// `coordinates` has a row per dimension. `savings` has a row per point and a column per centre, as `columns` numbers
// them, and one for what the point saves by going over itself: what it saves the candidate if its own centre is closed
// stands under that centre.
__global__ void weigh(Shape shape, const float* coordinates, const float* weights, const Place* places,
                      const int* columns, int centres, int candidate, Byte* goes_over, float* savings) {
  extern __shared__ float of_candidate[];
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int d = static_cast<int>(threadIdx.x); d < shape.dimensions; d += static_cast<int>(blockDim.x)) {
    of_candidate[d] = coordinates[d * shape.points + candidate];
  }
  __syncthreads();
  if (point >= shape.points) return;
  float distance = 0.0f;
  for (int d = 0; d < shape.dimensions; ++d) {
    const float difference = coordinates[d * shape.points + point] - of_candidate[d];
    distance += difference * difference;
  }
  const Place place = places[point];
  const float saving = place.cost - distance * weights[point];
  float* const row = savings + static_cast<size_t>(point) * (centres + 1);
  if (saving > 0.0f) {
    goes_over[point] = 1;
    row[centres] = saving;
  } else {
    row[columns[place.centre]] = saving;
  }
}

namespace {

struct Data {
  Shape shape;
  std::vector<float> coordinates;
  std::vector<float> weights;
};

Data random_heaps(Shape shape, Random& random) {
  constexpr uint32_t kHeaps = 12;
  Data data = {shape, std::vector<float>(static_cast<size_t>(shape.points) * shape.dimensions), {}};
  std::vector<float> heaps(kHeaps * shape.dimensions);
  for (float& value : heaps) value = random.unit();
  for (int point = 0; point < shape.points; ++point) {
    const uint32_t heap = random.below(kHeaps);
    for (int d = 0; d < shape.dimensions; ++d) {
      data.coordinates[d * shape.points + point] = heaps[heap * shape.dimensions + d] + 0.3f * random.unit();
    }
    data.weights.push_back(static_cast<float>(1 + random.below(3)));
  }
  return data;
}

float cost_on_host(const Data& data, int point, int other) {
  float distance = 0.0f;
  for (int d = 0; d < data.shape.dimensions; ++d) {
    const float* const row = data.coordinates.data() + static_cast<size_t>(d) * data.shape.points;
    const float difference = row[point] - row[other];
    distance += difference * difference;
  }
  return distance * data.weights[point];
}

// The centres in use, numbered.
std::vector<int> columns_of(const std::vector<Place>& places, int& centres) {
  std::vector<int> columns(places.size(), -1);
  for (const Place& place : places) columns[place.centre] = 0;
  centres = 0;
  for (int& column : columns) {
    if (column == 0) column = centres++;
  }
  return columns;
}

std::string check(const Data& data, const std::vector<Place>& places, const std::vector<int>& columns, int centres,
                  int candidate, const std::vector<Byte>& goes_over, const std::vector<float>& savings) {
  std::vector<float> expected(savings.size(), 0.0f);
  std::vector<Byte> expected_over(goes_over.size(), 0);
  for (int point = 0; point < data.shape.points; ++point) {
    const float saving = places[point].cost - cost_on_host(data, point, candidate);
    expected_over[point] = saving > 0.0f;
    expected[static_cast<size_t>(point) * (centres + 1) + (saving > 0.0f ? centres : columns[places[point].centre])] =
        saving;
  }
  const std::string wrong = workload::compare_equal(goes_over, expected_over);
  return wrong.empty() ? workload::compare_equal(savings, expected) : wrong;
}

// Opens the candidate if that pays, and closes the centres whose last points had better go there, too.
void decide(const Data& data, std::vector<Place>& places, const std::vector<int>& columns, int centres, int candidate,
            const std::vector<Byte>& goes_over, const std::vector<float>& savings) {
  constexpr double kOpening = 12.0;
  std::vector<double> closing(centres, kOpening);
  double gain = -kOpening;
  for (size_t i = 0; i < savings.size(); ++i) {
    const size_t column = i % (centres + 1);
    (column == static_cast<size_t>(centres) ? gain : closing[column]) += savings[i];
  }
  for (const double gained : closing) gain += std::max(0.0, gained);
  if (gain <= 0.0) return;
  for (size_t point = 0; point < places.size(); ++point) {
    if (goes_over[point] == 0 && closing[columns[places[point].centre]] <= 0.0) continue;
    places[point] = {candidate, cost_on_host(data, static_cast<int>(point), candidate)};
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const Shape shape = {workload::by_size(options.size, 600, 20000, 65536), workload::by_size(options.size, 4, 12, 32)};
  const int candidates = workload::by_size(options.size, 4, 12, 24);
  Random random(options.seed);
  const Data data = random_heaps(shape, random);
  std::vector<Place> places;
  for (int point = 0; point < shape.points; ++point) places.push_back({0, cost_on_host(data, point, 0)});

  const DeviceBuffer<float> coordinates(data.coordinates);
  const DeviceBuffer<float> weights(data.weights);
  const unsigned blocks = static_cast<unsigned>((shape.points + kBlock - 1) / kBlock);
  int centres = 0;
  for (int i = 0; i < candidates; ++i) {
    const int candidate = static_cast<int>(random.below(static_cast<uint32_t>(shape.points)));
    const std::vector<int> columns = columns_of(places, centres);
    const DeviceBuffer<Place> device_places(places);
    const DeviceBuffer<int> device_columns(columns);
    DeviceBuffer<Byte> goes_over(shape.points);
    DeviceBuffer<float> savings(static_cast<size_t>(shape.points) * (centres + 1));
    goes_over.fill_bytes(0);
    savings.fill_bytes(0);
    weigh<<<blocks, kBlock, shape.dimensions * sizeof(float)>>>(shape, coordinates.get(), weights.get(),
                                                                device_places.get(), device_columns.get(), centres,
                                                                candidate, goes_over.get(), savings.get());
    workload::check_launch("weigh");
    const std::vector<Byte> over = goes_over.download();
    const std::vector<float> saved = savings.download();
    const std::string wrong = check(data, places, columns, centres, candidate, over, saved);
    if (!wrong.empty()) return workload::verdict("candidate " + std::to_string(i) + ": " + wrong);
    decide(data, places, columns, centres, candidate, over, saved);
  }
  columns_of(places, centres);
  std::printf("streamcluster: %d points of %d dimensions, %d candidates, %d clusters\n", shape.points, shape.dimensions,
              candidates, centres);
  return workload::verdict("");
}
