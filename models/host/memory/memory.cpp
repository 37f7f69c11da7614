// SPDX-License-Identifier: Apache-2.0
// Memory of the device, of the host where the device reaches it, and of both.
#include "warpfold/common/saturating.h"
#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace {

constexpr std::size_t kPitchAlignment = 512;  // what current devices use, and a multiple of every line size

void* to_pointer(Address address) { return reinterpret_cast<void*>(address); }

cudaError_t no_room(Context& context, const char* call, std::size_t bytes) {
  return refuse(cudaErrorMemoryAllocation, "{}: {} bytes asked for, {} free on the device", call, bytes,
                context.device().memory().free_bytes());
}

cudaError_t allocate(Context& context, void** pointer, std::size_t bytes, const char* call, const CallSite& at) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const Address begin = context.device().memory().allocate(bytes, fmt::format("{} #{}", call, ++context.mallocs), at);
  if (begin == 0) return no_room(context, call, bytes);
  *pointer = to_pointer(begin);
  return cudaSuccess;
}

// Nobody waits for a stream's own work: the memory is there at once. Of a captured stream, too: its address is the
// same at every launch of the graph.
cudaError_t allocate_of(Context& context, cudaMemPool_t pool, void** pointer, std::size_t bytes, cudaStream_t stream,
                        const CallSite& at) {
  if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
  MemoryPools::Pool* const found = context.pools.find(pool);
  if (found == nullptr) return cudaErrorInvalidValue;
  const cudaError_t error = allocate(context, pointer, bytes, "cudaMallocAsync", at);
  if (error != cudaSuccess || *pointer == nullptr) return error;
  context.pools.allocated(*found, context.device().memory(), to_address(*pointer));
  return cudaSuccess;
}

cudaError_t allocate_rows(Context& context, const char* call, void** pointer, std::size_t* pitch, std::size_t width,
                          std::size_t rows, const CallSite& at) {
  if (pointer == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  *pitch = saturating_sum(width, kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return allocate(context, pointer, saturating_product(*pitch, rows), call, at);
}

cudaError_t allocate_managed(Context& context, void** pointer, std::size_t bytes, unsigned flags, const CallSite& at) {
  if (pointer == nullptr || bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
    return cudaErrorInvalidValue;
  }
  DeviceMemory& memory = context.device().memory();
  if (bytes > memory.capacity()) return no_room(context, "cudaMallocManaged", bytes);
  const Address begin = memory.allocate_shared(bytes, fmt::format("cudaMallocManaged #{}", ++context.mallocs), at);
  if (begin == 0) {
    return refuse(cudaErrorNotSupported,
                  "cudaMallocManaged: the host has no {} bytes of memory at an address that the device can have too",
                  bytes);
  }
  *pointer = to_pointer(begin);
  return cudaSuccess;
}

cudaError_t allocate_host(Context& context, void** pointer, std::size_t bytes, unsigned flags) {
  constexpr unsigned kFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if (pointer == nullptr || (flags & ~kFlags) != 0) return cudaErrorInvalidValue;
  *pointer = context.host_memory.allocate(context.device().memory(), bytes, flags);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

// cudaFree(0) is the customary way to wake the runtime.
cudaError_t release(Context& context, void* pointer, const CallSite& at) {
  if (pointer == nullptr) return cudaSuccess;
  const Place place = place_of(context, pointer);
  const Allocation* const allocation = context.device().memory().find(to_address(pointer));
  const bool lent = allocation != nullptr && allocation->home == Allocation::Home::kHost;
  if (place == Place::kPinned || lent || !context.device().memory().release(to_address(pointer), at)) {
    return refuse(cudaErrorInvalidDevicePointer, "cudaFree: {:#x} is not the start of an allocation",
                  to_address(pointer));
  }
  context.timeline.wait_until(context.timeline.all_ready());
  return cudaSuccess;
}

cudaError_t register_host(Context& context, void* pointer, std::size_t bytes, unsigned flags) {
  constexpr unsigned kFlags =
      cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (pointer == nullptr || bytes == 0 || (flags & ~kFlags) != 0) return cudaErrorInvalidValue;
  if (context.host_memory.register_range(context.device().memory(), pointer, bytes, flags)) return cudaSuccess;
  return refuse(cudaErrorHostMemoryAlreadyRegistered,
                "cudaHostRegister: {} bytes at {:#x}: registered already, or not for the device to reach", bytes,
                to_address(pointer));
}

cudaError_t device_pointer(Context& context, void** device, const void* host, unsigned flags) {
  if (device == nullptr || flags != 0) return cudaErrorInvalidValue;
  const auto* const entry = context.host_memory.pinned_at(host);
  if (entry == nullptr) {
    return refuse(cudaErrorInvalidValue,
                  "cudaHostGetDevicePointer: {:#x} is not in memory of cudaHostAlloc, "
                  "cudaMallocHost or cudaHostRegister that the device reaches",
                  to_address(host));
  }
  *device = to_pointer(entry->second.device + (to_address(host) - entry->first));
  return cudaSuccess;
}

cudaPointerAttributes attributes_of(Context& context, const void* pointer) {
  constexpr int kNoDevice = -2;
  void* const same = const_cast<void*>(pointer);
  const Allocation* const allocation = context.device().memory().find(to_address(pointer));
  if (const auto* const entry = context.host_memory.pinned_at(pointer)) {
    const Address device = entry->second.device + (to_address(pointer) - entry->first);
    return {cudaMemoryTypeHost, 0, to_pointer(device), same};
  }
  if (allocation == nullptr) return {cudaMemoryTypeUnregistered, kNoDevice, nullptr, same};
  if (allocation->home == Allocation::Home::kShared) return {cudaMemoryTypeManaged, 0, same, same};
  if (allocation->home == Allocation::Home::kDevice) return {cudaMemoryTypeDevice, 0, same, nullptr};
  return {cudaMemoryTypeHost, 0, same, context.device().memory().host(to_address(pointer))};
}

// Where managed memory lies is no question here: both sides have all of it.
cudaError_t check_managed(Context& context, const char* call, const void* pointer, std::size_t bytes) {
  if (context.managed.on_device(pointer) != pointer) return cudaSuccess;
  const Allocation* const allocation = context.device().memory().find(to_address(pointer));
  const bool holds = allocation != nullptr && allocation->holds(to_address(pointer), bytes);
  if (holds && place_of(context, pointer) == Place::kManaged) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "{}: {} bytes at {:#x} are not managed memory", call, bytes,
                to_address(pointer));
}

bool is_here(int device) { return device == 0 || device == cudaCpuDeviceId; }

}  // namespace
}  // namespace warpfold::host

using warpfold::CallSite;
using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::unrecorded;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded(
      [&](Context& context) { return warpfold::host::allocate(context, pointer, bytes, "cudaMalloc", at); });
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded([&](Context& context) {
    return warpfold::host::allocate_rows(context, "cudaMallocPitch", pointer, pitch, width, height, at);
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded([&](Context& context) {
    if (pitched == nullptr) return cudaErrorInvalidValue;
    *pitched = {nullptr, 0, extent.width, extent.height};
    return warpfold::host::allocate_rows(context, "cudaMalloc3D", &pitched->ptr, &pitched->pitch, extent.width,
                                         warpfold::saturating_product(extent.height, extent.depth), at);
  });
}
cudaError_t cudaFree(void* pointer) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded([&](Context& context) { return warpfold::host::release(context, pointer, at); });
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return guarded([&](Context& context) {
    return warpfold::host::allocate_of(context, context.pools.current(), pointer, bytes, stream, at);
  });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return guarded(
      [&](Context& context) { return warpfold::host::allocate_of(context, pool, pointer, bytes, stream, at); });
}
// What the stream was given before has been done.
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return guarded([&](Context& context) {
    if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
    if (context.graphs.recorded(stream) != nullptr) return cudaSuccess;  // what the graph does still needs it
    const bool released = warpfold::host::place_of(context, pointer) == warpfold::host::Place::kDevice &&
                          context.device().memory().release(warpfold::host::to_address(pointer), at);
    return released ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded(
      [&](Context& context) { return warpfold::host::allocate_managed(context, pointer, bytes, flags, at); });
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream) {
  return guarded([&](Context& context) {
    if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
    if (!warpfold::host::is_here(device)) return cudaErrorInvalidDevice;
    return warpfold::host::check_managed(context, "cudaMemPrefetchAsync", pointer, bytes);
  });
}
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return guarded([&](Context& context) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return cudaErrorInvalidValue;
    const bool names_device = advice == cudaMemAdviseSetPreferredLocation || advice >= cudaMemAdviseSetAccessedBy;
    if (names_device && !warpfold::host::is_here(device)) return cudaErrorInvalidDevice;
    return warpfold::host::check_managed(context, "cudaMemAdvise", pointer, bytes);
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned int) {
  return guarded([&](Context& context) {
    if (!context.timeline.knows(stream)) return cudaErrorInvalidResourceHandle;
    return warpfold::host::check_managed(context, "cudaStreamAttachMemAsync", pointer, bytes);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault); }
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return unrecorded([&](Context& context) { return warpfold::host::allocate_host(context, pointer, bytes, flags); });
}
cudaError_t cudaFreeHost(void* pointer) {
  return unrecorded([&](Context& context) {
    if (pointer == nullptr || context.host_memory.free(context.device().memory(), pointer)) return cudaSuccess;
    return warpfold::host::refuse(cudaErrorInvalidValue,
                                  "cudaFreeHost: not a pointer from cudaMallocHost or cudaHostAlloc");
  });
}
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return unrecorded([&](Context& context) { return warpfold::host::register_host(context, pointer, bytes, flags); });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return unrecorded([&](Context& context) {
    const bool was = context.host_memory.unregister(context.device().memory(), pointer);
    return was ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return guarded([&](Context& context) { return warpfold::host::device_pointer(context, device, host, flags); });
}
cudaError_t cudaHostGetFlags(unsigned int* flags, void* pointer) {
  return guarded([&](Context& context) {
    const auto* const entry = context.host_memory.pinned_at(pointer);
    if (flags == nullptr || entry == nullptr || entry->second.registered) return cudaErrorInvalidValue;
    *flags = entry->second.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return guarded([&](Context& context) {
    if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
    *free_bytes = context.device().memory().free_bytes();
    *total_bytes = context.device().memory().capacity();
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return guarded([&](Context& context) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = warpfold::host::attributes_of(context, pointer);
    return cudaSuccess;
  });
}

}  // extern "C"
