// SPDX-License-Identifier: Apache-2.0
// Ambient occlusion, a thread per pixel: from the surface that a pixel shows, rays go out in all directions, and how
// many of them meet nothing nearby tells how light the place is. The rays of neighbouring pixels have nothing in
// common, some meet a triangle at once, and pixels that show the sky have none.
//
//   ambient [--size small|default|large] [--seed N]
#include "../common/mesh.h"

using mesh::Hit;
using mesh::Node;
using mesh::Triangle;
using ray::Ray;
using ray::Vector;
using workload::DeviceBuffer;

constexpr const char* kProgram = "ambient";
constexpr int kBlockX = 8;
constexpr int kBlockY = 8;
constexpr int kSky = -1;
constexpr float kNearby = 2.5f;

// Marsaglia's xorshift, 32 bits (Journal of Statistical Software, 2003).
__host__ __device__ inline uint32_t next_random(uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__host__ __device__ inline float next_signed(uint32_t& state) {
  return static_cast<float>(next_random(state) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__host__ __device__ inline uint32_t random_of_pixel(int pixel) {
  return 0x9e3779b9u * static_cast<uint32_t>(pixel + 1) | 1u;
}

// Any direction on the normal's side: points of a cube are drawn until one lies in the ball.
__host__ __device__ inline Vector random_direction(Vector normal, uint32_t& state) {
  Vector point;
  float length = 0.0f;
  do {
    point.x = next_signed(state);
    point.y = next_signed(state);
    point.z = next_signed(state);
    length = ray::dot(point, point);
  } while (length > 1.0f || length < 0.01f);
  return ray::unit(ray::dot(point, normal) < 0.0f ? -1.0f * point : point);
}

// Of both sides of a triangle the one that the ray comes from.
__host__ __device__ inline Vector normal_towards(const Ray& ray, const Triangle& triangle) {
  const Vector normal = ray::unit(mesh::cross(triangle.edge1, triangle.edge2));
  return ray::dot(normal, ray.direction) > 0.0f ? -1.0f * normal : normal;
}

__global__ void shade(int width, int height, int samples, const Node* nodes, const Triangle* triangles, int* open) {
  const int x = static_cast<int>(blockIdx.x) * kBlockX + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockY + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  const int pixel = y * width + x;
  const Ray view = mesh::camera_ray(x, y, width, height);
  const Hit hit = mesh::walk<false>(view, nodes, triangles, ray::kFar);
  if (hit.triangle < 0) {
    open[pixel] = kSky;
    return;
  }
  const Vector point = ray::point_at(view, hit.distance);
  const Vector normal = normal_towards(view, triangles[hit.triangle]);
  uint32_t state = random_of_pixel(pixel);
  int count = 0;
#pragma unroll 1
  for (int sample = 0; sample < samples; ++sample) {
    const Ray ray = {point, random_direction(normal, state)};
    if (mesh::walk<true>(ray, nodes, triangles, kNearby).triangle < 0) ++count;
  }
  open[pixel] = count;
}

namespace {

int open_on_host(int x, int y, int width, int height, int samples, const std::vector<Triangle>& triangles) {
  const Ray view = mesh::camera_ray(x, y, width, height);
  const Hit hit = mesh::search_all(view, triangles, ray::kFar);
  if (hit.triangle < 0) return kSky;
  const Vector point = ray::point_at(view, hit.distance);
  const Vector normal = normal_towards(view, triangles[hit.triangle]);
  uint32_t state = random_of_pixel(y * width + x);
  int count = 0;
  for (int sample = 0; sample < samples; ++sample) {
    count += mesh::search_all({point, random_direction(normal, state)}, triangles, kNearby).triangle < 0;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 8, 96, 256);
  const int height = workload::by_size(options.size, 8, 64, 176);
  const int samples = workload::by_size(options.size, 2, 4, 6);
  workload::Random random(options.seed);
  std::vector<Triangle> triangles = mesh::random_scene(workload::by_size(options.size, 8, 100, 100), random);
  const std::vector<Node> nodes = mesh::tree_over(triangles);

  const DeviceBuffer<Node> device_nodes(nodes);
  const DeviceBuffer<Triangle> device_triangles(triangles);
  const DeviceBuffer<int> open(static_cast<size_t>(width) * height);
  const dim3 blocks((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  shade<<<blocks, dim3(kBlockX, kBlockY)>>>(width, height, samples, device_nodes.get(), device_triangles.get(),
                                            open.get());
  workload::check_launch("shade");

  std::vector<int> expected;
  for (int i = 0; i < width * height; ++i) {
    expected.push_back(open_on_host(i % width, i / width, width, height, samples, triangles));
  }
  const auto sky = std::count(expected.begin(), expected.end(), kSky);
  std::printf("ambient: %d x %d pixels, %zu triangles, %d rays from each of %zu pixels\n", width, height,
              triangles.size(), samples, expected.size() - static_cast<size_t>(sky));
  return workload::verdict(workload::compare_equal(open.download(), expected));
}
