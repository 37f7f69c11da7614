// SPDX-License-Identifier: Apache-2.0
// Texture references, how programs bind them, and the functions by which kernels fetch from references and objects.
#pragma once

// clang gives such a variable a .texref of its name in device code, and registers it with the runtime.
template <class T, int kind = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  constexpr texture(int normalized_coordinates = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                    cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference{
            normalized_coordinates, filter, {address, address, address}, {}, 0, 0, cudaFilterModePoint, 0, 0, 0} {}
  constexpr texture(int normalized_coordinates, cudaTextureFilterMode filter, cudaTextureAddressMode address,
                    cudaChannelFormatDesc format)
      : textureReference{
            normalized_coordinates, filter, {address, address, address}, format, 0, 0, cudaFilterModePoint, 0, 0, 0} {}
};

// --- binding ---------------------------------------------------------------------------------------------------------
#define WARPFOLD_ANY_TEXTURE template <class T, int kind, cudaTextureReadMode mode>
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaBindTexture(size_t* offset, const texture<T, kind, mode>& reference,
                                                               const void* pointer, const cudaChannelFormatDesc& format,
                                                               size_t bytes = 0xffffffff) {
  return ::cudaBindTexture(offset, &reference, pointer, &format, bytes);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaBindTexture(size_t* offset, const texture<T, kind, mode>& reference,
                                                               const void* pointer, size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, reference, pointer, cudaCreateChannelDesc<T>(), bytes);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaBindTexture2D(size_t* offset,
                                                                 const texture<T, kind, mode>& reference,
                                                                 const void* pointer,
                                                                 const cudaChannelFormatDesc& format, size_t width,
                                                                 size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, &reference, pointer, &format, width, height, pitch);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaBindTexture2D(size_t* offset,
                                                                 const texture<T, kind, mode>& reference,
                                                                 const void* pointer, size_t width, size_t height,
                                                                 size_t pitch) {
  return cudaBindTexture2D(offset, reference, pointer, cudaCreateChannelDesc<T>(), width, height, pitch);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaBindTextureToArray(const texture<T, kind, mode>& reference,
                                                                      cudaArray_const_t array,
                                                                      const cudaChannelFormatDesc& format) {
  return ::cudaBindTextureToArray(&reference, array, &format);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaBindTextureToArray(const texture<T, kind, mode>& reference,
                                                                      cudaArray_const_t array) {
  cudaChannelFormatDesc format;
  const cudaError_t error = cudaGetChannelDesc(&format, array);
  return error != cudaSuccess ? error : cudaBindTextureToArray(reference, array, format);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaUnbindTexture(const texture<T, kind, mode>& reference) {
  return ::cudaUnbindTexture(&reference);
}
WARPFOLD_ANY_TEXTURE static inline cudaError_t cudaGetTextureAlignmentOffset(size_t* offset,
                                                                             const texture<T, kind, mode>& reference) {
  return ::cudaGetTextureAlignmentOffset(offset, &reference);
}
#undef WARPFOLD_ANY_TEXTURE

// --- texels ----------------------------------------------------------------------------------------------------------
// Four: what a fetch of such texels gives; Float: the same number of components where it gives fractions.
template <class T>
struct __warpfold_texel;

#define WARPFOLD_TEXEL(type, four, fraction, make)                      \
  template <>                                                           \
  struct __warpfold_texel<type> {                                       \
    typedef four Four;                                                  \
    typedef fraction Float;                                             \
    static __device__ __forceinline__ type cut(const four& v) { make; } \
  };
#define WARPFOLD_TEXELS(base, vector, four)                                                                        \
  WARPFOLD_TEXEL(base, four, float, return static_cast<base>(v.x))                                                 \
  WARPFOLD_TEXEL(vector##1, four, float1, vector##1 r; r.x = static_cast<base>(v.x); return r)                     \
  WARPFOLD_TEXEL(vector##2, four, float2, vector##2 r; r.x = static_cast<base>(v.x); r.y = static_cast<base>(v.y); \
                 return r)                                                                                         \
  WARPFOLD_TEXEL(vector##4, four, float4, vector##4 r; r.x = static_cast<base>(v.x); r.y = static_cast<base>(v.y); \
                 r.z = static_cast<base>(v.z); r.w = static_cast<base>(v.w); return r)
WARPFOLD_TEXEL(char, int4, float, return static_cast<char>(v.x))
WARPFOLD_TEXELS(signed char, char, int4)
WARPFOLD_TEXELS(unsigned char, uchar, uint4)
WARPFOLD_TEXELS(short, short, int4)
WARPFOLD_TEXELS(unsigned short, ushort, uint4)
WARPFOLD_TEXELS(int, int, int4)
WARPFOLD_TEXELS(unsigned int, uint, uint4)
WARPFOLD_TEXELS(float, float, float4)
#undef WARPFOLD_TEXELS
#undef WARPFOLD_TEXEL

// --- fetches ---------------------------------------------------------------------------------------------------------
#define WARPFOLD_LIST(...) __VA_ARGS__
// The instruction, for each type of result; `at` names the coordinates by their places among the operands.
#define WARPFOLD_FETCH(function, four, constraint, opcode, at, parameters, inputs)                                 \
  template <class Handle>                                                                                          \
  static __device__ __forceinline__ void __warpfold_##function(four& v, Handle handle, WARPFOLD_LIST parameters) { \
    asm(opcode " {%0, %1, %2, %3}, [%4, " at ";"                                                                   \
        : "=" constraint(v.x), "=" constraint(v.y), "=" constraint(v.z), "=" constraint(v.w)                       \
        : "l"(handle), WARPFOLD_LIST inputs);                                                                      \
  }
#define WARPFOLD_FETCHES(function, kind, opcode, type, at, parameters, inputs, arguments)                        \
  WARPFOLD_FETCH(function, int4, "r", opcode ".s32." type, at, parameters, inputs)                               \
  WARPFOLD_FETCH(function, uint4, "r", opcode ".u32." type, at, parameters, inputs)                              \
  WARPFOLD_FETCH(function, float4, "f", opcode ".f32." type, at, parameters, inputs)                             \
  template <class T>                                                                                             \
  static __device__ __forceinline__ T function(texture<T, kind, cudaReadModeElementType> reference,              \
                                               WARPFOLD_LIST parameters) {                                       \
    typename __warpfold_texel<T>::Four v;                                                                        \
    __warpfold_##function(v, reference, WARPFOLD_LIST arguments);                                                \
    return __warpfold_texel<T>::cut(v);                                                                          \
  }                                                                                                              \
  template <class T>                                                                                             \
  static __device__ __forceinline__ typename __warpfold_texel<T>::Float function(                                \
      texture<T, kind, cudaReadModeNormalizedFloat> reference, WARPFOLD_LIST parameters) {                       \
    float4 v;                                                                                                    \
    __warpfold_##function(v, reference, WARPFOLD_LIST arguments);                                                \
    return __warpfold_texel<typename __warpfold_texel<T>::Float>::cut(v);                                        \
  }                                                                                                              \
  template <class T>                                                                                             \
  static __device__ __forceinline__ T function(cudaTextureObject_t object, WARPFOLD_LIST parameters) {           \
    typename __warpfold_texel<T>::Four v;                                                                        \
    __warpfold_##function(v, object, WARPFOLD_LIST arguments);                                                   \
    return __warpfold_texel<T>::cut(v);                                                                          \
  }                                                                                                              \
  template <class T>                                                                                             \
  static __device__ __forceinline__ void function(T* to, cudaTextureObject_t object, WARPFOLD_LIST parameters) { \
    *to = function<T>(object, WARPFOLD_LIST arguments);                                                          \
  }

WARPFOLD_FETCHES(tex1Dfetch, cudaTextureType1D, "tex.1d.v4", "s32", "{%5}]", (int x), ("r"(x)), (x))
WARPFOLD_FETCHES(tex1D, cudaTextureType1D, "tex.1d.v4", "f32", "{%5}]", (float x), ("f"(x)), (x))
WARPFOLD_FETCHES(tex2D, cudaTextureType2D, "tex.2d.v4", "f32", "{%5, %6}]", (float x, float y), ("f"(x), "f"(y)),
                 (x, y))
WARPFOLD_FETCHES(tex3D, cudaTextureType3D, "tex.3d.v4", "f32", "{%5, %6, %7, %7}]", (float x, float y, float z),
                 ("f"(x), "f"(y), "f"(z)), (x, y, z))
WARPFOLD_FETCHES(tex1DLayered, cudaTextureType1DLayered, "tex.a1d.v4", "f32", "{%5, %6}]", (float x, int layer),
                 ("r"(layer), "f"(x)), (x, layer))
WARPFOLD_FETCHES(tex2DLayered, cudaTextureType2DLayered, "tex.a2d.v4", "f32", "{%5, %6, %7, %7}]",
                 (float x, float y, int layer), ("r"(layer), "f"(x), "f"(y)), (x, y, layer))
WARPFOLD_FETCHES(tex1DLod, cudaTextureType1D, "tex.level.1d.v4", "f32", "{%5}], %6", (float x, float level),
                 ("f"(x), "f"(level)), (x, level))
WARPFOLD_FETCHES(tex2DLod, cudaTextureType2D, "tex.level.2d.v4", "f32", "{%5, %6}], %7",
                 (float x, float y, float level), ("f"(x), "f"(y), "f"(level)), (x, y, level))
WARPFOLD_FETCHES(tex3DLod, cudaTextureType3D, "tex.level.3d.v4", "f32", "{%5, %6, %7, %7}], %8",
                 (float x, float y, float z, float level), ("f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, level))
WARPFOLD_FETCHES(tex1DLayeredLod, cudaTextureType1DLayered, "tex.level.a1d.v4", "f32", "{%5, %6}], %7",
                 (float x, int layer, float level), ("r"(layer), "f"(x), "f"(level)), (x, layer, level))
WARPFOLD_FETCHES(tex2DLayeredLod, cudaTextureType2DLayered, "tex.level.a2d.v4", "f32", "{%5, %6, %7, %7}], %8",
                 (float x, float y, int layer, float level), ("r"(layer), "f"(x), "f"(y), "f"(level)),
                 (x, y, layer, level))
WARPFOLD_FETCHES(tex1DGrad, cudaTextureType1D, "tex.grad.1d.v4", "f32", "{%5}], {%6}, {%7}",
                 (float x, float dx, float dy), ("f"(x), "f"(dx), "f"(dy)), (x, dx, dy))
WARPFOLD_FETCHES(tex2DGrad, cudaTextureType2D, "tex.grad.2d.v4", "f32", "{%5, %6}], {%7, %8}, {%9, %10}",
                 (float x, float y, float2 dx, float2 dy), ("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)),
                 (x, y, dx, dy))
WARPFOLD_FETCHES(tex3DGrad, cudaTextureType3D, "tex.grad.3d.v4", "f32",
                 "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
                 (float x, float y, float z, float4 dx, float4 dy),
                 ("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)),
                 (x, y, z, dx, dy))
WARPFOLD_FETCHES(texCubemap, cudaTextureTypeCubemap, "tex.cube.v4", "f32", "{%5, %6, %7, %7}]",
                 (float x, float y, float z), ("f"(x), "f"(y), "f"(z)), (x, y, z))
WARPFOLD_FETCHES(texCubemapLayered, cudaTextureTypeCubemapLayered, "tex.acube.v4", "f32", "{%5, %6, %7, %8}]",
                 (float x, float y, float z, int layer), ("r"(layer), "f"(x), "f"(y), "f"(z)), (x, y, z, layer))
WARPFOLD_FETCHES(texCubemapLod, cudaTextureTypeCubemap, "tex.level.cube.v4", "f32", "{%5, %6, %7, %7}], %8",
                 (float x, float y, float z, float level), ("f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, level))
WARPFOLD_FETCHES(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, "tex.level.acube.v4", "f32",
                 "{%5, %6, %7, %8}], %9", (float x, float y, float z, int layer, float level),
                 ("r"(layer), "f"(x), "f"(y), "f"(z), "f"(level)), (x, y, z, layer, level))

// One component of the four texels around a place.
#define WARPFOLD_GATHER(component)                                                                                    \
  WARPFOLD_FETCHES(__warpfold_gather_##component, cudaTextureType2D, "tld4." #component ".2d.v4", "f32", "{%5, %6}]", \
                   (float x, float y), ("f"(x), "f"(y)), (x, y))
WARPFOLD_GATHER(r)
WARPFOLD_GATHER(g)
WARPFOLD_GATHER(b)
WARPFOLD_GATHER(a)
#undef WARPFOLD_GATHER
template <class T>
static __device__ __forceinline__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  switch (component) {
    case 1:
      return __warpfold_gather_g<T>(object, x, y);
    case 2:
      return __warpfold_gather_b<T>(object, x, y);
    case 3:
      return __warpfold_gather_a<T>(object, x, y);
    default:
      return __warpfold_gather_r<T>(object, x, y);
  }
}
template <class T>
static __device__ __forceinline__ void tex2Dgather(T* to, cudaTextureObject_t object, float x, float y,
                                                   int component = 0) {
  *to = tex2Dgather<T>(object, x, y, component);
}
#undef WARPFOLD_FETCHES
#undef WARPFOLD_FETCH
#undef WARPFOLD_LIST
