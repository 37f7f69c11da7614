// SPDX-License-Identifier: Apache-2.0
// Ray tracing with shadows and reflections (Whitted, CACM 1980), a thread per pixel. Every surface is a mirror, so that
// a ray goes on until it meets nothing or has met five surfaces; the light of the last one is added up first.
//
// TBC's Table 1, TSTBC's Table 2 and HARP's Table 5 have RAY of gpgpu-sim/ispass2009-benchmarks, whose file for clang
// is in gpgpu-sim/gpgpu-sim_simulations at commit 96c5ec9. Algorithm, blocks and scene, a floor and three spheres, are
// its own; at default the size of its README, 256 by 256, which is HARP's grid of 16 x 32 blocks.
//
//   raytrace [--size small|default|large] [--seed N]
//
// Nothing here is random: the seed changes nothing.
#include <algorithm>

#include "../common/ray.h"
#include "../common/workload.h"

using ray::Ray;
using ray::Vector;
using workload::DeviceBuffer;

constexpr const char* kProgram = "raytrace";
constexpr int kBlockX = 16;
constexpr int kBlockY = 8;
constexpr int kMostSurfaces = 5;
constexpr int kThings = 4;
constexpr float kOff = 1e-4f;  // from the surface that a ray starts on, along the ray
constexpr float kAmbient = 0.05f;
constexpr float kDiffuse = 0.3f;
constexpr float kHighlight = 0.8f;
constexpr float kReflected = 0.8f;  // of what comes from the next surface
constexpr Vector kUp = {0.0f, 1.0f, 0.0f};
constexpr Vector kLamp = {10.0f, 10.0f, 10.0f};

// A sphere, or the floor, at the height of its centre.
struct Thing {
  Vector centre;
  float radius;
  Vector colour;
  bool floor;
};

struct Scene {
  Thing things[kThings];
};

constexpr Scene kScene = {{{{0.0f, -1.5f, 0.0f}, 0.5f, {0.0f, 1.0f, 1.0f}, true},
                           {{-1.0f, 0.0f, -1.0f}, 0.5f, {1.0f, 0.0f, 0.0f}, false},
                           {{1.0f, 0.0f, -1.0f}, 0.5f, {0.0f, 0.0f, 1.0f}, false},
                           {{0.0f, 0.0f, -2.0f}, 0.75f, {0.0f, 1.0f, 0.0f}, false}}};

__constant__ Scene device_scene;

// Looks from its place along `ahead`; a pixel's ray goes so far ahead, and to the side by its distance from the middle.
struct Camera {
  Vector place, ahead, right, up;
  float step;  // between two pixels
};

__constant__ Camera device_camera;

__host__ __device__ inline Ray camera_ray(const Camera& camera, int x, int y, int width, int height) {
  const float right = (static_cast<float>(x) - 0.5f * static_cast<float>(width)) * camera.step;
  const float up = (static_cast<float>(y) - 0.5f * static_cast<float>(height)) * camera.step;
  return {camera.place, ray::unit(camera.ahead + right * camera.right + up * camera.up)};
}

// Where the ray meets a sphere, or ray::kFar. Spheres behind it and spheres that it passes by are told before there is
// a root to draw.
__host__ __device__ inline float sphere_distance(const Ray& ray, Vector centre, float radius) {
  const Vector to_centre = centre - ray.origin;
  const float along = ray::dot(to_centre, ray.direction);
  const float square = ray::dot(to_centre, to_centre);
  const float reach = radius * radius;
  if (along < 0.0f && square > reach) return ray::kFar;
  const float aside = square - along * along;
  if (aside > reach) return ray::kFar;
  const float half = sqrtf(reach - aside);
  return square > reach ? along - half : along + half;
}

__host__ __device__ inline float floor_distance(const Ray& ray, float height) {
  if (fabsf(ray.direction.y) < 1e-4f) return ray::kFar;  // along the floor
  const float distance = (height - ray.origin.y) / ray.direction.y;
  return distance > 0.0f ? distance : ray::kFar;
}

__host__ __device__ inline float distance_to(const Thing& thing, const Ray& ray) {
  return thing.floor ? floor_distance(ray, thing.centre.y) : sphere_distance(ray, thing.centre, thing.radius);
}

// The normal at a point of the thing, towards where it is seen from.
__host__ __device__ inline Vector seen_normal(const Thing& thing, Vector point, Vector to_viewer) {
  const Vector normal = thing.floor ? kUp : ray::unit(point - thing.centre);
  return ray::dot(to_viewer, normal) < 0.0f ? -1.0f * normal : normal;
}

// What the lamp adds at a point that it reaches: colour, and a white highlight (Blinn, SIGGRAPH 1977).
__host__ __device__ inline Vector lamp_light(Vector colour, Vector normal, Vector to_lamp, Vector to_viewer) {
  const float facing = fminf(1.0f, ray::dot(normal, to_lamp));
  const float gloss = fmaxf(0.0f, fminf(1.0f, ray::dot(normal, ray::unit(to_lamp + to_viewer))));
  const float highlight = kHighlight * powf(gloss, 50.0f);
  return (kDiffuse * facing) * colour + Vector{highlight, highlight, highlight};
}

__host__ __device__ inline unsigned channel(float light) {
  return static_cast<unsigned>(fmaxf(0.0f, fminf(1.0f, light)) * 255.0f);
}

__host__ __device__ inline unsigned pixel_of(Vector light) {
  return 0xff000000u | channel(light.z) << 16 | channel(light.y) << 8 | channel(light.x);
}

__device__ inline bool reaches_lamp(Vector point, Vector to_lamp) {
  const Vector offset = kLamp - point;
  const float lamp_distance = sqrtf(ray::dot(offset, offset));
  const Ray ray{point + kOff * to_lamp, to_lamp};
  for (int i = 0; i < kThings; ++i) {
    if (distance_to(device_scene.things[i], ray) < lamp_distance) return false;
  }
  return true;
}

__global__ void render(int width, int height, unsigned* image) {
  const int x = static_cast<int>(blockIdx.x) * kBlockX + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockY + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  Vector lights[kMostSurfaces];
  int met = 0;
  Ray ray = camera_ray(device_camera, x, y, width, height);
  while (met < kMostSurfaces) {
    float distance = ray::kFar;
    int nearest = 0;
    for (int i = 0; i < kThings; ++i) {
      const float candidate = distance_to(device_scene.things[i], ray);
      if (candidate < distance) {
        distance = candidate;
        nearest = i;
      }
    }
    if (distance == ray::kFar) break;
    const Thing& thing = device_scene.things[nearest];
    const Vector point = ray::point_at(ray, distance);
    const Vector to_viewer = -1.0f * ray.direction;
    const Vector normal = seen_normal(thing, point, to_viewer);
    const Vector to_lamp = ray::unit(kLamp - point);
    Vector light = kAmbient * thing.colour;
    if (ray::dot(normal, to_lamp) > 0.0f && reaches_lamp(point, to_lamp)) {
      light = light + lamp_light(thing.colour, normal, to_lamp, to_viewer);
    }
    lights[met++] = light;
    const Vector onward = ray::mirrored(ray.direction, normal);
    ray = {point + kOff * onward, onward};
  }
  Vector light = {0.0f, 0.0f, 0.0f};
  while (met > 0) light = lights[--met] + kReflected * light;
  image[y * width + x] = pixel_of(light);
}

namespace {

Vector cross(Vector a, Vector b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// From (0, 0.5, 2) to the origin, 65 degrees of the picture's shorter side.
Camera camera_for(int width, int height) {
  const Vector place = {0.0f, 0.5f, 2.0f};
  const Vector ahead = ray::unit(-1.0f * place);
  const Vector up = ray::unit(kUp - ray::dot(ahead, kUp) * ahead);
  const float depth = static_cast<float>(1.0 / std::tan(32.5 * 3.14159265358979 / 180.0));
  return {place, depth * ahead, cross(ahead, up), up, 2.0f / static_cast<float>(std::min(width, height))};
}

// The light along a ray that has met `met` surfaces, by recursion over a list of all that it could meet.
Vector light_along(const Ray& ray, int met) {
  if (met == kMostSurfaces) return {0.0f, 0.0f, 0.0f};
  std::vector<float> distances;
  for (const Thing& thing : kScene.things) distances.push_back(distance_to(thing, ray));
  const auto nearest = std::min_element(distances.begin(), distances.end());
  if (*nearest == ray::kFar) return {0.0f, 0.0f, 0.0f};
  const Thing& thing = kScene.things[nearest - distances.begin()];
  const Vector point = ray::point_at(ray, *nearest);
  const Vector to_viewer = -1.0f * ray.direction;
  const Vector normal = seen_normal(thing, point, to_viewer);
  const Vector offset = kLamp - point;
  const Vector to_lamp = ray::unit(offset);
  int in_the_way = 0;
  for (const Thing& other : kScene.things) {
    in_the_way += distance_to(other, {point + kOff * to_lamp, to_lamp}) < sqrtf(ray::dot(offset, offset));
  }
  Vector light = kAmbient * thing.colour;
  if (ray::dot(normal, to_lamp) > 0.0f && in_the_way == 0) {
    light = light + lamp_light(thing.colour, normal, to_lamp, to_viewer);
  }
  const Vector onward = ray::mirrored(ray.direction, normal);
  return light + kReflected * light_along({point + kOff * onward, onward}, met + 1);
}

// The device's powf may differ from the host's in its last bits, so a channel may be off by one; all else is the same
// bits.
std::string check(const std::vector<unsigned>& image, int width, int height) {
  const Camera camera = camera_for(width, height);
  for (int i = 0; i < width * height; ++i) {
    const unsigned expected = pixel_of(light_along(camera_ray(camera, i % width, i / width, width, height), 0));
    for (int shift = 0; shift < 32; shift += 8) {
      const int found = static_cast<int>(image[i] >> shift & 0xff);
      if (std::abs(found - static_cast<int>(expected >> shift & 0xff)) <= 1) continue;
      return "pixel " + std::to_string(i) + " is " + std::to_string(image[i]) + ", expected " +
             std::to_string(expected);
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 40, 256, 800);
  const int height = workload::by_size(options.size, 36, 256, 800);
  const Camera camera = camera_for(width, height);
  workload::check_cuda(cudaMemcpyToSymbol(device_scene, &kScene, sizeof(Scene)), "cudaMemcpyToSymbol");
  workload::check_cuda(cudaMemcpyToSymbol(device_camera, &camera, sizeof(Camera)), "cudaMemcpyToSymbol");

  const DeviceBuffer<unsigned> image(static_cast<size_t>(width) * height);
  const dim3 blocks((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  render<<<blocks, dim3(kBlockX, kBlockY)>>>(width, height, image.get());
  workload::check_launch("render");

  std::printf("raytrace: %d x %d pixels, a floor and %d spheres\n", width, height, kThings - 1);
  return workload::verdict(check(image.download(), width, height));
}
