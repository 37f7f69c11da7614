// SPDX-License-Identifier: Apache-2.0
// What can be asked about kernels, and set for them.
#include "warpfold/host/runtime/functions.h"

#include <algorithm>
#include <climits>

#include "warpfold/common/launch_error.h"
#include "warpfold/common/saturating.h"
#include "warpfold/host/devices/device_properties.h"
#include "warpfold/host/runtime/launch_shape.h"

namespace warpfold::host {
namespace {

cudaError_t unknown_kernel(const char* call) {
  return refuse(cudaErrorInvalidDeviceFunction, "{}: no kernel of this program", call);
}

// Dynamic shared memory that a block of the kernel may have: what any may, or what the program has asked for.
std::uint64_t dynamic_shared_limit(Context& context, const void* function, const isa::Kernel& kernel) {
  const auto settings = context.kernel_settings.find(function);
  if (settings != context.kernel_settings.end() && settings->second.max_dynamic_shared_bytes != 0) {
    return settings->second.max_dynamic_shared_bytes;
  }
  const std::uint64_t most = std::min(kUnaskedSharedBytes, context.device().figures().shared_bytes_per_core);
  return most - std::min<std::uint64_t>(most, kernel.static_shared_bytes);
}

cudaFuncAttributes attributes_of(Context& context, const void* function, const isa::Kernel& kernel,
                                 isa::Program& program) {
  const auto set = context.kernel_settings.find(function);
  const unsigned most_threads = context.device().figures().max_threads_per_block;
  cudaFuncAttributes attributes{};
  attributes.sharedSizeBytes = kernel.static_shared_bytes;
  attributes.constSizeBytes = program.const_bank().size();
  attributes.localSizeBytes = kernel.local_bytes;
  attributes.maxThreadsPerBlock =
      to_int(kernel.max_threads != 0 ? std::min(kernel.max_threads, most_threads) : most_threads);
  attributes.numRegs = kernel.registers;
  attributes.ptxVersion = attributes.binaryVersion = 70;
  attributes.maxDynamicSharedSizeBytes = to_int(dynamic_shared_limit(context, function, kernel));
  attributes.preferredShmemCarveout =
      set == context.kernel_settings.end() ? cudaSharedmemCarveoutDefault : set->second.shared_carveout;
  return attributes;
}

cudaError_t set_dynamic_shared(Context& context, const void* function, const isa::Kernel& kernel, int bytes) {
  const std::uint64_t has = context.device().figures().shared_bytes_per_core;
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) + kernel.static_shared_bytes > has) {
    return refuse(cudaErrorInvalidValue,
                  "cudaFuncSetAttribute: kernel {}: {} bytes of dynamic shared memory beside {} static ones, a core "
                  "has {}",
                  kernel.name, bytes, kernel.static_shared_bytes, has);
  }
  context.kernel_settings[function].max_dynamic_shared_bytes = static_cast<std::uint64_t>(bytes);
  return cudaSuccess;
}

cudaError_t set_attribute(Context& context, const void* function, cudaFuncAttribute attribute, int value) {
  const isa::Kernel* const kernel = context.kernel(function, nullptr);
  if (kernel == nullptr) return unknown_kernel("cudaFuncSetAttribute");
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    return set_dynamic_shared(context, function, *kernel, value);
  }
  constexpr int kWhole = 100;  // per cent
  const bool carveout = attribute == cudaFuncAttributePreferredSharedMemoryCarveout;
  if (!carveout || value < cudaSharedmemCarveoutDefault || value > kWhole) return cudaErrorInvalidValue;
  context.kernel_settings[function].shared_carveout = value;  // a hint: the machine file says what there is
  return cudaSuccess;
}

unsigned blocks_of(Context& context, const isa::Kernel& kernel, int threads, std::size_t dynamic_bytes) {
  const DeviceFigures& figures = context.device().figures();
  const auto count = static_cast<unsigned>(threads);
  if (count > figures.max_threads_per_block || (kernel.max_threads != 0 && count > kernel.max_threads)) return 0;
  return context.device().blocks_per_core(kernel, count, wanted_shared_bytes(kernel, dynamic_bytes));
}

// What is left for a block when so many of them share a core.
cudaError_t available_shared(Context& context, std::size_t* bytes, const isa::Kernel& kernel, int blocks, int threads) {
  if (blocks <= 0 || threads <= 0 || blocks_of(context, kernel, threads, 0) < static_cast<unsigned>(blocks)) {
    return cudaErrorInvalidValue;
  }
  const std::uint64_t share = context.device().figures().shared_bytes_per_core / static_cast<unsigned>(blocks);
  *bytes = share - std::min<std::uint64_t>(share, kernel.static_shared_bytes);
  return cudaSuccess;
}

}  // namespace

void check_dynamic_shared(Context& context, const void* function, const isa::Kernel& kernel, std::size_t bytes) {
  const std::uint64_t total = saturating_sum(kernel.static_shared_bytes, bytes);
  if (total <= kUnaskedSharedBytes || bytes <= dynamic_shared_limit(context, function, kernel)) return;
  refuse_launch(LaunchRefused::Why::kValue,
                "kernel {}: {} bytes of shared memory asked for: more than {} must be allowed by "
                "cudaFuncSetAttribute(…, cudaFuncAttributeMaxDynamicSharedMemorySize, …)",
                kernel.name, total, kUnaskedSharedBytes);
}

}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  return guarded([&](Context& context) {
    warpfold::isa::Program* program = nullptr;
    const warpfold::isa::Kernel* const found = context.kernel(kernel, &program);
    if (found == nullptr) return warpfold::host::unknown_kernel("cudaFuncGetAttributes");
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = warpfold::host::attributes_of(context, kernel, *found, *program);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  return guarded([&](Context& context) { return warpfold::host::set_attribute(context, kernel, attribute, value); });
}

// Kept, and no more: the model's caches and banks are what the machine file says.
cudaError_t cudaFuncSetCacheConfig(const void* kernel, cudaFuncCache config) {
  return guarded([&](Context& context) {
    if (context.kernel_name(kernel) == nullptr) return warpfold::host::unknown_kernel("cudaFuncSetCacheConfig");
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    context.kernel_settings[kernel].cache_config = config;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetSharedMemConfig(const void* kernel, cudaSharedMemConfig config) {
  return guarded([&](Context& context) {
    if (context.kernel_name(kernel) == nullptr) return warpfold::host::unknown_kernel("cudaFuncSetSharedMemConfig");
    if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte) return cudaErrorInvalidValue;
    context.kernel_settings[kernel].shared_config = config;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_size,
                                                          size_t dynamic_shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, dynamic_shared_bytes,
                                                                cudaOccupancyDefault);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel, int block_size,
                                                                   size_t dynamic_shared_bytes, unsigned int) {
  return guarded([&](Context& context) {
    if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
    const warpfold::isa::Kernel* const found = context.kernel(kernel, nullptr, static_cast<unsigned>(block_size));
    if (found == nullptr) return warpfold::host::unknown_kernel("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    *blocks = static_cast<int>(warpfold::host::blocks_of(context, *found, block_size, dynamic_shared_bytes));
    return cudaSuccess;
  });
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* kernel, int blocks, int block_size) {
  return guarded([&](Context& context) {
    const warpfold::isa::Kernel* const found = context.kernel(kernel, nullptr);
    if (found == nullptr) return warpfold::host::unknown_kernel("cudaOccupancyAvailableDynamicSMemPerBlock");
    if (bytes == nullptr) return cudaErrorInvalidValue;
    return warpfold::host::available_shared(context, bytes, *found, blocks, block_size);
  });
}

}  // extern "C"
