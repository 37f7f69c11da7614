// SPDX-License-Identifier: Apache-2.0
// What programs set for the device and its kernels, what they can ask about them, and the reset.
#include <cstring>

#include "tests/host/runtime_fixture.h"

namespace warpfold::host {
namespace runtime_state_test {

class RuntimeState : public RuntimeApi {};

TEST_F(RuntimeState, AResetBeginsAnew) {
  int* p = device_ints({1});
  const int seven = 7;
  ASSERT_EQ(cudaMemcpyToSymbol(program().factor, &seven, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToSymbol(program().total, &seven, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_TRUE(runtime_device().memory().allocations().empty());
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidDevicePointer);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaErrorInvalidResourceHandle);
  std::size_t stack = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&stack, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(stack, 16384u);
  int factor = 0, total = -1;
  ASSERT_EQ(cudaMemcpyFromSymbol(&factor, program().factor, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&total, program().total, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(factor, 3);
  EXPECT_EQ(total, 0);
  p = device_ints({1, 2});
  ASSERT_EQ(launch_scale(p, 1, 2), cudaSuccess);
  EXPECT_EQ(host_ints(p, 2), (std::vector<int>{4, 7}));
}

TEST_F(RuntimeState, LimitsAreKept) {
  const std::pair<cudaLimit, std::size_t> first[] = {
      {cudaLimitStackSize, 16384}, {cudaLimitPrintfFifoSize, 1 << 20}, {cudaLimitMallocHeapSize, 8 << 20}};
  for (const auto& [limit, value] : first) {
    std::size_t kept = 0;
    ASSERT_EQ(cudaDeviceGetLimit(&kept, limit), cudaSuccess);
    EXPECT_EQ(kept, value);
    ASSERT_EQ(cudaDeviceSetLimit(limit, 2 * value), cudaSuccess);
    ASSERT_EQ(cudaDeviceGetLimit(&kept, limit), cudaSuccess);
    EXPECT_EQ(kept, 2 * value);
  }
  EXPECT_EQ(Context::instance().settings.limits.malloc_heap_bytes, 16u << 20);
  std::size_t kept = 0;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{1} << 40), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0), cudaErrorUnsupportedLimit);
  EXPECT_EQ(cudaDeviceGetLimit(&kept, static_cast<cudaLimit>(99)), cudaErrorUnsupportedLimit);
}

TEST_F(RuntimeState, FlagsAndPreferencesAreKept) {
  unsigned flags = 0;
  ASSERT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleYield), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags, cudaDeviceScheduleYield | cudaDeviceMapHost);
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceScheduleSpin), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
  cudaFuncCache cache = cudaFuncCachePreferNone;
  ASSERT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetCacheConfig(&cache), cudaSuccess);
  EXPECT_EQ(cache, cudaFuncCachePreferL1);
  cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
  ASSERT_EQ(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetSharedMemConfig(&banks), cudaSuccess);
  EXPECT_EQ(banks, cudaSharedMemBankSizeEightByte);
  EXPECT_EQ(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(9)), cudaErrorInvalidValue);
}

TEST_F(RuntimeState, MuchSharedMemoryMustBeAskedFor) {
  runtime_device().set_shared_bytes_per_core(96 << 10);
  int* p = device_ints({1});
  const auto run = [&](std::size_t shared) { return launch(program().bounded, p, dim3(1), dim3(32), shared); };
  const void* const bounded = &program().bounded;
  EXPECT_EQ(run(48 << 10), cudaSuccess);
  EXPECT_EQ(run(64 << 10), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 97 << 10),
            cudaErrorInvalidValue);
  ASSERT_EQ(cudaFuncSetAttribute(bounded, cudaFuncAttributeMaxDynamicSharedMemorySize, 80 << 10), cudaSuccess);
  EXPECT_EQ(run(64 << 10), cudaSuccess);
  EXPECT_EQ(run(96 << 10), cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, bounded), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 80 << 10);
  cudaDeviceProp p0;
  ASSERT_EQ(cudaGetDeviceProperties(&p0, 0), cudaSuccess);
  EXPECT_EQ(p0.sharedMemPerBlock, 48u << 10);
  EXPECT_EQ(p0.sharedMemPerBlockOptin, 96u << 10);
  runtime_device().set_shared_bytes_per_core(16384);
}

TEST_F(RuntimeState, KernelAttributes) {
  const void* const bounded = &program().bounded;
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncSetAttribute(bounded, cudaFuncAttributePreferredSharedMemoryCarveout, 50), cudaSuccess);
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, bounded), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 64);
  EXPECT_EQ(attributes.preferredShmemCarveout, 50);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 16384);
  EXPECT_GT(attributes.numRegs, 0);
  EXPECT_EQ(cudaFuncSetCacheConfig(bounded, cudaFuncCachePreferShared), cudaSuccess);
  int local = 0;
  const void* const none = &local;
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, none), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncSetCacheConfig(none, cudaFuncCachePreferShared), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaFuncSetAttribute(bounded, static_cast<cudaFuncAttribute>(77), 1), cudaErrorInvalidValue);
}

TEST_F(RuntimeState, Occupancy) {
  const void* const scale = &program().scale;
  int blocks = 0, grid = 0, block = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0), cudaSuccess);
  EXPECT_EQ(blocks, 4);
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program().bounded, 65, 0), cudaSuccess);
  EXPECT_EQ(blocks, 0);
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0), cudaSuccess);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 3);
  ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 500), cudaSuccess);
  EXPECT_EQ(block, 256);  // four of them fill a core, which two of 500 do not
  EXPECT_EQ(grid, 12);
  std::size_t bytes = 0;
  ASSERT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, scale, 4, 256), cudaSuccess);
  EXPECT_EQ(bytes, 4096u);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, scale, 5, 256), cudaErrorInvalidValue);
}

TEST_F(RuntimeState, PropertiesAreTheMachines) {
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  EXPECT_EQ(devices, 1);
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_STREQ(p.name, "Warpfold test device");
  EXPECT_EQ(p.multiProcessorCount, 3);
  EXPECT_EQ(p.clockRate, 325000);
  EXPECT_EQ(p.warpSize, 32);
  EXPECT_EQ(p.maxBlocksPerMultiProcessor, 8);
  EXPECT_EQ(p.sharedMemPerBlock, 16384u);
  EXPECT_TRUE(p.deviceOverlap == 1 && p.asyncEngineCount == 2 && p.unifiedAddressing == 1 && p.canMapHostMemory == 1);
  EXPECT_EQ(p.concurrentKernels, 0) << "kernels run one at a time";
  EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
  EXPECT_STREQ(cudaGetErrorString(cudaGetLastError()), "invalid device ordinal");
}

TEST_F(RuntimeState, AttributesAreTheProperties) {
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  const std::pair<cudaDeviceAttr, std::size_t> expected[] = {
      {cudaDevAttrMultiProcessorCount, 3},
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxBlockDimZ, 64},
      {cudaDevAttrMaxGridDimY, 65535},
      {cudaDevAttrMaxPitch, p.memPitch},
      {cudaDevAttrAsyncEngineCount, 2},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin},
      {cudaDevAttrMaxTexture3DDepth, static_cast<std::size_t>(p.maxTexture3D[2])},
      {cudaDevAttrComputeCapabilityMajor, 7}};
  for (const auto& [attribute, value] : expected) {
    int got = -1;
    ASSERT_EQ(cudaDeviceGetAttribute(&got, attribute, 0), cudaSuccess);
    EXPECT_EQ(got, static_cast<int>(value)) << attribute;
  }
  int got = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&got, static_cast<cudaDeviceAttr>(9999), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&got, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
}

TEST_F(RuntimeState, TheDeviceHasAPlaceOnItsBus) {
  char id[16];
  int device = -1;
  ASSERT_EQ(cudaDeviceGetPCIBusId(id, sizeof id, 0), cudaSuccess);
  EXPECT_STREQ(id, "0000:01:00.0");
  ASSERT_EQ(cudaDeviceGetByPCIBusId(&device, id), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "01:00"), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "0000:02:00.0"), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceGetPCIBusId(id, 12, 0), cudaErrorInvalidValue);
  int least = 1, greatest = 1, can = 1;
  ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, greatest);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidDevice);
}

}  // namespace runtime_state_test
}  // namespace warpfold::host
