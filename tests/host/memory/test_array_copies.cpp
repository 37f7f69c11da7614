// SPDX-License-Identifier: Apache-2.0
// Copies to and from arrays: every byte in its place, and nothing beside it.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/host/scalar_device.h"
#include "warpfold/host/runtime/context.h"

namespace warpfold::host {
namespace array_copies_test {

constexpr std::size_t kWidth = 10, kHeight = 6, kRow = 4 * kWidth;

class ArrayCopies : public ::testing::Test {
 protected:
  ArrayCopies() : data(kWidth * kHeight) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    EXPECT_EQ(cudaMallocArray(&array, &format, kWidth, kHeight, 0), cudaSuccess);
    std::iota(data.begin(), data.end(), 1000);
  }
  ~ArrayCopies() override { cudaFreeArray(array); }
  void fill(const std::vector<int>& values) {
    ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, values.data(), 4 * values.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  std::vector<int> all() {
    std::vector<int> values(kWidth * kHeight);
    EXPECT_EQ(cudaMemcpyFromArray(values.data(), array, 0, 0, 4 * values.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  cudaArray_t array = nullptr;
  std::vector<int> data;
};

TEST_F(ArrayCopies, BytesRunThroughTheRows) {
  fill(data);
  EXPECT_EQ(all(), data);
  const int row_of_memory = *reinterpret_cast<const int*>(runtime_device().memory().host(array->image.begin + 64));
  EXPECT_EQ(row_of_memory, 1010) << "the second row begins at byte 64";
  const std::vector<int> few(13, 7);
  ASSERT_EQ(cudaMemcpyToArray(array, 4 * 8, 2, few.data(), 52, cudaMemcpyHostToDevice), cudaSuccess);
  std::vector<int> expected = data;
  std::fill_n(expected.begin() + 28, 13, 7);
  EXPECT_EQ(all(), expected);
  std::vector<int> part(3);
  ASSERT_EQ(cudaMemcpyFromArray(part.data(), array, 4 * 9, 3, 12, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(part, (std::vector<int>{7, 7, 1041}));
}

TEST_F(ArrayCopies, RowsOfPitchedMemory) {
  fill(data);
  const std::vector<int> source(3 * 16, 5);
  ASSERT_EQ(cudaMemcpy2DToArray(array, 8, 1, source.data(), 64, 12, 3, cudaMemcpyHostToDevice), cudaSuccess);
  std::vector<int> expected = data;
  for (unsigned y = 1; y < 4; ++y) std::fill_n(expected.begin() + 10 * y + 2, 3, 5);
  EXPECT_EQ(all(), expected);

  void* device = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&device, &pitch, kRow, kHeight), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DFromArray(device, pitch, array, 0, 0, kRow, kHeight, cudaMemcpyDeviceToDevice), cudaSuccess);
  std::vector<int> back(kWidth * kHeight);
  ASSERT_EQ(cudaMemcpy2D(back.data(), kRow, device, pitch, kRow, kHeight, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, expected);
  fill(data);
  ASSERT_EQ(cudaMemcpy2DToArrayAsync(array, 0, 0, device, pitch, kRow, kHeight, cudaMemcpyDefault, nullptr),
            cudaSuccess);
  EXPECT_EQ(all(), expected);
  cudaFree(device);
}

TEST_F(ArrayCopies, FromArrayToArray) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t other = nullptr;
  ASSERT_EQ(cudaMallocArray(&other, &format, kWidth, kHeight, 0), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToArray(other, 0, 0, data.data(), 4 * data.size(), cudaMemcpyHostToDevice), cudaSuccess);
  fill(std::vector<int>(kWidth * kHeight, 1));
  ASSERT_EQ(cudaMemcpy2DArrayToArray(array, 4, 2, other, 0, 1, 8, 2, cudaMemcpyDeviceToDevice), cudaSuccess);
  std::vector<int> expected(kWidth * kHeight, 1);
  expected[21] = 1010, expected[22] = 1011, expected[31] = 1020, expected[32] = 1021;
  EXPECT_EQ(all(), expected);
  cudaFreeArray(other);
}

TEST_F(ArrayCopies, BoxesOfThreeDimensions) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
  cudaArray_t volume = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&volume, &format, make_cudaExtent(5, 4, 3), 0), cudaSuccess);
  std::vector<int> values(5 * 4 * 3);
  std::iota(values.begin(), values.end(), 0);
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(values.data(), 20, 5, 4);
  in.dstArray = volume;
  in.extent = make_cudaExtent(5, 4, 3);
  in.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&in), cudaSuccess);

  // Two texels of two rows of two slices, to where pitched memory has room for them.
  cudaPitchedPtr box{};
  ASSERT_EQ(cudaMalloc3D(&box, make_cudaExtent(40, 4, 3)), cudaSuccess);
  ASSERT_EQ(cudaMemset(box.ptr, 0, box.pitch * 12), cudaSuccess);
  cudaMemcpy3DParms out{};
  out.srcArray = volume;
  out.srcPos = make_cudaPos(3, 1, 1);
  out.dstPtr = box;
  out.dstPos = make_cudaPos(8, 2, 1);
  out.extent = make_cudaExtent(2, 2, 2);
  out.kind = cudaMemcpyDeviceToDevice;
  ASSERT_EQ(cudaMemcpy3DAsync(&out, nullptr), cudaSuccess);
  std::vector<int> got(10 * 4 * 3);
  cudaMemcpy3DParms back{};  // no array: the extent counts bytes
  back.srcPtr = box;
  back.dstPtr = make_cudaPitchedPtr(got.data(), 40, 40, 4);
  back.extent = make_cudaExtent(40, 4, 3);
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&back), cudaSuccess);
  std::vector<int> expected(10 * 4 * 3);
  for (unsigned z = 0; z < 2; ++z) {
    for (unsigned y = 0; y < 2; ++y) {
      for (unsigned x = 0; x < 2; ++x) {
        expected[(z + 1) * 40 + (y + 2) * 10 + x + 2] = static_cast<int>((z + 1) * 20 + (y + 1) * 5 + x + 3);
      }
    }
  }
  EXPECT_EQ(got, expected);

  in.dstPos = make_cudaPos(1, 0, 0);
  EXPECT_EQ(cudaMemcpy3D(&in), cudaErrorInvalidValue) << "beyond the array";
  in.dstPos = make_cudaPos(0, 0, 0);
  in.dstPtr = box;
  EXPECT_EQ(cudaMemcpy3D(&in), cudaErrorInvalidValue) << "two targets";
  in.dstArray = array;
  in.dstPtr = {};
  in.kind = cudaMemcpyDeviceToHost;
  in.extent = make_cudaExtent(1, 1, 1);
  EXPECT_EQ(cudaMemcpy3D(&in), cudaErrorInvalidMemcpyDirection);
  cudaFree(box.ptr);
  cudaFreeArray(volume);
}

// Sizes and positions whose products in bytes are beyond 64 bits.
TEST_F(ArrayCopies, BoxesBeyondAllCountingAreRefused) {
  constexpr std::size_t kHuge = std::size_t{1} << 63;
  fill(data);
  char* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
  const auto copy = [&](cudaPitchedPtr from, cudaPos at, cudaExtent extent, cudaArray_t to) {
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = from;
    parameters.dstArray = to;
    if (to == nullptr) parameters.dstPtr = make_cudaPitchedPtr(device, 16, 16, 1);
    parameters.dstPos = at;
    parameters.extent = extent;
    parameters.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3D(&parameters);
  };
  const cudaPitchedPtr rows = make_cudaPitchedPtr(device, 16, 16, 1);
  EXPECT_EQ(copy(rows, {}, make_cudaExtent(4, 3, 1), nullptr), cudaSuccess);
  EXPECT_EQ(copy(make_cudaPitchedPtr(device, kHuge, 16, 3), {}, make_cudaExtent(4, 3, 1), nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(copy(rows, {}, make_cudaExtent(4, 1, kHuge), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(copy(make_cudaPitchedPtr(device, 16, 16, 0), {}, make_cudaExtent(4, 1, 2), nullptr), cudaErrorInvalidValue)
      << "slices on one another";
  EXPECT_EQ(copy(rows, make_cudaPos(0, 0, kHuge), make_cudaExtent(4, 1, 1), nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(copy(rows, {}, make_cudaExtent(kHuge, 1, 1), array), cudaErrorInvalidValue);
  EXPECT_EQ(copy(rows, make_cudaPos(kHuge, 0, 0), make_cudaExtent(1, 1, 1), array), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2D(device, 0, device, 0, 0, kHuge, cudaMemcpyDeviceToDevice), cudaSuccess) << "nothing";
  EXPECT_EQ(all(), data);
  cudaFree(device);
}

TEST_F(ArrayCopies, WhatDoesNotFitIsRefusedAndChangesNothing) {
  fill(data);
  std::vector<int> more(kWidth * kHeight + 1, 9);
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 0, more.data(), 4 * more.size(), cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToArray(array, kRow, 0, more.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 5, more.data(), 44, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 4, 0, more.data(), 64, kRow, 2, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, more.data(), 16, kRow, 2, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 0, more.data(), 4, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToArray(array, 0, 0, more.data(), 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidMemcpyDirection);
  int nothing = 0;
  EXPECT_EQ(cudaMemcpyToArray(reinterpret_cast<cudaArray_t>(&nothing), 0, 0, more.data(), 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  void* small = nullptr;
  ASSERT_EQ(cudaMalloc(&small, 40), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DToArray(array, 0, 0, small, kRow, kRow, 2, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  cudaFree(small);
  EXPECT_EQ(all(), data);
}

}  // namespace array_copies_test
}  // namespace warpfold::host
