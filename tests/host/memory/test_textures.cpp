// SPDX-License-Identifier: Apache-2.0
// Texture and surface references and objects, from the runtime's calls to what kernels compiled by warpfold-cc read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/scalar_device.h"
#include "warpfold/host/runtime/context.h"

extern "C" {
void** __cudaRegisterFatBinary(void* data);
void __cudaRegisterFunction(void** handle, const char* host_function, char* device_function, const char* device_name,
                            int, void*, void*, void*, void*, int*);
void __cudaRegisterTexture(void** handle, const textureReference* host_variable, const void**, const char* device_name,
                           int, int, int);
void __cudaRegisterSurface(void** handle, const surfaceReference* host_variable, const void**, const char* device_name,
                           int, int);
}

namespace warpfold::host {
namespace textures_test {

constexpr const char* kSource = R"(
texture<float> line;
texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
texture<short2> pairs;
texture<float, 2> plane;
texture<float, 3> volume;
texture<float, cudaTextureType2DLayered> layers;
texture<int> never_used;
static texture<int> hidden;
surface<void, 2> canvas;
#define K extern "C" __global__ void
K get_line(float* out, int from) { out[threadIdx.x] = tex1Dfetch(line, from + (int)threadIdx.x); }
K get_colours(float4* out) { out[threadIdx.x] = tex1Dfetch(colours, threadIdx.x); }
K get_pairs(short2* out) { out[threadIdx.x] = tex1Dfetch(pairs, threadIdx.x); }
K get_hidden(int* out) { out[threadIdx.x] = tex1Dfetch(hidden, threadIdx.x); }
K get_plane(float* out, const float2* at) { out[threadIdx.x] = tex2D(plane, at[threadIdx.x].x, at[threadIdx.x].y); }
K get_volume(float* out, float x, float y, float z) { *out = tex3D(volume, x, y, z); }
K get_layers(float* out, float x, float y, int layer) { *out = tex2DLayered(layers, x, y, layer); }
K get_object(float* out, cudaTextureObject_t t, const float2* at) {
  out[threadIdx.x] = tex2D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y);
}
K get_cubes(float* out, cudaTextureObject_t cube, cudaTextureObject_t cubes, float x, float y, float z) {
  out[0] = texCubemap<float>(cube, x, y, z);
  out[1] = texCubemapLod<float>(cube, -x, y, z, 1);
  texCubemapLayered(&out[2], cubes, x, y, -z, 1);
  out[3] = texCubemapLayeredLod<float>(cubes, x, -y, z, 0, 2);
}
K get_around(float4* out, cudaTextureObject_t plane, float x, float y) {
  out[0] = tex2Dgather<float4>(plane, x, y);
  tex2Dgather(&out[1], plane, x, y, 3);
  out[2].x = tex2DGrad<float>(plane, x, y, make_float2(9, 9), make_float2(9, 9));
}
K paint_face(cudaSurfaceObject_t cube, int face) { surfCubemapwrite(5.0f, cube, 4, 0, face); }
K get_bytes(uchar2* out, cudaTextureObject_t t) { tex1Dfetch(&out[threadIdx.x], t, (int)threadIdx.x); }
K draw() { surf2Dwrite(make_int2(threadIdx.x, 7), canvas, threadIdx.x * 8, 1); }
K copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  short4 v;
  surf2Dread(&v, from, threadIdx.x * 8, 1, cudaBoundaryModeClamp);
  surf2Dwrite(v, to, threadIdx.x * 8, 2, cudaBoundaryModeZero);
}
)";

struct Program {
  textureReference line{}, colours{}, pairs{}, plane{}, volume{}, layers{}, never_used{}, hidden{};
  surfaceReference canvas{};
  std::string ptx = ptx_of(kSource);
  std::map<std::string, char> kernels;
  struct {
    int magic = 0x466243b1, version = 1;
    const char* ptx = nullptr;
    void* unused = nullptr;
  } wrapper;

  Program() {
    wrapper.ptx = ptx.c_str();
    void** handle = __cudaRegisterFatBinary(&wrapper);
    for (const char* name :
         {"get_line", "get_colours", "get_pairs", "get_hidden", "get_plane", "get_volume", "get_layers", "get_object",
          "get_bytes", "draw", "copy", "get_cubes", "get_around", "paint_face"}) {
      __cudaRegisterFunction(handle, &kernels[name], nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    }
    const auto texture = [&](textureReference& reference, const char* name, int fractions) {
      reference.addressMode[0] = reference.addressMode[1] = reference.addressMode[2] = cudaAddressModeClamp;
      __cudaRegisterTexture(handle, &reference, nullptr, name, 1, fractions, 0);
    };
    texture(line, "line", 0);
    texture(colours, "colours", 1);
    texture(pairs, "pairs", 0);
    texture(plane, "plane", 0);
    texture(volume, "volume", 0);
    texture(layers, "layers", 0);
    texture(never_used, "never_used", 0);
    texture(hidden, "_ZL6hidden", 0);
    __cudaRegisterSurface(handle, &canvas, nullptr, "canvas", 2, 0);
  }
};

Program& program() {
  static auto* const made = new Program;
  return *made;
}

class Textures : public ::testing::Test {
 protected:
  Textures() {
    program();
    cudaGetLastError();
  }
  template <class... Arguments>
  cudaError_t result_of(const char* kernel, unsigned threads, Arguments... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    return cudaLaunchKernel(&program().kernels.at(kernel), dim3(1), dim3(threads), pointers, 0, nullptr);
  }
  template <class... Arguments>
  void launch(const char* kernel, unsigned threads, Arguments... arguments) {
    const unsigned before = runtime_device().launches();
    ASSERT_EQ(result_of(kernel, threads, arguments...), cudaSuccess);
    EXPECT_EQ(runtime_device().launches(), before + 1);
  }
  template <class T>
  T* upload(const std::vector<T>& values) {
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, values.size() * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    return static_cast<T*>(p);
  }
  template <class T>
  std::vector<T> download(const T* p, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  // Texel (x, y, z) is x + 100 y + 10000 z.
  cudaArray_t array_of(cudaExtent extent, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    EXPECT_EQ(cudaMalloc3DArray(&array, &format, extent, flags), cudaSuccess);
    std::vector<float> values;
    for (std::size_t i = 0; i < extent.width * extent.height * std::max<std::size_t>(extent.depth, 1); ++i) {
      const std::size_t row = i / extent.width;
      const std::size_t value = i % extent.width + 100 * (row % extent.height) + 10000 * (row / extent.height);
      values.push_back(static_cast<float>(value));
    }
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(values.data(), extent.width * 4, extent.width, extent.height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, extent.height, std::max<std::size_t>(extent.depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    return array;
  }
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
};

TEST_F(Textures, LinearMemoryAndNothingBesideIt) {
  std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  float* const p = upload(values);
  float* const out = upload(std::vector<float>(12, -1));
  std::size_t offset = 9;
  ASSERT_EQ(cudaBindTexture(&offset, &program().line, p, &floats, 24), cudaSuccess);
  EXPECT_EQ(offset, 0u);
  launch("get_line", 12, out, -2);
  EXPECT_EQ(download(out, 12), (std::vector<float>{0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 0}));
  ASSERT_EQ(cudaBindTexture(nullptr, &program().line, p, &floats), cudaSuccess) << "to the allocation's end";
  launch("get_line", 12, out, 0);
  EXPECT_EQ(download(out, 12), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0}));
  ASSERT_EQ(cudaBindTexture(&offset, &program().line, p + 3, &floats, 8), cudaSuccess);
  EXPECT_EQ(offset, 12u) << "bytes from where the texture begins";
  launch("get_line", 12, out, 3);
  EXPECT_EQ(download(out, 4), (std::vector<float>{4, 5, 0, 0}));
  ASSERT_EQ(cudaGetTextureAlignmentOffset(&offset, &program().line), cudaSuccess);
  EXPECT_EQ(offset, 12u);
}

TEST_F(Textures, TypesAndReadModes) {
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>(), shorts = cudaCreateChannelDesc<short2>(),
                              words = cudaCreateChannelDesc<int>();
  ASSERT_EQ(cudaBindTexture(nullptr, &program().colours, upload<uchar4>({{255, 0, 51, 1}, {2, 3, 4, 5}}), &bytes, 8),
            cudaSuccess);
  float4* const four = upload(std::vector<float4>(2));
  launch("get_colours", 2, four);
  const std::vector<float4> got = download(four, 2);
  EXPECT_EQ(got[0].x, 1);
  EXPECT_EQ(got[0].z, 51 / 255.0F);
  EXPECT_EQ(got[1].w, 5 / 255.0F);
  ASSERT_EQ(cudaBindTexture(nullptr, &program().pairs, upload<short2>({{-1, 32767}, {-32768, 5}}), &shorts, 8),
            cudaSuccess);
  short2* const pairs = upload(std::vector<short2>(2));
  launch("get_pairs", 2, pairs);
  EXPECT_EQ(download(pairs, 2)[0].x, -1);
  EXPECT_EQ(download(pairs, 2)[0].y, 32767);
  EXPECT_EQ(download(pairs, 2)[1].x, -32768);
  ASSERT_EQ(cudaBindTexture(nullptr, &program().hidden, upload<int>({-5, 6}), &words, 8), cudaSuccess);
  int* const ints = upload(std::vector<int>(2));
  launch("get_hidden", 2, ints);
  EXPECT_EQ(download(ints, 2), (std::vector<int>{-5, 6}));
}

TEST_F(Textures, ArraysPointByPointAndFiltered) {
  const cudaArray_t array = array_of({8, 4, 0});
  textureReference& plane = program().plane;
  float2* const at = upload<float2>({{0.5F, 0.5F}, {3.5F, 2.5F}, {4, 2}, {-1, 9}, {7.75F, 0.5F}});
  float* const out = upload(std::vector<float>(5));
  plane.filterMode = cudaFilterModePoint;
  ASSERT_EQ(cudaBindTextureToArray(&plane, array, &floats), cudaSuccess);
  launch("get_plane", 5, out, at);
  EXPECT_EQ(download(out, 5), (std::vector<float>{0, 203, 204, 300, 7}));
  plane.filterMode = cudaFilterModeLinear;
  launch("get_plane", 5, out, at);
  EXPECT_EQ(download(out, 5)[2], 204) << "a reference is read when something is bound to it";
  ASSERT_EQ(cudaBindTextureToArray(&plane, array, &floats), cudaSuccess);
  launch("get_plane", 5, out, at);
  EXPECT_EQ(download(out, 5), (std::vector<float>{0, 203, 153.5F, 300, 7}));
  plane.normalized = 1;
  plane.addressMode[0] = cudaAddressModeWrap;
  plane.addressMode[1] = cudaAddressModeBorder;
  ASSERT_EQ(cudaBindTextureToArray(&plane, array, &floats), cudaSuccess);
  launch("get_plane", 2, out, upload<float2>({{1.0F, 0.125F}, {0.0625F, 1.0F}}));
  EXPECT_EQ(download(out, 2), (std::vector<float>{3.5F, 150})) << "the last texel and the first; half the border";
}

TEST_F(Textures, VolumesAndLayers) {
  float* const out = upload(std::vector<float>(1));
  program().volume.filterMode = program().layers.filterMode = cudaFilterModeLinear;
  ASSERT_EQ(cudaBindTextureToArray(&program().volume, array_of({4, 4, 4}), &floats), cudaSuccess);
  launch("get_volume", 1, out, 1.0F, 2.0F, 3.0F);
  EXPECT_EQ(download(out, 1)[0], 0.5F + 150 + 25000);
  ASSERT_EQ(cudaBindTextureToArray(&program().layers, array_of({4, 4, 3}, cudaArrayLayered), &floats), cudaSuccess);
  launch("get_layers", 1, out, 1.0F, 2.0F, 2);
  EXPECT_EQ(download(out, 1)[0], 0.5F + 150 + 20000);
}

TEST_F(Textures, CubemapsAndGathers) {
  const auto object_of = [](cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc reading{};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t object = 0;
    EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &reading, nullptr), cudaSuccess);
    reading.seamlessCubemap = 1;
    cudaTextureObject_t none = 0;
    EXPECT_EQ(cudaCreateTextureObject(&none, &resource, &reading, nullptr), cudaErrorNotSupported);
    return object;
  };
  cudaArray_t one = array_of({4, 4, 6}, cudaArrayCubemap | cudaArraySurfaceLoadStore);
  const cudaTextureObject_t cube = object_of(one);
  const cudaTextureObject_t cubes = object_of(array_of({4, 4, 12}, cudaArrayCubemap | cudaArrayLayered));
  float* const out = upload(std::vector<float>(4));
  launch("get_cubes", 1, out, cube, cubes, 0.25F, 0.75F, 2.0F);
  // On +z: s = 0.125, t = -0.375, so texel (2, 1); and so on.
  EXPECT_EQ(download(out, 4), (std::vector<float>{102 + 40000, 101 + 40000, 101 + 110000, 202 + 40000}));
  cudaResourceDesc resource{};
  resource.res.array.array = one;
  cudaSurfaceObject_t surface = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  launch("paint_face", 1, surface, 3);
  const float from = -1.0F / 4;
  launch("get_cubes", 1, out, cube, cubes, from, -1.0F, 0.75F);  // on -y: s = -1/4, t = -3/4, texel (1, 0)
  EXPECT_EQ(download(out, 1)[0], 5);

  const cudaTextureObject_t plane = object_of(array_of({4, 4, 0}));
  float4* const around = upload(std::vector<float4>(3));
  launch("get_around", 1, around, plane, 1.75F, 2.25F);
  const std::vector<float4> got = download(around, 3);
  EXPECT_EQ((std::vector<float>{got[0].x, got[0].y, got[0].z, got[0].w}), (std::vector<float>{201, 202, 102, 101}));
  EXPECT_EQ((std::vector<float>{got[1].x, got[1].y, got[1].z, got[1].w}), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_EQ(got[2].x, 201);
}

TEST_F(Textures, PitchedMemoryByReferenceAndByObject) {
  void* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 12, 2), cudaSuccess);
  const float rows[] = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(cudaMemcpy2D(p, pitch, rows, 12, 12, 2, cudaMemcpyHostToDevice), cudaSuccess);
  float2* const at = upload<float2>({{2.5F, 1.5F}, {0.5F, 0.5F}, {9, 9}});
  float* const out = upload(std::vector<float>(3));
  textureReference& plane = program().plane;
  plane.filterMode = cudaFilterModePoint;
  plane.normalized = 0;
  plane.addressMode[0] = plane.addressMode[1] = cudaAddressModeClamp;
  ASSERT_EQ(cudaBindTexture2D(nullptr, &plane, p, &floats, 3, 2, pitch), cudaSuccess);
  launch("get_plane", 3, out, at);
  EXPECT_EQ(download(out, 3), (std::vector<float>{6, 1, 6}));
  EXPECT_EQ(cudaBindTexture2D(nullptr, &plane, p, &floats, 3, 3, pitch), cudaErrorInvalidValue);
  EXPECT_EQ(cudaBindTexture2D(nullptr, &plane, p, &floats, 3, 2, 12), cudaErrorInvalidPitchValue);

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {p, floats, 3, 2, pitch};
  cudaTextureDesc desc{};
  desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeBorder;
  desc.borderColor[0] = 42;
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &desc, nullptr), cudaSuccess);
  launch("get_object", 3, out, object, at);
  EXPECT_EQ(download(out, 3), (std::vector<float>{6, 1, 42}));
  cudaTextureDesc told{};
  ASSERT_EQ(cudaGetTextureObjectTextureDesc(&told, object), cudaSuccess);
  EXPECT_EQ(told.borderColor[0], 42);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetTextureObjectTextureDesc(&told, object), cudaErrorInvalidValue);
}

TEST_F(Textures, ObjectsOverLinearMemory) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {upload<uchar2>({{1, 2}, {3, 4}, {5, 6}}), cudaCreateChannelDesc<uchar2>(), 4};
  const cudaTextureDesc desc{};
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &desc, nullptr), cudaSuccess);
  uchar2* const out = upload(std::vector<uchar2>(3, {9, 9}));
  launch("get_bytes", 3, out, object);
  const std::vector<uchar2> got = download(out, 3);
  EXPECT_EQ(got[0].x, 1);
  EXPECT_EQ(got[1].y, 4);
  EXPECT_EQ(got[2].x + got[2].y, 0) << "beyond the four bytes";
  cudaResourceDesc told{};
  ASSERT_EQ(cudaGetTextureObjectResourceDesc(&told, object), cudaSuccess);
  EXPECT_EQ(told.res.linear.sizeInBytes, 4u);
}

TEST_F(Textures, Surfaces) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int2>();
  cudaArray_t a = nullptr, b = nullptr, plain = nullptr;
  ASSERT_EQ(cudaMallocArray(&a, &format, 4, 4, cudaArraySurfaceLoadStore), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&b, &format, 3, 4, cudaArraySurfaceLoadStore), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&plain, &format, 4, 4, 0), cudaSuccess);
  ASSERT_EQ(cudaBindSurfaceToArray(&program().canvas, a, &format), cudaSuccess);
  EXPECT_EQ(cudaBindSurfaceToArray(&program().canvas, plain, &format), cudaErrorInvalidValue);
  surfaceReference unknown{};
  EXPECT_EQ(cudaBindSurfaceToArray(&unknown, a, &format), cudaErrorInvalidSurface);
  launch("draw", 4);
  cudaSurfaceObject_t from = 0, to = 0, none = 0;
  cudaResourceDesc resource{};
  resource.res.array.array = a;
  ASSERT_EQ(cudaCreateSurfaceObject(&from, &resource), cudaSuccess);
  resource.res.array.array = b;
  ASSERT_EQ(cudaCreateSurfaceObject(&to, &resource), cudaSuccess);
  resource.res.array.array = plain;
  EXPECT_EQ(cudaCreateSurfaceObject(&none, &resource), cudaErrorInvalidValue);
  launch("copy", 6, from, to);  // two read the last texel once more, three write nothing
  std::vector<int2> row(3);
  ASSERT_EQ(cudaMemcpyFromArray(row.data(), b, 0, 2, 24, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int x = 0; x < 3; ++x) {
    EXPECT_EQ(row[static_cast<unsigned>(x)].x, x);
    EXPECT_EQ(row[static_cast<unsigned>(x)].y, 7);
  }
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(&resource, to), cudaSuccess);
  EXPECT_EQ(resource.res.array.array, b);
  EXPECT_EQ(cudaDestroySurfaceObject(to), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(to), cudaErrorInvalidValue);
}

TEST_F(Textures, ReferencesByNameOrVariable) {
  const textureReference* found = nullptr;
  ASSERT_EQ(cudaGetTextureReference(&found, &program().line), cudaSuccess);
  EXPECT_EQ(found, &program().line);
  ASSERT_EQ(cudaGetTextureReference(&found, "hidden"), cudaSuccess);
  EXPECT_EQ(found, &program().hidden);
  EXPECT_EQ(cudaGetTextureReference(&found, "nobody"), cudaErrorInvalidTexture);
  const surfaceReference* surface = nullptr;
  ASSERT_EQ(cudaGetSurfaceReference(&surface, "canvas"), cudaSuccess);
  EXPECT_EQ(surface, &program().canvas);
  EXPECT_EQ(cudaGetSurfaceReference(&surface, "line"), cudaErrorInvalidSurface);
}

TEST_F(Textures, MisuseIsRefused) {
  Program& p = program();
  float* const memory = upload(std::vector<float>(64));
  const cudaChannelFormatDesc words = cudaCreateChannelDesc<int>(), none{};
  textureReference unknown{};
  EXPECT_EQ(cudaBindTexture(nullptr, &unknown, memory, &floats, 4), cudaErrorInvalidTexture);
  EXPECT_EQ(cudaUnbindTexture(&unknown), cudaErrorInvalidTexture);
  EXPECT_EQ(cudaBindTexture(nullptr, &p.line, memory, &none, 4), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaBindTexture(nullptr, &p.line, memory, nullptr, 4), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaBindTexture(nullptr, &p.line, memory, &floats, 260), cudaErrorInvalidValue) << "too long";
  EXPECT_EQ(cudaBindTexture(nullptr, &p.line, memory, &floats, 2), cudaErrorInvalidValue) << "not one texel";
  EXPECT_EQ(cudaBindTexture(nullptr, &p.line, memory + 1, &floats, 4), cudaErrorInvalidValue) << "an offset";
  EXPECT_EQ(cudaBindTexture(nullptr, &p.colours, memory, &words, 4), cudaErrorInvalidNormSetting);
  EXPECT_EQ(cudaBindTexture(nullptr, &p.never_used, memory, &words, 4), cudaSuccess);
  cudaArray_t ints = nullptr;
  ASSERT_EQ(cudaMallocArray(&ints, &words, 4, 4, 0), cudaSuccess);
  EXPECT_EQ(cudaBindTextureToArray(&p.line, ints, &floats), cudaErrorInvalidChannelDescriptor);
  p.pairs.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(cudaBindTextureToArray(&p.pairs, ints, &words), cudaErrorInvalidFilterSetting);
  cudaFreeArray(ints);
  EXPECT_EQ(cudaBindTextureToArray(&p.pairs, ints, &words), cudaErrorInvalidValue) << "freed";
  ASSERT_EQ(cudaUnbindTexture(&p.line), cudaSuccess);
  std::size_t offset = 0;
  EXPECT_EQ(cudaGetTextureAlignmentOffset(&offset, &p.line), cudaErrorInvalidTextureBinding);

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {memory + 1, floats, 4};
  cudaTextureDesc desc{};
  cudaTextureObject_t object = 0;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &desc, nullptr), cudaErrorInvalidValue) << "misaligned";
  cudaResourceDesc rows{};
  rows.resType = cudaResourceTypePitch2D;
  rows.res.pitch2D = {memory, floats, 4, 3, std::size_t{1} << 63};  // twice as much is nothing
  EXPECT_EQ(cudaCreateTextureObject(&object, &rows, &desc, nullptr), cudaErrorInvalidValue);
  resource.res.linear.devPtr = memory;
  desc.sRGB = 1;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &desc, nullptr), cudaErrorNotSupported);
  desc.sRGB = 0;
  resource.resType = cudaResourceTypeMipmappedArray;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &desc, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaCreateTextureObject(nullptr, &resource, &desc, nullptr), cudaErrorInvalidValue);
}

TEST_F(Textures, AFetchFromNothingIsAFaultWithOneLine) {
  float* const out = upload(std::vector<float>(4));
  cudaUnbindTexture(&program().line);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(result_of("get_line", 4, out, 0), cudaErrorIllegalAddress);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::MatchesRegex("warpfold: error: kernel 'get_line': [^\n]*: tex.1d.v4.f32.s32: thread "
                                      "\\(0,0,0\\) of block \\(0,0,0\\) fetches through texture 'line', which is "
                                      "bound to nothing \\(cudaErrorIllegalAddress, [^\n]*\\)\n"));
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

}  // namespace textures_test
}  // namespace warpfold::host
