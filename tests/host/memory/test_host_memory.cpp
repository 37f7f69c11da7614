// SPDX-License-Identifier: Apache-2.0
// Memory that host and device both see: managed, pinned and registered.
#include <cstdlib>

#include "tests/host/runtime_fixture.h"
#include "warpfold/host/memory/host_memory.h"
#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace host_memory_test {

class HostMemoryTest : public RuntimeApi {
 protected:
  static cudaPointerAttributes attributes(const void* p) {
    cudaPointerAttributes found{};
    EXPECT_EQ(cudaPointerGetAttributes(&found, p), cudaSuccess);
    return found;
  }
};

TEST_F(HostMemoryTest, ManagedMemoryIsOneForBoth) {
  int* p = nullptr;
  ASSERT_EQ(cudaMallocManaged(&p, 3 * sizeof(int)), cudaSuccess);
  EXPECT_EQ(p[2], 0);
  p[0] = 5;
  p[1] = 7;
  ASSERT_EQ(launch_scale(p, 1, 2), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(p[0], 16);
  EXPECT_EQ(p[1], 22);
  int* q = device_ints({9, 9, 9});
  ASSERT_EQ(cudaMemcpy(p, q, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(q + 1, p + 1, 4, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(p + 2, q + 1, 4, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(p[0], 9);
  EXPECT_EQ(p[2], 22);
  EXPECT_EQ(cudaMemPrefetchAsync(p, 12, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(p, 1200, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(q, 12, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(p, 12, 3), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemAdvise(p, 12, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId), cudaSuccess);
  EXPECT_EQ(attributes(p + 1).type, cudaMemoryTypeManaged);
  EXPECT_EQ(attributes(p + 1).hostPointer, p + 1);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidDevicePointer);
  EXPECT_EQ(cudaMallocManaged(&p, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocManaged(&p, std::size_t{1} << 40), cudaErrorMemoryAllocation);
}

TEST_F(HostMemoryTest, PinnedMemoryIsMapped) {
  int *p = nullptr, *device = nullptr;
  ASSERT_EQ(cudaHostAlloc(&p, 8, cudaHostAllocMapped), cudaSuccess);
  ASSERT_EQ(cudaHostGetDevicePointer(&device, p + 1, 0), cudaSuccess);
  EXPECT_EQ(device, p + 1);
  p[0] = 2;
  ASSERT_EQ(launch_scale(p, 0, 1), cudaSuccess);
  EXPECT_EQ(p[0], 6);
  EXPECT_EQ(attributes(p).type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes(p).devicePointer, p);
  unsigned flags = 0;
  ASSERT_EQ(cudaHostGetFlags(&flags, p), cudaSuccess);
  EXPECT_EQ(flags, cudaHostAllocMapped);
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidDevicePointer) << "cudaFreeHost's business";
  EXPECT_EQ(cudaFreeHost(p + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(p), cudaSuccess);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, p, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostAlloc(&p, 8, 0x100), cudaErrorInvalidValue);
}

TEST_F(HostMemoryTest, RegisteredMemoryHasAnotherAddressOnTheDevice) {
  auto* const heap = static_cast<int*>(std::malloc(1000 * sizeof(int)));
  int stack[4] = {1, 2, 3, 4};
  for (int i = 0; i < 1000; ++i) heap[i] = i;
  for (int* host : {heap, stack}) {
    int* device = nullptr;
    ASSERT_EQ(cudaHostRegister(host, 4 * sizeof(int), cudaHostRegisterMapped), cudaSuccess);
    EXPECT_EQ(cudaHostRegister(host + 3, 8, cudaHostRegisterMapped), cudaErrorHostMemoryAlreadyRegistered);
    ASSERT_EQ(cudaHostGetDevicePointer(&device, host + 1, 0), cudaSuccess);
    EXPECT_NE(device, host + 1);
    const int before = host[1], beyond = host[2];
    ASSERT_EQ(launch_scale(device, 5, 1), cudaSuccess);
    EXPECT_EQ(host[1], 3 * before + 5);
    EXPECT_EQ(host[2], beyond);
    EXPECT_EQ(attributes(host).type, cudaMemoryTypeHost);
    EXPECT_EQ(attributes(device).hostPointer, host + 1);
    EXPECT_EQ(cudaFree(device - 1), cudaErrorInvalidDevicePointer);
    EXPECT_EQ(launch_scale(host, 5, 1), cudaErrorIllegalAddress) << "the host's own address is none of the device's";
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered) << "the reset has done it";
    ASSERT_EQ(cudaHostRegister(host, 4 * sizeof(int), cudaHostRegisterMapped), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(host), cudaSuccess);
  }
  std::free(heap);
}

TEST_F(HostMemoryTest, AFaultNamesTheMemory) {
  int *p = nullptr, local = 0;
  ASSERT_EQ(cudaMallocHost(&p, 4), cudaSuccess);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(launch(program().wild, p), cudaErrorIllegalAddress);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, "nearest is pinned host memory"), 1u) << said;
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(attributes(&local).type, cudaMemoryTypeUnregistered);
}

TEST_F(HostMemoryTest, AllocationInTheOrderOfAStream) {
  int* p = nullptr;
  ASSERT_EQ(cudaMallocAsync(&p, 4, nullptr), cudaSuccess);
  EXPECT_EQ(attributes(p).type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaErrorInvalidValue);
}

TEST_F(HostMemoryTest, RangesOfItsOwn) {
  DeviceMemory device(1 << 20, DeviceMemory::kBase32);
  HostMemory memory;
  int own[4] = {};
  auto* const p = static_cast<int*>(memory.allocate(device, 2 * sizeof(int), 3));
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(memory.allocate(device, std::uint64_t{1} << 60, 0), nullptr);
  ASSERT_TRUE(memory.register_range(device, own, sizeof own, 0));
  EXPECT_FALSE(memory.register_range(device, own + 3, sizeof own, 0));
  ASSERT_NE(memory.pinned_at(p + 1), nullptr);
  EXPECT_EQ(memory.pinned_at(p + 1)->second.flags, 3u);
  EXPECT_EQ(memory.pinned_at(p + 2), nullptr);
  EXPECT_FALSE(memory.free(device, own));
  EXPECT_FALSE(memory.unregister(device, p));
  EXPECT_TRUE(memory.free(device, p));
  EXPECT_FALSE(memory.free(device, p));
  memory.release_all(device);
  EXPECT_EQ(memory.pinned_at(own), nullptr);
  EXPECT_TRUE(device.allocations().empty());
}

}  // namespace host_memory_test
}  // namespace warpfold::host
