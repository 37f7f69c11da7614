// SPDX-License-Identifier: Apache-2.0
// Allocation, copies and fills. Copies cost no simulated time: the model times kernels; they may leave lines in the L2.
#include <cstdlib>
#include <cstring>
#include <new>

#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

constexpr std::size_t kPitchAlignment = 512;  // what current devices use, and a multiple of every line size

Address to_address(const void* pointer) { return reinterpret_cast<Address>(pointer); }
void* to_pointer(Address address) { return reinterpret_cast<void*>(address); }

bool is_device(Context& context, const void* pointer) {
  const DeviceMemory& memory = context.device().memory();
  return to_address(pointer) - memory.base() < memory.capacity();
}

cudaError_t outside(Context& context, const char* call, Address at, std::uint64_t bytes) {
  const Allocation* nearest = context.device().memory().nearest(at);
  if (nearest == nullptr) {
    return refuse(cudaErrorInvalidValue, "{}: {} bytes at {:#x}, but nothing is allocated on the device", call, bytes,
                  at);
  }
  return refuse(cudaErrorInvalidValue,
                "{}: {} bytes at {:#x} lie outside the device's allocations; the nearest is {}: {} bytes at {:#x}",
                call, bytes, at, nearest->name, nearest->bytes, nearest->begin);
}

cudaMemcpyKind resolve(Context& context, void* to, const void* from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDefault) return kind;
  const bool to_device = is_device(context, to), from_device = is_device(context, from);
  if (to_device) return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

cudaError_t copy_on_device(Context& context, const char* call, Address to, Address from, std::uint64_t bytes) {
  DeviceMemory& memory = context.device().memory();
  const Allocation* source = memory.find(from);
  if (source == nullptr || !source->holds(from, bytes)) return outside(context, call, from, bytes);
  const Allocation* target = memory.find(to);
  if (target == nullptr || !target->holds(to, bytes)) return outside(context, call, to, bytes);
  std::memmove(memory.host(to), memory.host(from), bytes);
  return cudaSuccess;
}

cudaError_t copy(Context& context, const char* call, void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return refuse(cudaErrorInvalidValue, "{}: null pointer", call);
  DeviceMemory& memory = context.device().memory();
  kind = resolve(context, to, from, kind);
  const bool host_to = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
  const bool host_from = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
  if ((host_to && is_device(context, to)) || (host_from && is_device(context, from))) {
    return refuse(cudaErrorInvalidMemcpyDirection,
                  "{}: a device pointer where the copy's direction wants a host pointer", call);
  }
  switch (kind) {
    case cudaMemcpyHostToHost:
      std::memmove(to, from, bytes);
      return cudaSuccess;
    case cudaMemcpyHostToDevice:
      if (!memory.write(to_address(to), from, bytes)) return outside(context, call, to_address(to), bytes);
      context.device().copied_in(to_address(to), bytes);
      return cudaSuccess;
    case cudaMemcpyDeviceToHost:
      return memory.read(to_address(from), to, bytes) ? cudaSuccess : outside(context, call, to_address(from), bytes);
    case cudaMemcpyDeviceToDevice:
      return copy_on_device(context, call, to_address(to), to_address(from), bytes);
    default:
      return refuse(cudaErrorInvalidMemcpyDirection, "{}: {} is no direction", call, static_cast<int>(kind));
  }
}

cudaError_t copy_rows(Context& context, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) {
    return refuse(cudaErrorInvalidPitchValue, "cudaMemcpy2D: rows of {} bytes do not fit pitches of {} and {}", width,
                  to_pitch, from_pitch);
  }
  for (std::size_t y = 0; y < height; ++y) {
    const cudaError_t error = copy(context, "cudaMemcpy2D", static_cast<char*>(to) + y * to_pitch,
                                   static_cast<const char*>(from) + y * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t allocate(Context& context, void** pointer, std::size_t bytes, const char* call) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const Address at = context.device().memory().allocate(bytes, fmt::format("{} #{}", call, ++context.mallocs));
  if (at == 0) {
    return refuse(cudaErrorMemoryAllocation, "{}: {} bytes asked for, {} free on the device", call, bytes,
                  context.device().memory().free_bytes());
  }
  *pointer = to_pointer(at);
  return cudaSuccess;
}

cudaError_t allocate_host(Context& context, void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = std::malloc(bytes == 0 ? 1 : bytes);
  if (*pointer == nullptr) return cudaErrorMemoryAllocation;
  context.host_allocations[*pointer] = bytes;
  return cudaSuccess;
}

cudaError_t fill(Context& context, void* to, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (context.device().memory().fill(to_address(to), static_cast<std::uint8_t>(value), bytes)) return cudaSuccess;
  return outside(context, "cudaMemset", to_address(to), bytes);
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return guarded([&](Context& context) { return warpfold::host::allocate(context, pointer, bytes, "cudaMalloc"); });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return guarded([&](Context& context) {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    constexpr std::size_t kUnit = warpfold::host::kPitchAlignment;
    *pitch = (width + kUnit - 1) / kUnit * kUnit;
    return warpfold::host::allocate(context, pointer, *pitch * height, "cudaMallocPitch");
  });
}

cudaError_t cudaFree(void* pointer) {
  return guarded([&](Context& context) {
    // cudaFree(0) is the customary way to wake the runtime.
    if (pointer == nullptr || context.device().memory().release(warpfold::host::to_address(pointer)))
      return cudaSuccess;
    return warpfold::host::refuse(cudaErrorInvalidDevicePointer, "cudaFree: {:#x} is not the start of an allocation",
                                  warpfold::host::to_address(pointer));
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return guarded([&](Context& context) { return warpfold::host::allocate_host(context, pointer, bytes); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int) { return cudaMallocHost(pointer, bytes); }

cudaError_t cudaFreeHost(void* pointer) {
  return guarded([&](Context& context) {
    if (pointer == nullptr) return cudaSuccess;
    if (context.host_allocations.erase(pointer) == 0) {
      return warpfold::host::refuse(cudaErrorInvalidValue,
                                    "cudaFreeHost: not a pointer from cudaMallocHost or cudaHostAlloc");
    }
    std::free(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t, unsigned int) {
  return warpfold::host::record_error(pointer == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return guarded([&](Context& context) {
    *free_bytes = context.device().memory().free_bytes();
    *total_bytes = context.device().memory().capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return guarded([&](Context& context) {
    *attributes = {};
    if (warpfold::host::is_device(context, pointer)) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = const_cast<void*>(pointer);
    } else {
      attributes->type = context.host_allocations.contains(const_cast<void*>(pointer)) ? cudaMemoryTypeHost
                                                                                       : cudaMemoryTypeUnregistered;
      attributes->hostPointer = const_cast<void*>(pointer);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return guarded([&](Context& context) { return warpfold::host::copy(context, "cudaMemcpy", to, from, bytes, kind); });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return guarded(
      [&](Context& context) { return warpfold::host::copy(context, "cudaMemcpyAsync", to, from, bytes, kind); });
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_rows(context, to, to_pitch, from, from_pitch, width, height, kind);
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return guarded([&](Context& context) { return warpfold::host::fill(context, to, value, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) { return cudaMemset(to, value, bytes); }
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return guarded([&](Context& context) {
    for (std::size_t y = 0; y < height; ++y) {
      const cudaError_t error = warpfold::host::fill(context, static_cast<char*>(to) + y * pitch, value, width);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
