// SPDX-License-Identifier: Apache-2.0
// Rays and spheres in arithmetic that gives the same bits on device and host: additions, multiplications, divisions and
// square roots, each rounded once and none fused, so that images can be compared exactly.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

#pragma clang fp contract(off)  // holds for what includes this file, too

namespace ray {

constexpr float kFar = 1e30f;   // no hit
constexpr float kNear = 1e-3f;  // hits nearer than this are the surface that the ray starts on

struct Vector {
  float x, y, z;
};

__host__ __device__ inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline Vector operator*(float s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ inline float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline Vector unit(Vector a) { return (1.0f / sqrtf(dot(a, a))) * a; }

struct Ray {
  Vector origin;
  Vector direction;  // of length one
};

__host__ __device__ inline Vector point_at(const Ray& ray, float distance) {
  return ray.origin + distance * ray.direction;
}

__host__ __device__ inline Vector mirrored(Vector direction, Vector normal) {
  return unit(direction - 2.0f * dot(direction, normal) * normal);
}

// Where the ray meets a sphere (centre, radius) from outside, or kFar.
__host__ __device__ inline float sphere_distance(const Ray& ray, float4 sphere) {
  const Vector to_centre = Vector{sphere.x, sphere.y, sphere.z} - ray.origin;
  const float along = dot(to_centre, ray.direction);
  const float discriminant = along * along - dot(to_centre, to_centre) + sphere.w * sphere.w;
  if (discriminant < 0.0f) return kFar;
  const float distance = along - sqrtf(discriminant);
  return distance > kNear ? distance : kFar;
}

// Where the ray meets the ground, y = 0, from above, or kFar.
__host__ __device__ inline float ground_distance(const Ray& ray) {
  if (ray.direction.y >= 0.0f) return kFar;
  const float distance = -ray.origin.y / ray.direction.y;
  return distance > kNear ? distance : kFar;
}

__host__ __device__ inline Vector normal_at(float4 sphere, Vector point) {
  return unit(point - Vector{sphere.x, sphere.y, sphere.z});
}

}  // namespace ray
