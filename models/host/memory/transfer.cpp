// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/memory/transfer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "warpfold/common/saturating.h"

namespace warpfold::host {
namespace {

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

bool on_device(Place place) { return place == Place::kDevice || place == Place::kManaged; }

bool is_host(cudaMemcpyKind kind, bool target) {
  return kind == cudaMemcpyHostToHost || kind == (target ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

cudaError_t copy_on_device(Context& context, const char* call, Address to, Address from, std::uint64_t bytes) {
  DeviceMemory& memory = context.device().memory();
  if (memory.copy(to, from, bytes)) return cudaSuccess;
  const Allocation* const source = memory.find(from);
  return outside(context, call, source == nullptr || !source->holds(from, bytes) ? from : to, bytes);
}

// The bytes alone, whose direction is resolved.
cudaError_t move(Context& context, const char* call, void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return refuse(cudaErrorInvalidValue, "{}: null pointer", call);
  DeviceMemory& memory = context.device().memory();
  if (!is_host(kind, true)) to = const_cast<void*>(context.managed.on_device(to));
  if (!is_host(kind, false)) from = context.managed.on_device(from);
  if ((is_host(kind, true) && place_of(context, to) == Place::kDevice) ||
      (is_host(kind, false) && place_of(context, from) == Place::kDevice)) {
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

cudaError_t copy_rows_now(Context& context, const Transfer& how, void* to, std::size_t to_pitch, const void* from,
                          std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) {
    return refuse(cudaErrorInvalidPitchValue, "{}: rows of {} bytes do not fit pitches of {} and {}", how.call, width,
                  to_pitch, from_pitch);
  }
  kind = resolve(kind, place_of(context, to), place_of(context, from));
  for (std::size_t y = 0; y < height && width != 0; ++y) {
    const cudaError_t error = move(context, how.call, reinterpret_cast<void*>(to_address(to) + y * to_pitch),
                                   reinterpret_cast<const void*>(to_address(from) + y * from_pitch), width, kind);
    if (error != cudaSuccess) return error;
  }
  charge_copy(context, how, kind, is_host(kind, true) ? to : from, width * height);
  return cudaSuccess;
}

// False: not all of it is in one allocation, and nothing has been done.
bool fill_row(DeviceMemory& memory, Address row, std::size_t bytes, const cudaMemsetParams& p) {
  constexpr std::size_t kPart = 4096;
  if (p.elementSize == 1) return memory.fill(row, static_cast<std::uint8_t>(p.value), bytes);
  const Allocation* const target = memory.find(row);
  if (target == nullptr || !target->holds(row, bytes)) return false;
  std::array<std::byte, kPart> part{};
  for (std::size_t at = 0; at < kPart; at += p.elementSize) std::memcpy(&part[at], &p.value, p.elementSize);
  for (std::size_t at = 0; at < bytes; at += kPart) memory.write(row + at, part.data(), std::min(kPart, bytes - at));
  return true;
}

cudaError_t fill_now(Context& context, const Transfer& how, const cudaMemsetParams& p) {
  const std::size_t bytes = saturating_product(p.width, p.elementSize);  // of a row
  if (bytes > p.pitch && p.height > 1) {
    return refuse(cudaErrorInvalidValue, "{}: rows of {} bytes do not fit a pitch of {}", how.call, bytes, p.pitch);
  }
  for (std::size_t y = 0; y < p.height && bytes != 0; ++y) {
    const Address row = context.managed.on_device(to_address(p.dst)) + y * p.pitch;
    if (!fill_row(context.device().memory(), row, bytes, p)) return outside(context, how.call, row, bytes);
  }
  const double seconds = static_cast<double>(bytes * p.height) / context.device().figures().memory_bytes_per_second;
  context.timeline.enqueue(how.stream, Timeline::Engine::kKernels, seconds);
  return cudaSuccess;
}

}  // namespace

cudaError_t check_stream(Context& context, const char* call, cudaStream_t stream) {
  if (!context.timeline.knows(stream)) return refuse(cudaErrorInvalidResourceHandle, "{}: no such stream", call);
  if (stream == nullptr || stream == cudaStreamLegacy) {
    const auto is_waited_for = [&](cudaStream_t other) {
      return context.timeline.knows(other) && (context.timeline.flags(other) & cudaStreamNonBlocking) == 0;
    };
    if (!context.graphs.invalidate(is_waited_for)) return cudaSuccess;
    return refuse(cudaErrorStreamCaptureImplicit, "{}: work of the default stream while another is captured", call);
  }
  const Graphs::Recording* const recording = context.graphs.recorded(stream);
  if (recording == nullptr || recording->graph != nullptr) return cudaSuccess;
  return refuse(cudaErrorStreamCaptureInvalidated, "{}: the stream's capture has failed before, and is yet to be ended",
                call);
}

Address byte_of(const cudaPitchedPtr& memory, const cudaPos& at) {
  const std::size_t rows = saturating_sum(saturating_product(at.z, memory.ysize), at.y);
  const std::size_t bytes = saturating_sum(saturating_product(rows, memory.pitch), at.x);
  return saturating_sum(to_address(memory.ptr), bytes);
}

cudaError_t count_slices(const char* call, const cudaPitchedPtr& memory, const cudaExtent& box, std::size_t& slices) {
  slices = box.width == 0 || box.height == 0 ? 0 : box.depth;
  if (slices < 2 || box.height <= memory.ysize) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "{}: {} rows do not fit slices of {}", call, box.height, memory.ysize);
}

Place place_of(Context& context, const void* pointer) {
  const DeviceMemory& memory = context.device().memory();
  if (to_address(pointer) - memory.base() < memory.capacity()) return Place::kDevice;
  if (const Allocation* const allocation = memory.find(to_address(pointer))) {
    if (allocation->home == Allocation::Home::kHost) return Place::kDevice;  // the device's name for it
    const auto* const begin = reinterpret_cast<void*>(allocation->begin);
    return context.host_memory.pinned_at(begin) == nullptr ? Place::kManaged : Place::kPinned;
  }
  return context.host_memory.pinned_at(pointer) == nullptr ? Place::kPageable : Place::kPinned;
}

cudaMemcpyKind resolve(cudaMemcpyKind kind, Place to, Place from) {
  if (kind != cudaMemcpyDefault) return kind;
  if (on_device(to)) return on_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return on_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

void charge_copy(Context& context, const Transfer& how, cudaMemcpyKind kind, const void* host_side, std::size_t bytes) {
  if (bytes == 0) return;
  const DeviceFigures& figures = context.device().figures();
  Timeline& timeline = context.timeline;
  const auto amount = static_cast<double>(bytes);
  if (kind == cudaMemcpyDeviceToDevice) {
    timeline.enqueue(how.stream, Timeline::Engine::kKernels, 2 * amount / figures.memory_bytes_per_second);
    return;
  }
  const double seconds = figures.bus_latency_seconds + amount / figures.bus_bytes_per_second;
  double done = 0;
  if (kind == cudaMemcpyHostToHost) {
    done = timeline.ready(how.stream) + seconds;
    timeline.hold_back(how.stream, done);
  } else {
    const bool in = kind == cudaMemcpyHostToDevice;
    done = timeline.enqueue(how.stream, in ? Timeline::Engine::kIn : Timeline::Engine::kOut, seconds);
  }
  if (!how.asynchronous || place_of(context, host_side) == Place::kPageable) timeline.wait_until(done);
}

cudaError_t copy(Context& context, const Transfer& how, void* to, const void* from, std::size_t bytes,
                 cudaMemcpyKind kind) {
  return copy_rows(context, how, to, bytes, from, bytes, bytes, 1, kind);
}

cudaError_t copy_rows(Context& context, const Transfer& how, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return carry_out(
      context, how, cudaGraphNodeTypeMemcpy,
      [=](Context& when, const Transfer& there) {
        return copy_rows_now(when, there, to, to_pitch, from, from_pitch, width, height, kind);
      },
      [=](Graph::Node& node) {
        node.copy.dstPtr = make_cudaPitchedPtr(to, to_pitch, width, height);
        node.copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), from_pitch, width, height);
        node.copy.extent = make_cudaExtent(width, height, 1);
        node.copy.kind = kind;
      });
}

cudaError_t fill(Context& context, const Transfer& how, const cudaMemsetParams& parameters) {
  return carry_out(
      context, how, cudaGraphNodeTypeMemset,
      [=](Context& when, const Transfer& there) { return fill_now(when, there, parameters); },
      [&](Graph::Node& node) { node.fill = parameters; });
}

}  // namespace warpfold::host
