// SPDX-License-Identifier: Apache-2.0
// Ray tracing with shadows and reflections (Whitted, CACM 1980), a thread per pixel. How often a ray is reflected, and
// which surfaces have to look for their light, differs from pixel to pixel.
//
//   raytrace-divergent [--size small|default|large] [--seed N]
#include "../common/ray.h"
#include "../common/workload.h"

using ray::Ray;
using ray::Vector;
using workload::DeviceBuffer;

constexpr const char* kProgram = "raytrace-divergent";
constexpr int kBlockX = 16;
constexpr int kBlockY = 8;
constexpr int kSpheres = 20;
constexpr int kMostReflections = 5;
constexpr float kFaintest = 0.02f;  // reflections that would add less are not followed
constexpr float kAmbient = 0.1f;
constexpr Vector kLamp = {-6.0f, 9.0f, -7.0f};
constexpr Vector kUp = {0.0f, 1.0f, 0.0f};

struct Material {
  float brightness;
  float reflectivity;
};

struct Scene {
  float4 spheres[kSpheres];
  Material materials[kSpheres];
};

__constant__ Scene scene;

__host__ __device__ inline Ray camera_ray(int x, int y, int width, int height) {
  const float scale = 2.0f / static_cast<float>(width);
  const float right = (static_cast<float>(x) + 0.5f) * scale - 1.0f;
  const float down = (static_cast<float>(y) + 0.5f) * scale - static_cast<float>(height) / static_cast<float>(width);
  return {{0.0f, 2.5f, -9.0f}, ray::unit({right, -0.2f - down, 1.3f})};
}

__host__ __device__ inline float sky(Vector direction) { return 0.3f + 0.5f * direction.y; }

// A chessboard of bright, dull tiles and dark, polished ones.
__host__ __device__ inline Material ground_at(Vector point) {
  const bool dark = ((static_cast<int>(point.x + 1024.0f) + static_cast<int>(point.z + 1024.0f)) & 1) != 0;
  return dark ? Material{0.1f, 0.4f} : Material{0.8f, 0.0f};
}

// How much light falls on a surface that the lamp reaches; the highlight is Phong's with an exponent of 16.
__host__ __device__ inline float lamp_light(Vector view, Vector normal, Vector to_lamp, float brightness) {
  const float facing = ray::dot(normal, to_lamp);
  const float gloss = ray::dot(ray::mirrored(view, normal), to_lamp);
  float highlight = gloss > 0.0f ? gloss : 0.0f;
  highlight = highlight * highlight;
  highlight = highlight * highlight;
  highlight = highlight * highlight;
  highlight = highlight * highlight;
  return brightness * facing + 0.5f * highlight;
}

__device__ inline bool in_shadow(const Ray& to_lamp, float lamp_distance) {
#pragma unroll 1
  for (int i = 0; i < kSpheres; ++i) {
    if (ray::sphere_distance(to_lamp, scene.spheres[i]) < lamp_distance) return true;
  }
  return false;
}

__global__ void render(int width, int height, float* image) {
  const int x = static_cast<int>(blockIdx.x) * kBlockX + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockY + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  Ray ray = camera_ray(x, y, width, height);
  float light = 0.0f;
  float weight = 1.0f;  // what is left of the ray after its reflections
#pragma unroll 1
  for (int reflections = 0; reflections <= kMostReflections; ++reflections) {
    float distance = ray::ground_distance(ray);
    int hit = -1;
#pragma unroll 1
    for (int i = 0; i < kSpheres; ++i) {
      const float candidate = ray::sphere_distance(ray, scene.spheres[i]);
      if (candidate < distance) {
        distance = candidate;
        hit = i;
      }
    }
    if (distance == ray::kFar) {
      light += weight * sky(ray.direction);
      break;
    }
    const Vector point = ray::point_at(ray, distance);
    const Vector normal = hit < 0 ? kUp : ray::normal_at(scene.spheres[hit], point);
    const Material material = hit < 0 ? ground_at(point) : scene.materials[hit];
    float local = kAmbient * material.brightness;
    const Vector offset = kLamp - point;
    if (ray::dot(normal, offset) > 0.0f) {
      const Vector to_lamp = ray::unit(offset);
      if (!in_shadow({point, to_lamp}, sqrtf(ray::dot(offset, offset)))) {
        local += lamp_light(ray.direction, normal, to_lamp, material.brightness);
      }
    }
    light += weight * (1.0f - material.reflectivity) * local;
    weight *= material.reflectivity;
    if (weight < kFaintest) break;
    ray = {point, ray::mirrored(ray.direction, normal)};
  }
  image[y * width + x] = light;
}

namespace {

// Spheres that stand on the ground or float above it; every third one is close to a mirror.
Scene random_scene(workload::Random& random) {
  Scene scene;
  for (int i = 0; i < kSpheres; ++i) {
    const float radius = 0.4f + 0.9f * random.unit();
    scene.spheres[i] = float4{12.0f * random.unit() - 6.0f, radius * (1.0f + 1.5f * random.unit()),
                              14.0f * random.unit() - 3.0f, radius};
    scene.materials[i] = {0.2f + 0.7f * random.unit(), i % 3 == 0 ? 0.85f : 0.5f * random.unit()};
  }
  return scene;
}

// The same image by recursion over a list of all that a ray meets.
class Reference {
 public:
  explicit Reference(const Scene& scene) : scene_(scene) {}

  float light_of(const Ray& ray) const {
    float light = 0.0f;
    add_light(ray, 1.0f, kMostReflections, light);
    return light;
  }

 private:
  // The nearest of all spheres, the first one of several; kSpheres where none is met before the ground.
  int nearest(const Ray& ray, float& distance) const {
    std::vector<float> distances;
    for (const float4& sphere : scene_.spheres) distances.push_back(ray::sphere_distance(ray, sphere));
    distances.push_back(ray::ground_distance(ray));
    int hit = kSpheres;
    for (int i = kSpheres - 1; i >= 0; --i) {
      if (distances[i] < distances[kSpheres] && distances[i] <= distances[hit]) hit = i;
    }
    distance = distances[hit];
    return hit;
  }

  bool reaches_lamp(Vector point) const {
    const Vector offset = kLamp - point;
    int in_the_way = 0;
    for (const float4& sphere : scene_.spheres) {
      in_the_way += ray::sphere_distance({point, ray::unit(offset)}, sphere) < sqrtf(ray::dot(offset, offset));
    }
    return in_the_way == 0;
  }

  void add_light(const Ray& ray, float weight, int reflections_left, float& light) const {
    float distance = 0.0f;
    const int hit = nearest(ray, distance);
    if (distance == ray::kFar) {
      light += weight * sky(ray.direction);
      return;
    }
    const Vector point = ray::point_at(ray, distance);
    const Vector normal = hit == kSpheres ? kUp : ray::normal_at(scene_.spheres[hit], point);
    const Material material = hit == kSpheres ? ground_at(point) : scene_.materials[hit];
    const Vector offset = kLamp - point;
    const bool lit = ray::dot(normal, offset) > 0.0f && reaches_lamp(point);
    float local = kAmbient * material.brightness;
    if (lit) local += lamp_light(ray.direction, normal, ray::unit(offset), material.brightness);
    light += weight * (1.0f - material.reflectivity) * local;
    const float rest = weight * material.reflectivity;
    if (rest < kFaintest || reflections_left == 0) return;
    add_light({point, ray::mirrored(ray.direction, normal)}, rest, reflections_left - 1, light);
  }

  const Scene& scene_;
};

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int width = workload::by_size(options.size, 30, 256, 832);
  const int height = workload::by_size(options.size, 16, 192, 576);
  workload::Random random(options.seed);
  const Scene host_scene = random_scene(random);
  workload::check_cuda(cudaMemcpyToSymbol(scene, &host_scene, sizeof(Scene)), "cudaMemcpyToSymbol");

  const DeviceBuffer<float> image(static_cast<size_t>(width) * height);
  const dim3 blocks((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
  render<<<blocks, dim3(kBlockX, kBlockY)>>>(width, height, image.get());
  workload::check_launch("render");

  std::printf("raytrace-divergent: %d x %d pixels, %d spheres\n", width, height, kSpheres);
  const Reference reference(host_scene);
  std::vector<float> expected;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) expected.push_back(reference.light_of(camera_ray(x, y, width, height)));
  }
  return workload::verdict(workload::compare(image.download(), expected, 0.0f));
}
