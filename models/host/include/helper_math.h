// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the vector types element by element, and the functions of shading languages over them, for host and
// device code.
#ifndef HELPER_MATH_H
#define HELPER_MATH_H

#include <math.h>

#include "cuda_runtime.h"

typedef unsigned int uint;
typedef unsigned short ushort;

#define WARPFOLD_VECTOR inline __host__ __device__

#if !defined(__CUDACC__)
inline int max(int a, int b) { return a > b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }
inline unsigned int max(unsigned int a, unsigned int b) { return a > b ? a : b; }
inline unsigned int min(unsigned int a, unsigned int b) { return a < b ? a : b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif
// make_float3(1.0f), make_float3(a_float2, 1.0f), make_float4(a_float3, 1.0f), make_int3(a_float3) and so on.
#define WARPFOLD_MAKE(T, S)                                                          \
  WARPFOLD_VECTOR T##2 make_##T##2(S s) { return make_##T##2(s, s); }                \
  WARPFOLD_VECTOR T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); }         \
  WARPFOLD_VECTOR T##3 make_##T##3(S s) { return make_##T##3(s, s, s); }             \
  WARPFOLD_VECTOR T##3 make_##T##3(T##2 a) { return make_##T##3(a.x, a.y, 0); }      \
  WARPFOLD_VECTOR T##3 make_##T##3(T##2 a, S s) { return make_##T##3(a.x, a.y, s); } \
  WARPFOLD_VECTOR T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); }    \
  WARPFOLD_VECTOR T##4 make_##T##4(S s) { return make_##T##4(s, s, s, s); }          \
  WARPFOLD_VECTOR T##4 make_##T##4(T##3 a) { return make_##T##4(a.x, a.y, a.z, 0); } \
  WARPFOLD_VECTOR T##4 make_##T##4(T##3 a, S s) { return make_##T##4(a.x, a.y, a.z, s); }
WARPFOLD_MAKE(float, float)
WARPFOLD_MAKE(int, int)
WARPFOLD_MAKE(uint, uint)
#undef WARPFOLD_MAKE
#define WARPFOLD_CONVERT(T, S, F)                                                          \
  WARPFOLD_VECTOR T##2 make_##T##2(F##2 a) { return make_##T##2(S(a.x), S(a.y)); }         \
  WARPFOLD_VECTOR T##3 make_##T##3(F##3 a) { return make_##T##3(S(a.x), S(a.y), S(a.z)); } \
  WARPFOLD_VECTOR T##4 make_##T##4(F##4 a) { return make_##T##4(S(a.x), S(a.y), S(a.z), S(a.w)); }
WARPFOLD_CONVERT(float, float, int)
WARPFOLD_CONVERT(float, float, uint)
WARPFOLD_CONVERT(int, int, uint)
WARPFOLD_CONVERT(int, int, float)
WARPFOLD_CONVERT(uint, uint, int)
#undef WARPFOLD_CONVERT

#define WARPFOLD_ASSIGN(T, S, op)                                \
  WARPFOLD_VECTOR void operator op##=(T &a, T b) { a = a op b; } \
  WARPFOLD_VECTOR void operator op##=(T &a, S b) { a = a op b; }
#define WARPFOLD_OPERATOR(T, S, op)                                                                             \
  WARPFOLD_VECTOR T##2 operator op(T##2 a, T##2 b) { return make_##T##2(a.x op b.x, a.y op b.y); }              \
  WARPFOLD_VECTOR T##2 operator op(T##2 a, S b) { return make_##T##2(a.x op b, a.y op b); }                     \
  WARPFOLD_VECTOR T##2 operator op(S a, T##2 b) { return make_##T##2(a op b.x, a op b.y); }                     \
  WARPFOLD_VECTOR T##3 operator op(T##3 a, T##3 b) { return make_##T##3(a.x op b.x, a.y op b.y, a.z op b.z); }  \
  WARPFOLD_VECTOR T##3 operator op(T##3 a, S b) { return make_##T##3(a.x op b, a.y op b, a.z op b); }           \
  WARPFOLD_VECTOR T##3 operator op(S a, T##3 b) { return make_##T##3(a op b.x, a op b.y, a op b.z); }           \
  WARPFOLD_VECTOR T##4 operator op(T##4 a, T##4 b) {                                                            \
    return make_##T##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w);                                         \
  }                                                                                                             \
  WARPFOLD_VECTOR T##4 operator op(T##4 a, S b) { return make_##T##4(a.x op b, a.y op b, a.z op b, a.w op b); } \
  WARPFOLD_VECTOR T##4 operator op(S a, T##4 b) { return make_##T##4(a op b.x, a op b.y, a op b.z, a op b.w); } \
  WARPFOLD_ASSIGN(T##2, S, op)                                                                                  \
  WARPFOLD_ASSIGN(T##3, S, op)                                                                                  \
  WARPFOLD_ASSIGN(T##4, S, op)
WARPFOLD_OPERATOR(float, float, +)
WARPFOLD_OPERATOR(float, float, -)
WARPFOLD_OPERATOR(float, float, *)
WARPFOLD_OPERATOR(float, float, /)
WARPFOLD_OPERATOR(int, int, +)
WARPFOLD_OPERATOR(int, int, -)
WARPFOLD_OPERATOR(int, int, *)
WARPFOLD_OPERATOR(uint, uint, +)
WARPFOLD_OPERATOR(uint, uint, -)
WARPFOLD_OPERATOR(uint, uint, *)
#undef WARPFOLD_OPERATOR
#undef WARPFOLD_ASSIGN

// f of each element, of each two, and of each with scalars.
#define WARPFOLD_EACH(T, name, f)                                                   \
  WARPFOLD_VECTOR T##2 name(T##2 a) { return make_##T##2(f(a.x), f(a.y)); }         \
  WARPFOLD_VECTOR T##3 name(T##3 a) { return make_##T##3(f(a.x), f(a.y), f(a.z)); } \
  WARPFOLD_VECTOR T##4 name(T##4 a) { return make_##T##4(f(a.x), f(a.y), f(a.z), f(a.w)); }
#define WARPFOLD_EACH_TWO(T, name)                                                                                  \
  WARPFOLD_VECTOR T##2 name(T##2 a, T##2 b) { return make_##T##2(name(a.x, b.x), name(a.y, b.y)); }                 \
  WARPFOLD_VECTOR T##3 name(T##3 a, T##3 b) { return make_##T##3(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z)); } \
  WARPFOLD_VECTOR T##4 name(T##4 a, T##4 b) {                                                                       \
    return make_##T##4(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z), name(a.w, b.w));                             \
  }

WARPFOLD_EACH(float, operator-, -)
WARPFOLD_EACH(int, operator-, -)
WARPFOLD_EACH(float, floorf, floorf)
WARPFOLD_EACH(float, fabs, fabsf)
WARPFOLD_EACH(int, abs, abs)
WARPFOLD_VECTOR float fracf(float v) { return v - floorf(v); }
WARPFOLD_EACH(float, fracf, fracf)
WARPFOLD_EACH_TWO(float, fminf)
WARPFOLD_EACH_TWO(float, fmaxf)
WARPFOLD_EACH_TWO(float, fmodf)
WARPFOLD_EACH_TWO(int, min)
WARPFOLD_EACH_TWO(int, max)
WARPFOLD_EACH_TWO(uint, min)
WARPFOLD_EACH_TWO(uint, max)

#define WARPFOLD_CLAMP(T, S, low_of, high_of)                                                                 \
  WARPFOLD_VECTOR S clamp(S v, S low, S high) { return low_of(high_of(v, low), high); }                       \
  WARPFOLD_VECTOR T##2 clamp(T##2 v, T##2 low, T##2 high) { return low_of(high_of(v, low), high); }           \
  WARPFOLD_VECTOR T##2 clamp(T##2 v, S low, S high) { return clamp(v, make_##T##2(low), make_##T##2(high)); } \
  WARPFOLD_VECTOR T##3 clamp(T##3 v, T##3 low, T##3 high) { return low_of(high_of(v, low), high); }           \
  WARPFOLD_VECTOR T##3 clamp(T##3 v, S low, S high) { return clamp(v, make_##T##3(low), make_##T##3(high)); } \
  WARPFOLD_VECTOR T##4 clamp(T##4 v, T##4 low, T##4 high) { return low_of(high_of(v, low), high); }           \
  WARPFOLD_VECTOR T##4 clamp(T##4 v, S low, S high) { return clamp(v, make_##T##4(low), make_##T##4(high)); }
WARPFOLD_CLAMP(float, float, fminf, fmaxf)
WARPFOLD_CLAMP(int, int, min, max)
WARPFOLD_CLAMP(uint, uint, min, max)
#undef WARPFOLD_CLAMP

#define WARPFOLD_DOT(T, S)                                                            \
  WARPFOLD_VECTOR S dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }             \
  WARPFOLD_VECTOR S dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
  WARPFOLD_VECTOR S dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WARPFOLD_DOT(float, float)
WARPFOLD_DOT(int, int)
WARPFOLD_DOT(uint, uint)
#undef WARPFOLD_DOT

#if !defined(__cpp_lib_interpolate)  // else <math.h> has brought it
WARPFOLD_VECTOR float lerp(float a, float b, float t) { return a + t * (b - a); }
#endif
WARPFOLD_VECTOR float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}
#define WARPFOLD_GEOMETRY(T)                                            \
  WARPFOLD_VECTOR T lerp(T a, T b, float t) { return a + t * (b - a); } \
  WARPFOLD_VECTOR float length(T v) { return sqrtf(dot(v, v)); }        \
  WARPFOLD_VECTOR T normalize(T v) { return v * rsqrtf(dot(v, v)); }    \
  WARPFOLD_VECTOR T smoothstep(T a, T b, T x) {                         \
    const T y = clamp((x - a) / (b - a), 0.0f, 1.0f);                   \
    return y * y * (3.0f - 2.0f * y);                                   \
  }
WARPFOLD_GEOMETRY(float2)
WARPFOLD_GEOMETRY(float3)
WARPFOLD_GEOMETRY(float4)
#undef WARPFOLD_GEOMETRY
WARPFOLD_VECTOR float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
WARPFOLD_VECTOR float3 reflect(float3 incident, float3 normal) {
  return incident - 2.0f * normal * dot(normal, incident);
}

#undef WARPFOLD_EACH
#undef WARPFOLD_EACH_TWO
#undef WARPFOLD_VECTOR

#endif  // HELPER_MATH_H
