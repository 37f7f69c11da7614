// SPDX-License-Identifier: Apache-2.0
// Surface references, how programs bind them, and the functions by which kernels read and write surfaces.
#pragma once

// clang gives such a variable a .surfref of its name in device code, and registers it with the runtime.
template <class T, int kind = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
  constexpr surface() : surfaceReference{} {}
};
template <int kind>
struct __attribute__((device_builtin_surface_type)) surface<void, kind> : public surfaceReference {
  constexpr surface() : surfaceReference{} {}
};

template <class T, int kind>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, kind>& reference, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc& format) {
  return ::cudaBindSurfaceToArray(&reference, array, &format);
}
template <class T, int kind>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, kind>& reference, cudaArray_const_t array) {
  cudaChannelFormatDesc format;
  const cudaError_t error = cudaGetChannelDesc(&format, array);
  return error != cudaSuccess ? error : cudaBindSurfaceToArray(reference, array, format);
}

// The elements that instructions move, by their size in bytes.
template <int bytes>
struct __warpfold_element;
template <>
struct __warpfold_element<1> {
  unsigned short a;
};
template <>
struct __warpfold_element<2> {
  unsigned short a;
};
template <>
struct __warpfold_element<4> {
  unsigned int a;
};
template <>
struct __warpfold_element<8> {
  unsigned int a, b;
};
template <>
struct __warpfold_element<16> {
  unsigned int a, b, c, d;
};

#define WARPFOLD_LIST(...) __VA_ARGS__
#define WARPFOLD_SURFACE_READ(geometry, outside, type, values, at, outputs, inputs) \
  asm volatile("suld.b." geometry type outside " " values ", [%[handle], " at "];"  \
               : WARPFOLD_LIST outputs                                              \
               : [handle] "l"(handle), WARPFOLD_LIST inputs                         \
               : "memory")
#define WARPFOLD_SURFACE_WRITE(geometry, outside, type, values, at, stored, inputs) \
  asm volatile("sust.b." geometry type outside " [%[handle], " at "], " values ";"  \
               :                                                                    \
               : [handle] "l"(handle), WARPFOLD_LIST inputs, WARPFOLD_LIST stored   \
               : "memory")
// One instruction for each thing to do outside of the surface: mostly a constant, so that one remains.
#define WARPFOLD_BY_MODE(access, geometry, type, values, at, operands, inputs) \
  if (mode == cudaBoundaryModeZero) {                                          \
    access(geometry, ".zero", type, values, at, operands, inputs);             \
  } else if (mode == cudaBoundaryModeClamp) {                                  \
    access(geometry, ".clamp", type, values, at, operands, inputs);            \
  } else {                                                                     \
    access(geometry, ".trap", type, values, at, operands, inputs);             \
  }
#define WARPFOLD_SURFACE_SIZE(kind, geometry, at, parameters, inputs, bytes, type, values, outputs, stored)        \
  template <class Handle>                                                                                          \
  static __device__ __forceinline__ void __warpfold_surf##kind##read(                                              \
      __warpfold_element<bytes>& v, Handle handle, WARPFOLD_LIST parameters, cudaSurfaceBoundaryMode mode) {       \
    WARPFOLD_BY_MODE(WARPFOLD_SURFACE_READ, geometry, type, values, at, outputs, inputs)                           \
  }                                                                                                                \
  template <class Handle>                                                                                          \
  static __device__ __forceinline__ void __warpfold_surf##kind##write(                                             \
      const __warpfold_element<bytes>& v, Handle handle, WARPFOLD_LIST parameters, cudaSurfaceBoundaryMode mode) { \
    WARPFOLD_BY_MODE(WARPFOLD_SURFACE_WRITE, geometry, type, values, at, stored, inputs)                           \
  }
#define WARPFOLD_SURFACE_HANDLE(kind, Handle, parameters, arguments)                                              \
  template <class T>                                                                                              \
  static __device__ __forceinline__ T surf##kind##read(WARPFOLD_LIST Handle handle, WARPFOLD_LIST parameters,     \
                                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    __warpfold_element<sizeof(T)> element;                                                                        \
    __warpfold_surf##kind##read(element, handle, WARPFOLD_LIST arguments, mode);                                  \
    T value;                                                                                                      \
    __builtin_memcpy(&value, &element, sizeof(T));                                                                \
    return value;                                                                                                 \
  }                                                                                                               \
  template <class T>                                                                                              \
  static __device__ __forceinline__ void surf##kind##read(T* to, WARPFOLD_LIST Handle handle,                     \
                                                          WARPFOLD_LIST parameters,                               \
                                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    *to = surf##kind##read<T>(handle, WARPFOLD_LIST arguments, mode);                                             \
  }                                                                                                               \
  template <class T>                                                                                              \
  static __device__ __forceinline__ void surf##kind##write(T value, WARPFOLD_LIST Handle handle,                  \
                                                           WARPFOLD_LIST parameters,                              \
                                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    __warpfold_element<sizeof(T)> element;                                                                        \
    __builtin_memcpy(&element, &value, sizeof(T));                                                                \
    __warpfold_surf##kind##write(element, handle, WARPFOLD_LIST arguments, mode);                                 \
  }
#define WARPFOLD_SURFACE(kind, geometry, at, parameters, inputs, arguments)                                           \
  WARPFOLD_SURFACE_SIZE(kind, geometry, at, parameters, inputs, 1, ".b8", "{%[a]}", ([a] "=h"(v.a)), ([a] "h"(v.a)))  \
  WARPFOLD_SURFACE_SIZE(kind, geometry, at, parameters, inputs, 2, ".b16", "{%[a]}", ([a] "=h"(v.a)), ([a] "h"(v.a))) \
  WARPFOLD_SURFACE_SIZE(kind, geometry, at, parameters, inputs, 4, ".b32", "{%[a]}", ([a] "=r"(v.a)), ([a] "r"(v.a))) \
  WARPFOLD_SURFACE_SIZE(kind, geometry, at, parameters, inputs, 8, ".v2.b32", "{%[a], %[b]}",                         \
                        ([a] "=r"(v.a), [b] "=r"(v.b)), ([a] "r"(v.a), [b] "r"(v.b)))                                 \
  WARPFOLD_SURFACE_SIZE(kind, geometry, at, parameters, inputs, 16, ".v4.b32", "{%[a], %[b], %[c], %[d]}",            \
                        ([a] "=r"(v.a), [b] "=r"(v.b), [c] "=r"(v.c), [d] "=r"(v.d)),                                 \
                        ([a] "r"(v.a), [b] "r"(v.b), [c] "r"(v.c), [d] "r"(v.d)))                                     \
  WARPFOLD_SURFACE_HANDLE(kind, (surface<void, cudaSurfaceType##kind>), parameters, arguments)                        \
  WARPFOLD_SURFACE_HANDLE(kind, (cudaSurfaceObject_t), parameters, arguments)

WARPFOLD_SURFACE(1D, "1d", "{%[x]}", (int x), ([x] "r"(x)), (x))
WARPFOLD_SURFACE(2D, "2d", "{%[x], %[y]}", (int x, int y), ([x] "r"(x), [y] "r"(y)), (x, y))
WARPFOLD_SURFACE(3D, "3d", "{%[x], %[y], %[z], %[z]}", (int x, int y, int z), ([x] "r"(x), [y] "r"(y), [z] "r"(z)),
                 (x, y, z))
WARPFOLD_SURFACE(1DLayered, "a1d", "{%[layer], %[x]}", (int x, int layer), ([x] "r"(x), [layer] "r"(layer)), (x, layer))
WARPFOLD_SURFACE(2DLayered, "a2d", "{%[layer], %[x], %[y], %[y]}", (int x, int y, int layer),
                 ([x] "r"(x), [y] "r"(y), [layer] "r"(layer)), (x, y, layer))
// The faces of a cubemap are layers; of several cubemaps, all faces of one after those of the other.
WARPFOLD_SURFACE(Cubemap, "a2d", "{%[face], %[x], %[y], %[y]}", (int x, int y, int face),
                 ([x] "r"(x), [y] "r"(y), [face] "r"(face)), (x, y, face))
WARPFOLD_SURFACE(CubemapLayered, "a2d", "{%[face], %[x], %[y], %[y]}", (int x, int y, int face),
                 ([x] "r"(x), [y] "r"(y), [face] "r"(face)), (x, y, face))
#undef WARPFOLD_SURFACE
#undef WARPFOLD_SURFACE_HANDLE
#undef WARPFOLD_SURFACE_SIZE
#undef WARPFOLD_BY_MODE
#undef WARPFOLD_SURFACE_WRITE
#undef WARPFOLD_SURFACE_READ
#undef WARPFOLD_LIST
