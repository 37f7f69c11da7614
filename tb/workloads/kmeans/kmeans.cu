// SPDX-License-Identifier: Apache-2.0
// k-means clustering, a thread per point: the device gives every point to the nearest centre, the host moves the
// centres to the means of their points, until no point changes hands. A first launch turns the table of features, so
// that neighbouring threads read neighbouring values.
//
//   kmeans [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

#pragma clang fp contract(off)  // so that the host's sums have the same bits

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "kmeans";
constexpr int kBlock = 256;
constexpr int kMostRounds = 20;

struct Shape {
  int points, features, clusters;
};

__global__ void turn(Shape shape, const float* by_point, float* by_feature) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= shape.points) return;
  for (int f = 0; f < shape.features; ++f) {
    by_feature[f * shape.points + point] = by_point[point * shape.features + f];
  }
}

__global__ void assign(Shape shape, const float* by_feature, const float* centres, int* membership, int* changes) {
  const int point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (point >= shape.points) return;
  int nearest = -1;
  float least = 3.4e38f;
#pragma unroll 1
  for (int cluster = 0; cluster < shape.clusters; ++cluster) {
    float distance = 0.0f;
    for (int f = 0; f < shape.features; ++f) {
      const float difference = by_feature[f * shape.points + point] - centres[cluster * shape.features + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      nearest = cluster;
    }
  }
  if (membership[point] != nearest) {
    membership[point] = nearest;
    atomicAdd(changes, 1);
  }
}

namespace {

// Points scattered around as many places as there are clusters.
std::vector<float> random_points(const Shape& shape, Random& random) {
  std::vector<float> places(static_cast<size_t>(shape.clusters) * shape.features);
  for (float& value : places) value = 10.0f * random.unit();
  std::vector<float> points;
  for (int point = 0; point < shape.points; ++point) {
    const uint32_t place = random.below(static_cast<uint32_t>(shape.clusters));
    for (int f = 0; f < shape.features; ++f) {
      points.push_back(places[place * shape.features + f] + 3.0f * (random.unit() + random.unit() - 1.0f));
    }
  }
  return points;
}

int nearest_on_host(const Shape& shape, const float* point, const std::vector<float>& centres) {
  std::vector<float> distances(shape.clusters, 0.0f);
  for (int cluster = 0; cluster < shape.clusters; ++cluster) {
    for (int f = 0; f < shape.features; ++f) {
      const float difference = point[f] - centres[cluster * shape.features + f];
      distances[cluster] += difference * difference;
    }
  }
  return static_cast<int>(std::min_element(distances.begin(), distances.end()) - distances.begin());
}

// A centre without points stays where it is.
void move_centres(const Shape& shape, const std::vector<float>& points, const std::vector<int>& membership,
                  std::vector<float>& centres) {
  std::vector<double> sums(centres.size(), 0.0);
  std::vector<int> counts(shape.clusters, 0);
  for (int point = 0; point < shape.points; ++point) {
    ++counts[membership[point]];
    for (int f = 0; f < shape.features; ++f) {
      sums[membership[point] * shape.features + f] += points[point * shape.features + f];
    }
  }
  for (size_t i = 0; i < centres.size(); ++i) {
    const int count = counts[i / shape.features];
    if (count > 0) centres[i] = static_cast<float>(sums[i] / count);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const Shape shape = {workload::by_size(options.size, 400, 16000, 80000), workload::by_size(options.size, 3, 8, 16),
                       workload::by_size(options.size, 4, 5, 5)};
  Random random(options.seed);
  const std::vector<float> points = random_points(shape, random);
  std::vector<float> centres(points.begin(), points.begin() + shape.clusters * shape.features);

  const DeviceBuffer<float> by_point(points);
  const DeviceBuffer<float> by_feature(points.size());
  DeviceBuffer<float> device_centres(centres.size());
  const DeviceBuffer<int> device_membership(std::vector<int>(shape.points, -1));
  DeviceBuffer<int> changes(1);
  const unsigned blocks = static_cast<unsigned>((shape.points + kBlock - 1) / kBlock);
  turn<<<blocks, kBlock>>>(shape, by_point.get(), by_feature.get());
  workload::check_launch("turn");
  std::vector<int> expected(shape.points, -1);
  int rounds = 0;
  const int most_rounds = workload::by_size(options.size, 2, kMostRounds, kMostRounds);
  for (int changed = 1; changed > 0 && rounds < most_rounds; ++rounds) {
    device_centres.upload(centres);
    changes.fill_bytes(0);
    assign<<<blocks, kBlock>>>(shape, by_feature.get(), device_centres.get(), device_membership.get(), changes.get());
    workload::check_launch("assign");
    changed = changes.download()[0];
    int expected_changes = 0;
    for (int point = 0; point < shape.points; ++point) {
      const int nearest = nearest_on_host(shape, &points[point * shape.features], centres);
      expected_changes += nearest != expected[point];
      expected[point] = nearest;
    }
    const std::vector<int> membership = device_membership.download();
    std::string wrong = workload::compare_equal(membership, expected);
    if (wrong.empty()) wrong = workload::compare_equal<int>({changed}, {expected_changes});
    if (!wrong.empty()) return workload::verdict("round " + std::to_string(rounds) + ": " + wrong);
    move_centres(shape, points, membership, centres);
  }
  std::printf("kmeans: %d points of %d features, %d clusters after %d rounds\n", shape.points, shape.features,
              shape.clusters, rounds);
  return workload::verdict("");
}
