// SPDX-License-Identifier: Apache-2.0
// Primary rays through a bounding volume hierarchy, a thread per pixel: how many boxes a ray enters, and how many of
// those hold triangles, differs from pixel to pixel.
//
//   bvh [--size small|default|large] [--seed N]
#include "../common/mesh.h"

using mesh::Hit;
using mesh::Node;
using mesh::Triangle;
using workload::DeviceBuffer;

constexpr const char* kProgram = "bvh";
constexpr int kBlockX = 16;
constexpr int kBlockY = 8;

__global__ void cast(int width, int height, const Node* nodes, const Triangle* triangles, Hit* hits) {
  const int x = static_cast<int>(blockIdx.x) * kBlockX + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockY + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  hits[y * width + x] = mesh::walk<false>(mesh::camera_ray(x, y, width, height), nodes, triangles, ray::kFar);
}

namespace {

std::string check(const std::vector<Hit>& hits, int width, int height, const std::vector<Triangle>& triangles) {
  for (int i = 0; i < width * height; ++i) {
    const Hit expected = mesh::search_all(mesh::camera_ray(i % width, i / width, width, height), triangles, ray::kFar);
    if (hits[i].triangle == expected.triangle && hits[i].distance == expected.distance) continue;
    return "pixel " + std::to_string(i) + " meets triangle " + std::to_string(hits[i].triangle) + " at " +
           std::to_string(hits[i].distance) + ", expected " + std::to_string(expected.triangle) + " at " +
           std::to_string(expected.distance);
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 16, 128, 448);
  const int height = workload::by_size(options.size, 8, 80, 256);
  workload::Random random(options.seed);
  std::vector<Triangle> triangles = mesh::random_scene(workload::by_size(options.size, 8, 200, 200), random);
  const std::vector<Node> nodes = mesh::tree_over(triangles);

  const DeviceBuffer<Node> device_nodes(nodes);
  const DeviceBuffer<Triangle> device_triangles(triangles);
  const DeviceBuffer<Hit> hits(static_cast<size_t>(width) * height);
  const dim3 blocks((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  cast<<<blocks, dim3(kBlockX, kBlockY)>>>(width, height, device_nodes.get(), device_triangles.get(), hits.get());
  workload::check_launch("cast");

  std::printf("bvh: %d x %d pixels, %zu triangles in %zu nodes\n", width, height, triangles.size(), nodes.size());
  return workload::verdict(check(hits.download(), width, height, triangles));
}
