// SPDX-License-Identifier: Apache-2.0
// A scene of triangles, a tree of boxes over them (BVH), and the walk of a ray through it. A box only spares work: what
// a ray meets is decided by the triangles alone, so a walk can be compared exactly with a search through all of them.
#pragma once

#include <algorithm>

#include "ray.h"
#include "workload.h"

namespace mesh {

using ray::Ray;
using ray::Vector;

constexpr int kLeafTriangles = 3;
constexpr int kDeepest = 24;      // of a walk's stack; halves of 3 * 2^24 triangles would fill it
constexpr float kMargin = 1e-3f;  // round a box, so that rounding never makes a ray miss what is in it
constexpr float kFlat = 1e-12f;   // determinants below this are of rays along the triangle

struct Triangle {
  Vector corner, edge1, edge2;
};

// Of an inner node the children are `first` and the one after it; of a leaf `first` and `count` tell its triangles.
struct Node {
  Vector low, high;
  int first;
  int count;
};

struct Hit {
  float distance;
  int triangle;
};

__host__ __device__ inline Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Where the ray meets the triangle (Moeller and Trumbore, 1997), or kFar.
__host__ __device__ inline float triangle_distance(const Ray& ray, const Triangle& triangle) {
  const Vector across = cross(ray.direction, triangle.edge2);
  const float determinant = ray::dot(triangle.edge1, across);
  if (determinant > -kFlat && determinant < kFlat) return ray::kFar;
  const float scale = 1.0f / determinant;
  const Vector offset = ray.origin - triangle.corner;
  const float u = scale * ray::dot(offset, across);
  if (u < 0.0f || u > 1.0f) return ray::kFar;
  const Vector along = cross(offset, triangle.edge1);
  const float v = scale * ray::dot(ray.direction, along);
  if (v < 0.0f || u + v > 1.0f) return ray::kFar;
  const float distance = scale * ray::dot(triangle.edge2, along);
  return distance > ray::kNear ? distance : ray::kFar;
}

// Of two triangles that are met at the same distance the first one counts.
__host__ __device__ inline void take_nearer(float distance, int triangle, Hit& hit) {
  if (distance < hit.distance || (distance == hit.distance && triangle < hit.triangle)) hit = {distance, triangle};
}

__device__ inline float inverse(float x) { return x == 0.0f ? ray::kFar : 1.0f / x; }

// Where the ray enters the box, 0 from inside, kFar if it misses it or comes to it behind `limit`.
__device__ inline float box_distance(Vector origin, Vector inverses, const Node& node, float limit) {
  const float x0 = (node.low.x - origin.x) * inverses.x, x1 = (node.high.x - origin.x) * inverses.x;
  const float y0 = (node.low.y - origin.y) * inverses.y, y1 = (node.high.y - origin.y) * inverses.y;
  const float z0 = (node.low.z - origin.z) * inverses.z, z1 = (node.high.z - origin.z) * inverses.z;
  const float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
  const float leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), limit));
  return enter <= leave ? enter : ray::kFar;
}

// The nearest hit before `limit`, or with `any` the first one found; the triangle is -1 where there is none. The nearer
// child comes first, the other one waits on a stack of the thread's own.
template <bool any>
__device__ inline Hit walk(const Ray& ray, const Node* nodes, const Triangle* triangles, float limit) {
  const Vector inverses = {inverse(ray.direction.x), inverse(ray.direction.y), inverse(ray.direction.z)};
  int waiting[kDeepest];
  int waits = 0;
  int at = 0;
  Hit hit = {limit, -1};
  while (true) {
    const Node node = nodes[at];
    if (node.count > 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        take_nearer(triangle_distance(ray, triangles[i]), i, hit);
        if (any && hit.triangle >= 0) return hit;
      }
    } else {
      const float left = box_distance(ray.origin, inverses, nodes[node.first], hit.distance);
      const float right = box_distance(ray.origin, inverses, nodes[node.first + 1], hit.distance);
      if (left != ray::kFar && right != ray::kFar) {
        const bool left_first = left <= right;
        waiting[waits++] = left_first ? node.first + 1 : node.first;
        at = left_first ? node.first : node.first + 1;
        continue;
      }
      if (left != ray::kFar || right != ray::kFar) {
        at = left != ray::kFar ? node.first : node.first + 1;
        continue;
      }
    }
    if (waits == 0) return hit;
    at = waiting[--waits];
  }
}

// A ground and cones that stand on it, of five sides each, leaning and of any size.
inline std::vector<Triangle> random_scene(int cones, workload::Random& random) {
  constexpr float kHalf = 12.0f;
  constexpr int kSides = 5;
  constexpr float kCosine[kSides] = {1.0f, 0.309017f, -0.809017f, -0.809017f, 0.309017f};
  constexpr float kSine[kSides] = {0.0f, 0.951057f, 0.587785f, -0.587785f, -0.951057f};
  const Vector corner = {-kHalf, 0.0f, -kHalf};
  const Vector opposite = {kHalf, 0.0f, kHalf};
  std::vector<Triangle> triangles = {{corner, {2 * kHalf, 0.0f, 0.0f}, {0.0f, 0.0f, 2 * kHalf}},
                                     {opposite, {-2 * kHalf, 0.0f, 0.0f}, {0.0f, 0.0f, -2 * kHalf}}};
  for (int cone = 0; cone < cones; ++cone) {
    const Vector foot = {kHalf * (2.0f * random.unit() - 1.0f), 0.0f, kHalf * (2.0f * random.unit() - 1.0f)};
    const float radius = 0.2f + 0.5f * random.unit();
    const Vector tip = foot + Vector{random.unit() - 0.5f, 0.5f + 2.5f * random.unit(), random.unit() - 0.5f};
    for (int side = 0; side < kSides; ++side) {
      const int next = (side + 1) % kSides;
      const Vector from = foot + radius * Vector{kCosine[side], 0.0f, kSine[side]};
      const Vector to = foot + radius * Vector{kCosine[next], 0.0f, kSine[next]};
      triangles.push_back({tip, from - tip, to - tip});
    }
  }
  return triangles;
}

inline float part(Vector a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

// Grows `node`'s box by a triangle's.
inline void include(const Triangle& triangle, Node& node) {
  for (const Vector& point : {triangle.corner, triangle.corner + triangle.edge1, triangle.corner + triangle.edge2}) {
    node.low = {std::min(node.low.x, point.x - kMargin), std::min(node.low.y, point.y - kMargin),
                std::min(node.low.z, point.z - kMargin)};
    node.high = {std::max(node.high.x, point.x + kMargin), std::max(node.high.y, point.y + kMargin),
                 std::max(node.high.z, point.z + kMargin)};
  }
}

// Splits the triangles of nodes[at] at the median of its longest side until few are left; sorts them on the way.
inline void split(size_t at, std::vector<Triangle>& triangles, std::vector<Node>& nodes) {
  const int first = nodes[at].first, count = nodes[at].count;
  for (int i = first; i < first + count; ++i) include(triangles[i], nodes[at]);
  if (count <= kLeafTriangles) return;
  const Vector size = nodes[at].high - nodes[at].low;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  std::stable_sort(
      triangles.begin() + first, triangles.begin() + first + count, [axis](const Triangle& a, const Triangle& b) {
        return part(3.0f * a.corner + a.edge1 + a.edge2, axis) < part(3.0f * b.corner + b.edge1 + b.edge2, axis);
      });
  const int left = static_cast<int>(nodes.size());
  const Node empty = {{ray::kFar, ray::kFar, ray::kFar}, {-ray::kFar, -ray::kFar, -ray::kFar}, 0, 0};
  nodes.resize(nodes.size() + 2, empty);
  nodes[left].first = first;
  nodes[left].count = count / 2;
  nodes[left + 1].first = first + count / 2;
  nodes[left + 1].count = count - count / 2;
  nodes[at].first = left;
  nodes[at].count = 0;
  split(left, triangles, nodes);
  split(left + 1, triangles, nodes);
}

inline std::vector<Node> tree_over(std::vector<Triangle>& triangles) {
  std::vector<Node> nodes = {
      {{ray::kFar, ray::kFar, ray::kFar}, {-ray::kFar, -ray::kFar, -ray::kFar}, 0, static_cast<int>(triangles.size())}};
  split(0, triangles, nodes);
  return nodes;
}

// What walk() has to find.
inline Hit search_all(const Ray& ray, const std::vector<Triangle>& triangles, float limit) {
  Hit hit = {limit, -1};
  for (size_t i = 0; i < triangles.size(); ++i) {
    take_nearer(triangle_distance(ray, triangles[i]), static_cast<int>(i), hit);
  }
  return hit;
}

__host__ __device__ inline Ray camera_ray(int x, int y, int width, int height) {
  const float scale = 2.0f / static_cast<float>(width);
  const float right = (static_cast<float>(x) + 0.5f) * scale - 1.0f;
  const float down = (static_cast<float>(y) + 0.5f) * scale - static_cast<float>(height) / static_cast<float>(width);
  return {{0.3f, 4.0f, -14.0f}, ray::unit({right, -0.35f - down, 1.5f})};
}

}  // namespace mesh
