// SPDX-License-Identifier: Apache-2.0
// What programs set for the device and for kernels, with the values that CUDA begins with.
#pragma once

#include <cstdint>
#include <map>

#include "warpfold/host/include/driver_types.h"
#include "warpfold/isa/program.h"

namespace warpfold::host {

struct DeviceLimits {
  static constexpr std::uint64_t kMostStackBytes = 512 << 10;  // of local memory that a thread can have

  std::uint64_t stack_bytes =
      isa::DecodeOptions{}.stack_bytes;           // of a thread, for calls whose depth the compiler does not know
  std::uint64_t printf_fifo_bytes = 1 << 20;      // of the buffer of device printf()
  std::uint64_t malloc_heap_bytes = 8 << 20;      // of device malloc() and new
  std::uint64_t l2_fetch_granularity_bytes = 64;  // a hint that the model's L2 does not heed
};

// Hints, as all preferences.
struct StreamHints {
  cudaAccessPolicyWindow access_window{};
  cudaSynchronizationPolicy waiting = cudaSyncPolicyAuto;
};

struct DeviceSettings {
  DeviceLimits limits;
  unsigned flags = cudaDeviceMapHost;                                 // a program's, and what the device always does
  cudaFuncCache cache_config = cudaFuncCachePreferNone;               // hints, which are kept and change nothing:
  cudaSharedMemConfig shared_config = cudaSharedMemBankSizeFourByte;  // the machine file says what the machine has
  std::map<cudaStream_t, StreamHints> of_streams{};                   // of those for which a program has set any
};

struct KernelSettings {
  std::uint64_t max_dynamic_shared_bytes = 0;  // that the program has asked for; 0: what any launch may have
  int shared_carveout = cudaSharedmemCarveoutDefault;
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  cudaSharedMemConfig shared_config = cudaSharedMemBankSizeDefault;
};

}  // namespace warpfold::host
