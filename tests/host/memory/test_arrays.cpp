// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: what can be made, what is said of what was made, and what is refused.
#include <gtest/gtest.h>

#include "tests/host/scalar_device.h"
#include "warpfold/host/runtime/context.h"

namespace warpfold::host {
namespace arrays_test {

const cudaChannelFormatDesc kFloat = cudaCreateChannelDesc<float>();

TEST(Arrays, FormatsOfAllTypes) {
  const auto expect = [](const cudaChannelFormatDesc& d, int x, int y, int z, int w, cudaChannelFormatKind f) {
    EXPECT_TRUE(same_format(d, {x, y, z, w, f})) << d.x << d.y << d.z << d.w << d.f;
    EXPECT_TRUE(is_texel_format(d));
  };
  expect(cudaCreateChannelDesc<char>(), 8, 0, 0, 0, cudaChannelFormatKindSigned);
  expect(cudaCreateChannelDesc<uchar4>(), 8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  expect(cudaCreateChannelDesc<short2>(), 16, 16, 0, 0, cudaChannelFormatKindSigned);
  expect(cudaCreateChannelDesc<unsigned short>(), 16, 0, 0, 0, cudaChannelFormatKindUnsigned);
  expect(cudaCreateChannelDesc<int1>(), 32, 0, 0, 0, cudaChannelFormatKindSigned);
  expect(cudaCreateChannelDesc<uint2>(), 32, 32, 0, 0, cudaChannelFormatKindUnsigned);
  expect(cudaCreateChannelDesc<float4>(), 32, 32, 32, 32, cudaChannelFormatKindFloat);
  expect(cudaCreateChannelDescHalf2(), 16, 16, 0, 0, cudaChannelFormatKindFloat);
}

TEST(Arrays, OfOneToThreeDimensionsAndLayers) {
  struct Case {
    cudaExtent extent;
    unsigned flags, dimensions, layers;
  };
  for (const Case& c :
       {Case{{10, 0, 0}, 0, 1, 0}, Case{{10, 5, 0}, cudaArraySurfaceLoadStore, 2, 0}, Case{{10, 5, 3}, 0, 3, 0},
        Case{{10, 0, 3}, cudaArrayLayered, 1, 3}, Case{{10, 5, 3}, cudaArrayLayered, 2, 3},
        Case{{10, 10, 6}, cudaArrayCubemap, 2, 6}, Case{{10, 10, 12}, cudaArrayCubemap | cudaArrayLayered, 2, 12}}) {
    cudaArray_t array = nullptr;
    ASSERT_EQ(cudaMalloc3DArray(&array, &kFloat, c.extent, c.flags), cudaSuccess);
    cudaChannelFormatDesc format;
    cudaExtent extent;
    unsigned flags = 99;
    ASSERT_EQ(cudaArrayGetInfo(&format, &extent, &flags, array), cudaSuccess);
    EXPECT_TRUE(same_format(format, kFloat));
    EXPECT_EQ(extent.width, c.extent.width);
    EXPECT_EQ(extent.height, c.extent.height);
    EXPECT_EQ(extent.depth, c.extent.depth);
    EXPECT_EQ(flags, c.flags);
    EXPECT_EQ(array->image.dimensions, c.dimensions);
    EXPECT_EQ(array->image.layers, c.layers);
    EXPECT_EQ(array->image.cube, (c.flags & cudaArrayCubemap) != 0);
    EXPECT_EQ(array->image.row_bytes, 64u) << "40 bytes in whole units of 64";
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  }
}

TEST(Arrays, LieInDeviceMemoryAndGiveItBack) {
  std::size_t before = 0, during = 0, after = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &kFloat, 1000, 1000), cudaSuccess);
  cudaMemGetInfo(&during, &total);
  EXPECT_GE(before - during, 4000000u);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  cudaMemGetInfo(&after, &total);
  EXPECT_EQ(after, before);
  EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidValue) << "twice";
  EXPECT_EQ(cudaFreeArray(nullptr), cudaSuccess);
  EXPECT_EQ(cudaGetChannelDesc(nullptr, array), cudaErrorInvalidValue);
  EXPECT_EQ(cudaArrayGetInfo(nullptr, nullptr, nullptr, array), cudaErrorInvalidValue);
}

TEST(Arrays, WhatIsRefused) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc three{32, 32, 32, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc uneven{32, 16, 0, 0, cudaChannelFormatKindFloat};
  const cudaChannelFormatDesc none{0, 0, 0, 0, cudaChannelFormatKindNone};
  const cudaChannelFormatDesc small_float{8, 0, 0, 0, cudaChannelFormatKindFloat};
  for (const auto& format : {three, uneven, none, small_float}) {
    EXPECT_EQ(cudaMallocArray(&array, &format, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
  }
  EXPECT_EQ(cudaMallocArray(&array, &kFloat, 0, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(&array, &kFloat, 131073, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(&array, nullptr, 4, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(nullptr, &kFloat, 4, 4, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &kFloat, {4, 0, 4}, 0), cudaErrorInvalidValue) << "depth without height";
  EXPECT_EQ(cudaMalloc3DArray(&array, &kFloat, {4, 4, 0}, cudaArrayLayered), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &kFloat, {4, 5, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &kFloat, {4, 4, 12}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &kFloat, {4, 4, 8}, cudaArrayCubemap | cudaArrayLayered), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocArray(&array, &kFloat, 131072, 65536, 0), cudaErrorMemoryAllocation);
  EXPECT_EQ(array, nullptr);
}

TEST(Arrays, PitchedBoxes) {
  cudaPitchedPtr box{};
  ASSERT_EQ(cudaMalloc3D(&box, make_cudaExtent(100, 7, 3)), cudaSuccess);
  EXPECT_EQ(box.pitch, 512u);
  EXPECT_EQ(box.xsize, 100u);
  EXPECT_EQ(box.ysize, 7u);
  EXPECT_TRUE(runtime_device()
                  .memory()
                  .find(reinterpret_cast<Address>(box.ptr))
                  ->holds(reinterpret_cast<Address>(box.ptr), 512 * 7 * 3));
  EXPECT_EQ(cudaFree(box.ptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc3D(&box, make_cudaExtent(1 << 20, 1 << 10, 10)), cudaErrorMemoryAllocation);
  constexpr std::size_t kHuge = std::size_t{1} << 63;  // products that wrap are no small sizes
  EXPECT_EQ(cudaMalloc3D(&box, make_cudaExtent(512, kHuge, 2)), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc3D(&box, make_cudaExtent(kHuge, 1, 2)), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc3D(&box, make_cudaExtent(SIZE_MAX, 1, 1)), cudaErrorMemoryAllocation);
}

}  // namespace arrays_test
}  // namespace warpfold::host
