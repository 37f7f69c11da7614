// SPDX-License-Identifier: Apache-2.0
// What programs set for the whole device, and how they begin with it anew.
#include "warpfold/host/runtime/context.h"

namespace warpfold::host {
namespace {

// Null: the device has no such limit.
std::uint64_t* find(DeviceLimits& limits, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return &limits.stack_bytes;
    case cudaLimitPrintfFifoSize:
      return &limits.printf_fifo_bytes;
    case cudaLimitMallocHeapSize:
      return &limits.malloc_heap_bytes;
    case cudaLimitMaxL2FetchGranularity:
      return &limits.l2_fetch_granularity_bytes;
    default:  // of kernels that launch kernels, and of L2 lines that stay
      return nullptr;
  }
}

cudaError_t no_such_limit(const char* call, cudaLimit limit) {
  return refuse(cudaErrorUnsupportedLimit, "{}: the device has no limit {}", call, static_cast<int>(limit));
}

cudaError_t set_limit(Context& context, cudaLimit limit, std::size_t value) {
  std::uint64_t* const kept = find(context.settings.limits, limit);
  if (kept == nullptr) return no_such_limit("cudaDeviceSetLimit", limit);
  if (limit == cudaLimitStackSize && value > DeviceLimits::kMostStackBytes) {
    return refuse(cudaErrorInvalidValue, "cudaDeviceSetLimit: a stack of {} bytes, a thread can have {}", value,
                  DeviceLimits::kMostStackBytes);
  }
  const bool allocated = limit == cudaLimitMallocHeapSize || limit == cudaLimitPrintfFifoSize;
  if (const std::uint64_t room = context.device().memory().free_bytes(); allocated && value > room) {
    return refuse(cudaErrorMemoryAllocation, "cudaDeviceSetLimit: {} bytes asked for, {} free on the device", value,
                  room);
  }
  constexpr std::size_t kMostFetched = 128;
  if (limit == cudaLimitMaxL2FetchGranularity && value > kMostFetched) return cudaErrorInvalidValue;
  if (limit == cudaLimitPrintfFifoSize) context.services().fifo.set_bytes(value);
  if (limit == cudaLimitMallocHeapSize && !context.services().heap.set_bytes(value)) {
    return refuse(cudaErrorInvalidValue, "cudaDeviceSetLimit: a kernel has used the heap, whose size is fixed now");
  }
  *kept = value;
  return cudaSuccess;
}

bool is_cache_config(cudaFuncCache config) {
  return config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual;
}

constexpr unsigned kScheduleFlags = cudaDeviceScheduleSpin | cudaDeviceScheduleYield | cudaDeviceScheduleBlockingSync;
constexpr unsigned kDeviceFlags = kScheduleFlags | cudaDeviceMapHost | cudaDeviceLmemResizeToMax;

}  // namespace
}  // namespace warpfold::host

using warpfold::host::AfterFault;
using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaDeviceReset() {
  return guarded<AfterFault::kRuns>([](Context& context) {
    context.reset_device();
    return cudaSuccess;
  });
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return guarded([&](Context& context) { return warpfold::host::set_limit(context, limit, value); });
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return guarded([&](Context& context) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const std::uint64_t* const kept = warpfold::host::find(context.settings.limits, limit);
    if (kept == nullptr) return warpfold::host::no_such_limit("cudaDeviceGetLimit", limit);
    *value = *kept;
    return cudaSuccess;
  });
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }

// How the host waits, which takes it no time here.
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return guarded([&](Context& context) {
    const unsigned how = flags & warpfold::host::kScheduleFlags;
    if ((flags & ~warpfold::host::kDeviceFlags) != 0 || (how & (how - 1)) != 0) return cudaErrorInvalidValue;
    context.settings.flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return guarded([&](Context& context) {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = context.settings.flags;
    return cudaSuccess;
  });
}

// Preferences for caches and banks are hints: the model's are what the machine file says.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return guarded([&](Context& context) {
    if (!warpfold::host::is_cache_config(config)) return cudaErrorInvalidValue;
    context.settings.cache_config = config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return guarded([&](Context& context) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = context.settings.cache_config;
    return cudaSuccess;
  });
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return guarded([&](Context& context) {
    if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte) return cudaErrorInvalidValue;
    context.settings.shared_config = config == cudaSharedMemBankSizeDefault ? cudaSharedMemBankSizeFourByte : config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return guarded([&](Context& context) {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = context.settings.shared_config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return guarded([](Context& context) {
    const bool captures = context.graphs.invalidate([](cudaStream_t) { return true; });
    if (captures) return cudaErrorStreamCaptureUnsupported;
    context.timeline.wait_until(context.timeline.all_ready());
    return cudaSuccess;
  });
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

// Whether to profile is said to `warpfold run`.
cudaError_t cudaProfilerStart() {
  return guarded([](Context&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return guarded([](Context&) { return cudaSuccess; });
}

}  // extern "C"
