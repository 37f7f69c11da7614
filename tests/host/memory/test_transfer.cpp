// SPDX-License-Identifier: Apache-2.0
// What copies and fills cost, and how they overlap, by the events of a program. On the test device's bus a copy takes
// 10 us and 12 GB/s, its DRAM has 100 GB/s, and a kernel takes 1 ms.
#include "tests/host/runtime_fixture.h"
#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace transfer_test {

constexpr std::size_t kBytes = 12'000'000;  // 1 ms of the bus
constexpr float kCopy = 1.01f;              // ms

class TransferTest : public RuntimeApi {
 protected:
  static cudaEvent_t mark(cudaStream_t stream = nullptr) {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    return event;
  }
  static float between(cudaEvent_t first, cudaEvent_t last) {
    float milliseconds = -1;
    EXPECT_EQ(cudaEventSynchronize(last), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, last), cudaSuccess);
    return milliseconds;
  }
  static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&made, flags), cudaSuccess);
    return made;
  }
  static char* device_bytes(std::size_t bytes) {
    char* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, bytes), cudaSuccess);
    return p;
  }
  static char* pinned_bytes(std::size_t bytes) {
    char* p = nullptr;
    EXPECT_EQ(cudaMallocHost(&p, bytes), cudaSuccess);
    return p;
  }
  std::vector<char> pageable = std::vector<char>(kBytes);
};

TEST_F(TransferTest, TheBusHasALatencyAndABandwidth) {
  char* const p = device_bytes(kBytes);
  const cudaEvent_t start = mark();
  ASSERT_EQ(cudaMemcpy(p, pageable.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  const cudaEvent_t in = mark();
  ASSERT_EQ(cudaMemcpy(pageable.data(), p, 12, cudaMemcpyDeviceToHost), cudaSuccess);
  const cudaEvent_t out = mark();
  ASSERT_EQ(cudaMemcpy2D(p, 1000, pageable.data(), 1000, 600, 10'000, cudaMemcpyHostToDevice), cudaSuccess);
  const cudaEvent_t rows = mark();
  EXPECT_FLOAT_EQ(between(start, in), kCopy);
  EXPECT_FLOAT_EQ(between(in, out), 0.010001f);
  EXPECT_FLOAT_EQ(between(out, rows), 0.51f) << "one copy of 6 MB";
  EXPECT_EQ(cudaEventQuery(rows), cudaSuccess) << "the host has waited";
}

TEST_F(TransferTest, ArraysAreCopiedInTheSameTime) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  constexpr std::size_t kWidth = 3000, kRow = 4 * kWidth, kHeight = 1000;
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, kWidth, kHeight, 0), cudaSuccess);
  const cudaEvent_t start = mark();
  ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, pageable.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  const cudaEvent_t in = mark();
  ASSERT_EQ(cudaMemcpy2DFromArray(pageable.data(), kRow, array, 0, 0, kRow, kHeight / 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  const cudaEvent_t out = mark();
  EXPECT_FLOAT_EQ(between(start, in), kCopy) << "one copy, however many rows";
  EXPECT_FLOAT_EQ(between(in, out), 0.51f);

  char* const pinned = pinned_bytes(kBytes);
  const cudaStream_t here = stream();
  const cudaEvent_t begin = mark(here);
  ASSERT_EQ(cudaMemcpy2DToArrayAsync(array, 0, 0, pinned, kRow, kRow, kHeight, cudaMemcpyHostToDevice, here),
            cudaSuccess);
  const cudaEvent_t end = mark(here);
  EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady) << "the host does not wait";
  EXPECT_FLOAT_EQ(between(begin, end), kCopy);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

// Both sides reach it, so that it may be either end.
TEST_F(TransferTest, ArraysAndManagedMemory) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  int* managed = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 4, 0, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 2 * 16, cudaMemAttachGlobal), cudaSuccess);
  for (int i = 0; i < 4; ++i) managed[i] = i + 5;
  for (const cudaMemcpyKind in : {cudaMemcpyHostToDevice, cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
    ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, managed, 16, in), cudaSuccess);
  }
  for (const cudaMemcpyKind out : {cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault}) {
    std::fill_n(managed + 4, 4, 0);
    ASSERT_EQ(cudaMemcpyFromArray(managed + 4, array, 0, 0, 16, out), cudaSuccess);
    EXPECT_EQ(managed[7], 8);
  }
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(TransferTest, TheDevicesOwnMemoryIsFaster) {
  char* const p = device_bytes(2 * kBytes);
  const cudaEvent_t start = mark();
  ASSERT_EQ(cudaMemcpy(p + kBytes, p, kBytes, cudaMemcpyDeviceToDevice), cudaSuccess);
  const cudaEvent_t copied = mark();
  EXPECT_EQ(cudaEventQuery(copied), cudaErrorNotReady) << "the host does not wait";
  ASSERT_EQ(cudaMemset(p, 1, kBytes), cudaSuccess);
  const cudaEvent_t filled = mark();
  EXPECT_FLOAT_EQ(between(start, copied), 0.24f) << "read and written";
  EXPECT_FLOAT_EQ(between(copied, filled), 0.12f);
}

TEST_F(TransferTest, SymbolsCrossTheBusToo) {
  const int seven = 7;
  const cudaEvent_t start = mark();
  ASSERT_EQ(cudaMemcpyToSymbol(program().factor, &seven, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_GT(between(start, mark()), 0.01f);
}

TEST_F(TransferTest, CopiesOfPinnedMemoryOverlapKernels) {
  const cudaStream_t copies = stream(), kernels = stream();
  char* const device = device_bytes(kBytes);
  char* const host = pinned_bytes(kBytes);
  int* const p = device_ints({1});
  const cudaEvent_t start = mark(kernels);
  ASSERT_EQ(launch_scale(p, 0, 1, kernels), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, copies), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(copies), cudaErrorNotReady);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "not ready is no error";
  const cudaEvent_t copied = mark(copies), ran = mark(kernels);
  EXPECT_FLOAT_EQ(between(start, ran), 1.0f);
  EXPECT_FLOAT_EQ(between(start, copied), kCopy);
}

TEST_F(TransferTest, ACopyOfPageableMemoryIsWaitedFor) {
  const cudaStream_t copies = stream();
  char* const device = device_bytes(kBytes);
  ASSERT_EQ(cudaMemcpyAsync(device, pageable.data(), kBytes, cudaMemcpyHostToDevice, copies), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(copies), cudaSuccess);
}

TEST_F(TransferTest, AnEventHoldsAStreamBack) {
  const cudaStream_t first = stream(), second = stream();
  int* const p = device_ints({1});
  const cudaEvent_t start = mark(first);
  ASSERT_EQ(launch_scale(p, 0, 1, first), cudaSuccess);
  const cudaEvent_t ran = mark(first);
  ASSERT_EQ(cudaStreamWaitEvent(second, ran, 0), cudaSuccess);
  EXPECT_FLOAT_EQ(between(start, mark(second)), 1.0f);
}

TEST_F(TransferTest, WhatIsNotDoneHasNoTimeYet) {
  int* const p = device_ints({1});
  const cudaEvent_t start = mark();
  ASSERT_EQ(launch_scale(p, 0, 1), cudaSuccess);
  const cudaEvent_t ran = mark();
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, ran), cudaErrorNotReady);
  while (cudaEventQuery(ran) == cudaErrorNotReady) continue;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, ran), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 1.0f);
}

TEST_F(TransferTest, StreamsThatAreNoneAreRefused) {
  const cudaStream_t gone = stream();
  ASSERT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  char* const p = device_bytes(16);
  char c = 0;
  EXPECT_EQ(cudaMemcpyAsync(p, &c, 1, cudaMemcpyHostToDevice, gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaMemsetAsync(p, 1, 1, gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(launch_scale(nullptr, 0, 1, gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(mark(), gone), cudaErrorInvalidResourceHandle);
  unsigned flags = 0;
  EXPECT_EQ(cudaStreamGetFlags(gone, &flags), cudaErrorInvalidResourceHandle);
  ASSERT_EQ(cudaStreamGetFlags(stream(), &flags), cudaSuccess);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
}

TEST_F(TransferTest, HostFunctionsAreCalledAndMayCallBack) {
  static int* p;
  p = device_ints({1});
  ASSERT_EQ(launch_scale(p, 0, 1), cudaSuccess);
  int seen = 0;
  ASSERT_EQ(cudaLaunchHostFunc(
                nullptr, [](void* data) { cudaMemcpy(data, p, sizeof(int), cudaMemcpyDeviceToHost); }, &seen),
            cudaSuccess);
  EXPECT_EQ(seen, 3);
  const auto callback = [](cudaStream_t of, cudaError_t status, void* data) {
    *static_cast<int*>(data) = of == nullptr && status == cudaSuccess ? 9 : 0;
  };
  ASSERT_EQ(cudaStreamAddCallback(nullptr, callback, &seen, 0), cudaSuccess);
  EXPECT_EQ(seen, 9);
  EXPECT_EQ(cudaStreamAddCallback(nullptr, callback, &seen, 1), cudaErrorInvalidValue);
}

TEST_F(TransferTest, FillsOfThreeDimensions) {
  char* const p = device_bytes(2 * 3 * 8);
  ASSERT_EQ(cudaMemset(p, '.', 48), cudaSuccess);
  ASSERT_EQ(cudaMemset3D({p, 8, 4, 3}, 'x', {2, 2, 2}), cudaSuccess);
  char back[49] = {};
  ASSERT_EQ(cudaMemcpy(back, p, 48, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_STREQ(back, "xx......xx..............xx......xx..............");
  constexpr std::size_t kHuge = std::size_t{1} << 63;
  EXPECT_EQ(cudaMemset3D({p, 8, 4, 0}, 'x', {2, 1, kHuge}), cudaErrorInvalidValue) << "slices on one another";
  EXPECT_EQ(cudaMemset3D({p, kHuge, 4, 2}, 'x', {2, 1, kHuge}), cudaErrorInvalidValue) << "their distance wraps";
  EXPECT_EQ(cudaMemset3D({p, 8, 4, 0}, 'x', {0, 1, kHuge}), cudaSuccess) << "nothing";
}

}  // namespace transfer_test
}  // namespace warpfold::host
