// SPDX-License-Identifier: Apache-2.0
// Memory pools: whose memory is counted, what is refused, and memory of captured streams.
#include "tests/host/runtime_fixture.h"

namespace warpfold::host {
namespace memory_pools_test {

class MemoryPoolsTest : public RuntimeApi {
 protected:
  static std::uint64_t value(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    std::uint64_t value = ~0ull;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, attribute, &value), cudaSuccess);
    return value;
  }
  static cudaMemPoolProps properties() {
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location = {cudaMemLocationTypeDevice, 0};
    return p;
  }
};

TEST_F(MemoryPoolsTest, CountWhatIsTheirs) {
  cudaMemPool_t own = nullptr, made = nullptr, current = nullptr;
  const cudaMemPoolProps p = properties();
  int supported = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0), cudaSuccess);
  EXPECT_EQ(supported, 1);
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&own, 0), cudaSuccess);
  ASSERT_EQ(cudaMemPoolCreate(&made, &p), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, own);
  void *a = nullptr, *b = nullptr, *c = nullptr;
  ASSERT_EQ(cudaMallocAsync(&a, 1000, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&b, 300, made, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSetMemPool(0, made), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&c, 50, nullptr), cudaSuccess);
  EXPECT_EQ(value(own, cudaMemPoolAttrUsedMemCurrent), 1000u);
  EXPECT_EQ(value(made, cudaMemPoolAttrUsedMemCurrent), 350u);
  ASSERT_EQ(cudaFreeAsync(b, nullptr), cudaSuccess);
  ASSERT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_EQ(value(own, cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(value(made, cudaMemPoolAttrUsedMemCurrent), 50u);
  EXPECT_EQ(value(made, cudaMemPoolAttrUsedMemHigh), 350u);
  std::uint64_t zero = 0, threshold = 1 << 20;
  EXPECT_EQ(cudaMemPoolSetAttribute(made, cudaMemPoolAttrUsedMemHigh, &zero), cudaSuccess);
  EXPECT_EQ(value(made, cudaMemPoolAttrUsedMemHigh), 50u);
  EXPECT_EQ(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &threshold), cudaSuccess);
  EXPECT_EQ(value(made, cudaMemPoolAttrReleaseThreshold), threshold);
  EXPECT_EQ(cudaMemPoolDestroy(made), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, own);
}

TEST_F(MemoryPoolsTest, WhatMakesNoSenseIsRefused) {
  cudaMemPool_t own = nullptr, made = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&own, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&own, 1), cudaErrorInvalidDevice);
  cudaMemPoolProps p = properties();
  p.location.id = 1;
  EXPECT_EQ(cudaMemPoolCreate(&made, &p), cudaErrorInvalidValue);
  p = properties();
  p.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_EQ(cudaMemPoolCreate(&made, &p), cudaErrorNotSupported);
  EXPECT_EQ(cudaMemPoolDestroy(own), cudaErrorInvalidValue);
  std::uint64_t one = 1;
  EXPECT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &one), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &one), cudaErrorInvalidValue);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMallocFromPoolAsync(&pointer, 8, nullptr, nullptr), cudaErrorInvalidValue);
  const cudaMemAccessDesc elsewhere = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
  EXPECT_EQ(cudaMemPoolSetAccess(own, &elsewhere, 1), cudaErrorInvalidValue);
}

// What a graph allocates and frees is there at each of its launches.
TEST_F(MemoryPoolsTest, OfACapturedStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  int out[2] = {}, in[2] = {1, 2};
  void* scratch = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&scratch, sizeof in, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(scratch, in, sizeof in, cudaMemcpyHostToDevice, stream), cudaSuccess);
  ASSERT_EQ(launch_scale(static_cast<int*>(scratch), 0, 2, stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(out, scratch, sizeof out, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(scratch, stream), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0), cudaSuccess);
  for (int turn = 0; turn < 2; ++turn) {
    in[1] = 2 + turn;
    ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
    EXPECT_TRUE(out[0] == 3 && out[1] == 3 * in[1]) << out[1];
  }
}

}  // namespace memory_pools_test
}  // namespace warpfold::host
