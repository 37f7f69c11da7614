// SPDX-License-Identifier: Apache-2.0
// What nvrt and nvrt-sync share: a scene of spheres in a bounding hierarchy, the way of one ray through it, and the
// check. The two differ in how their threads come by rays. An image element counts its samples above its light, so a
// ray that is rendered twice, or not at all, is seen.
#pragma once

#include <algorithm>

#include "../common/ray.h"
#include "../common/workload.h"

namespace nvrt {

using ray::Ray;
using ray::Vector;

constexpr int kBlockX = 32;
constexpr int kBlockY = 6;
constexpr int kThreads = kBlockX * kBlockY;
constexpr int kMostBounces = 6;
constexpr unsigned kOneSample = 1u << 16;  // a sample's light is below 256, and a pixel has few samples
constexpr int kGround = -1;
constexpr Vector kToLight = {0.48f, 0.8f, -0.36f};

// The hierarchy in depth-first order: sphere i bounds those up to skips[i], where a ray that misses it goes on; a
// leaf's is the next, and its sphere is of the scene.
struct Frame {
  int nodes;
  const float4* spheres;
  const int* skips;
  int width;
  unsigned pixels;
  unsigned rays;  // a multiple of the pixels: each has so many samples
  unsigned* image;
};
using Kernel = void(Frame frame, unsigned* queue);

// Samples lie in the pixel's four quarters.
__host__ __device__ inline Ray camera_ray(unsigned id, int width, unsigned pixels) {
  const unsigned sample = id / pixels;
  const unsigned pixel = id % pixels;
  const float scale = 2.0f / static_cast<float>(width);
  const float x = static_cast<float>(pixel % width) + 0.25f + 0.5f * static_cast<float>(sample % 2);
  const float y = static_cast<float>(pixel / width) + 0.25f + 0.5f * static_cast<float>(sample / 2 % 2);
  return {{0.0f, 5.0f, -12.0f}, ray::unit({x * scale - 1.0f, 0.35f - y * scale, 1.2f})};
}

__host__ __device__ inline bool is_mirror(int node) { return node % 2 == 0; }
__host__ __device__ inline int sky_light(Vector direction) { return 60 + static_cast<int>(direction.y * 60.0f); }

// Of a surface in full light.
__host__ __device__ inline int surface_light(int node, Vector point, Vector normal) {
  const int squares = static_cast<int>(point.x + 1024.0f) + static_cast<int>(point.z + 1024.0f);
  const int colour = node == kGround ? 60 + 120 * (squares & 1) : 80 + node * 37 % 160;
  return static_cast<int>(static_cast<float>(colour) * ray::dot(normal, kToLight));
}

struct Hit {
  int node;
  float distance;
};

__device__ inline Hit nearest_hit(const Frame& frame, const Ray& ray) {
  Hit hit = {kGround, ray::ground_distance(ray)};
  int node = 0;
  while (node < frame.nodes) {
    const float4 sphere = frame.spheres[node];
    const int skip = frame.skips[node];
    const Vector to_centre = Vector{sphere.x, sphere.y, sphere.z} - ray.origin;
    const float along = ray::dot(to_centre, ray.direction);
    const float beyond = ray::dot(to_centre, to_centre) - sphere.w * sphere.w;  // negative: the ray starts inside
    if (beyond > along * along || (along < 0.0f && beyond > 0.0f)) {
      node = skip;
      continue;
    }
    if (skip == node + 1) {
      const float distance = ray::sphere_distance(ray, sphere);
      if (distance < hit.distance) hit = {node, distance};
    }
    ++node;
  }
  return hit;
}

// Ends at the first sphere in the way.
__device__ inline bool in_shadow(const Frame& frame, const Ray& ray) {
  int node = 0;
  while (node < frame.nodes) {
    const float4 sphere = frame.spheres[node];
    const int skip = frame.skips[node];
    const Vector to_centre = Vector{sphere.x, sphere.y, sphere.z} - ray.origin;
    const float along = ray::dot(to_centre, ray.direction);
    const float beyond = ray::dot(to_centre, to_centre) - sphere.w * sphere.w;
    if (beyond > along * along || (along < 0.0f && beyond > 0.0f)) {
      node = skip;
      continue;
    }
    if (skip == node + 1 && ray::sphere_distance(ray, sphere) < ray::kFar) return true;
    ++node;
  }
  return false;
}

// Follows a ray until it meets something that is no mirror, and adds what it sees to its pixel.
__device__ inline void render_ray(const Frame& frame, unsigned id) {
  Ray ray = camera_ray(id, frame.width, frame.pixels);
  int light = 0;
  for (int bounces = 0; bounces <= kMostBounces; ++bounces) {
    const Hit hit = nearest_hit(frame, ray);
    if (hit.distance == ray::kFar) {
      light = sky_light(ray.direction) >> bounces;
      break;
    }
    const Vector point = ray::point_at(ray, hit.distance);
    const Vector normal =
        hit.node == kGround ? Vector{0.0f, 1.0f, 0.0f} : ray::normal_at(frame.spheres[hit.node], point);
    if (hit.node != kGround && is_mirror(hit.node)) {
      ray = {point, ray::mirrored(ray.direction, normal)};
      continue;
    }
    if (ray::dot(normal, kToLight) > 0.0f && !in_shadow(frame, {point, kToLight})) {
      light = surface_light(hit.node, point, normal) >> bounces;
    }
    break;
  }
  atomicAdd(&frame.image[id % frame.pixels], kOneSample + static_cast<unsigned>(light));
}

// Builds the hierarchy over spheres[begin, end): the halves on either side of the median along the widest axis.
class Hierarchy {
 public:
  explicit Hierarchy(std::vector<float4> leaves) : leaves_(std::move(leaves)) { build(0, leaves_.size()); }

  std::vector<float4> spheres;
  std::vector<int> skips;

 private:
  static float coordinate(const float4& sphere, int axis) {
    return axis == 0 ? sphere.x : axis == 1 ? sphere.y : sphere.z;
  }

  void build(size_t begin, size_t end) {
    const size_t node = spheres.size();
    spheres.push_back(leaves_[begin]);
    skips.push_back(0);
    if (end - begin > 1) {
      float low[3];
      float high[3];
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = high[axis] = coordinate(leaves_[begin], axis);
        for (size_t i = begin; i < end; ++i) {
          low[axis] = std::min(low[axis], coordinate(leaves_[i], axis));
          high[axis] = std::max(high[axis], coordinate(leaves_[i], axis));
        }
      }
      const Vector centre = {0.5f * (low[0] + high[0]), 0.5f * (low[1] + high[1]), 0.5f * (low[2] + high[2])};
      float radius = 0.0f;
      for (size_t i = begin; i < end; ++i) {
        const Vector offset = Vector{leaves_[i].x, leaves_[i].y, leaves_[i].z} - centre;
        radius = std::max(radius, sqrtf(ray::dot(offset, offset)) + leaves_[i].w);
      }
      spheres[node] = float4{centre.x, centre.y, centre.z, 1.001f * radius};  // a margin for rounding
      int widest = 0;
      for (int axis = 1; axis < 3; ++axis) {
        if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
      }
      std::sort(leaves_.begin() + begin, leaves_.begin() + end,
                [widest](const float4& a, const float4& b) { return coordinate(a, widest) < coordinate(b, widest); });
      build(begin, begin + (end - begin) / 2);
      build(begin + (end - begin) / 2, end);
    }
    skips[node] = static_cast<int>(spheres.size());
  }

  std::vector<float4> leaves_;
};

// Spheres above the ground, smaller ones nearer to it.
inline std::vector<float4> random_spheres(int count, workload::Random& random) {
  std::vector<float4> spheres(count);
  const float spread = std::sqrt(static_cast<float>(count));
  for (float4& sphere : spheres) {
    const float radius = 0.3f + 0.7f * random.unit() * random.unit();
    sphere = float4{spread * (random.unit() - 0.5f) * 1.6f, radius + 3.0f * random.unit() * radius,
                    spread * random.unit() * 1.6f - 5.0f, radius};
  }
  return spheres;
}

// The check knows no hierarchy: every ray tries every sphere, bounce after bounce.
class Reference {
 public:
  explicit Reference(const Hierarchy& scene) {
    for (size_t i = 0; i < scene.spheres.size(); ++i) {
      if (scene.skips[i] != static_cast<int>(i) + 1) continue;
      nodes_.push_back(static_cast<int>(i));
      spheres_.push_back(scene.spheres[i]);
    }
  }

  int light_of(const Ray& ray, int bounces) const {
    if (bounces > kMostBounces) return 0;
    const std::vector<float> distances = all_distances(ray);
    const size_t hit = std::min_element(distances.begin(), distances.end()) - distances.begin();
    const float ground = ray::ground_distance(ray);
    if (std::min(ground, distances[hit]) == ray::kFar) return sky_light(ray.direction);
    if (ground <= distances[hit]) return shaded(kGround, ray::point_at(ray, ground), {0.0f, 1.0f, 0.0f});
    const Vector point = ray::point_at(ray, distances[hit]);
    const Vector normal = ray::normal_at(spheres_[hit], point);
    if (!is_mirror(nodes_[hit])) return shaded(nodes_[hit], point, normal);
    return light_of({point, ray::mirrored(ray.direction, normal)}, bounces + 1) / 2;
  }

 private:
  std::vector<float> all_distances(const Ray& ray) const {
    std::vector<float> distances(spheres_.size());
    for (size_t i = 0; i < spheres_.size(); ++i) distances[i] = ray::sphere_distance(ray, spheres_[i]);
    return distances;
  }

  int shaded(int node, Vector point, Vector normal) const {
    if (ray::dot(normal, kToLight) <= 0.0f) return 0;
    const std::vector<float> distances = all_distances({point, kToLight});
    const bool shadow = *std::min_element(distances.begin(), distances.end()) < ray::kFar;
    return shadow ? 0 : surface_light(node, point, normal);
  }

  std::vector<int> nodes_;
  std::vector<float4> spheres_;
};

inline std::string check(const Hierarchy& scene, const Frame& frame, const std::vector<unsigned>& image) {
  const unsigned samples = frame.rays / frame.pixels;
  const Reference reference(scene);
  for (unsigned pixel = 0; pixel < frame.pixels; ++pixel) {
    if (image[pixel] / kOneSample != samples) {
      return "pixel " + std::to_string(pixel) + " has " + std::to_string(image[pixel] / kOneSample) +
             " samples, expected " + std::to_string(samples);
    }
    unsigned light = 0;
    for (unsigned id = pixel; id < frame.rays; id += frame.pixels) {
      light += static_cast<unsigned>(reference.light_of(camera_ray(id, frame.width, frame.pixels), 0));
    }
    if (image[pixel] % kOneSample != light) {
      return "pixel " + std::to_string(pixel) + " is " + std::to_string(image[pixel] % kOneSample) + ", expected " +
             std::to_string(light);
    }
  }
  return "";
}

// As many blocks as fit the device at once: threads that persist are launched once and share the work.
inline unsigned resident_blocks(Kernel* kernel) {
  int cores = 0;
  int per_core = 0;
  workload::check_cuda(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  workload::check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core, kernel, kThreads, 0),
                       "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(cores * per_core);
}

// `kernel` renders every ray once; *queue counts the rays that were handed out.
inline int run(const char* program, int argc, char** argv, Kernel* kernel) {
  const workload::Options options = workload::parse_only_options(program, argc, argv);
  const int width = workload::by_size(options.size, 32, 128, 384);
  const unsigned height = workload::by_size(options.size, 16u, 96u, 320u);
  const unsigned samples = workload::by_size(options.size, 1u, 4u, 4u);
  const unsigned blocks = options.size == workload::Size::kSmall ? 2 : resident_blocks(kernel);
  workload::Random random(options.seed);
  const Hierarchy scene(random_spheres(workload::by_size(options.size, 24, 256, 256), random));

  const workload::DeviceBuffer<float4> spheres(scene.spheres);
  const workload::DeviceBuffer<int> skips(scene.skips);
  const unsigned pixels = static_cast<unsigned>(width) * height;
  const workload::DeviceBuffer<unsigned> image(std::vector<unsigned>(pixels, 0));
  const workload::DeviceBuffer<unsigned> queue(std::vector<unsigned>(1, 0));
  const Frame frame = {
      static_cast<int>(scene.spheres.size()), spheres.get(), skips.get(), width, pixels, pixels * samples, image.get()};
  kernel<<<blocks, dim3(kBlockX, kBlockY)>>>(frame, queue.get());
  workload::check_launch(program);

  std::printf("%s: %d x %u pixels of %u samples, %zu nodes, %u blocks\n", program, width, height, samples,
              scene.spheres.size(), blocks);
  return workload::verdict(check(scene, frame, image.download()));
}

}  // namespace nvrt
