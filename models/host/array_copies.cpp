// SPDX-License-Identifier: Apache-2.0
// Copies to, from and between CUDA arrays, and of boxes of pitched memory. What memory.cpp says of the time of copies
// holds for these.
#include <algorithm>
#include <cstring>
#include <optional>

#include "warpfold/host/context.h"

namespace warpfold::host {
namespace {

// One end of a copy: rows of bytes, in slices.
struct Side {
  bool on_device = false;
  std::uint64_t begin = 0;  // a device address, or the host's
  std::size_t row_bytes = 0, slice_bytes = 0;
};

struct Box {
  std::size_t width = 0, height = 0, depth = 0;  // bytes, rows, slices
};

// Where it begins: byte of the row, row, slice.
struct Corner {
  std::size_t x = 0, y = 0, z = 0;
};

bool is_device(Context& context, std::uint64_t address) { return context.device().memory().contains(address, 1); }

// Nothing: the box is not in the array.
std::optional<Side> side_of(const cudaArray& array, const Corner& corner, const Box& box) {
  const isa::Image& image = array.image;
  const auto within = [](std::size_t begin, std::size_t count, std::uint64_t size) {
    return begin <= size && count <= size - begin;
  };
  if (!within(corner.x, box.width, image.used_row_bytes()) || !within(corner.y, box.height, image.size[1]) ||
      !within(corner.z, box.depth, image.slices())) {
    return std::nullopt;
  }
  return Side{true, image.at(corner.x, corner.y, corner.z), image.row_bytes, image.slice_bytes};
}

Side side_of(Context& context, const void* pointer, std::size_t row_bytes, std::size_t slice_bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  return {is_device(context, address), address, row_bytes, slice_bytes};
}

std::byte* host_bytes(Context& context, const Side& side, std::uint64_t at) {
  return side.on_device ? context.device().memory().host(at) : reinterpret_cast<std::byte*>(at);
}

// The last byte of the box lies in the allocation of its first.
bool is_allocated(Context& context, const Side& side, const Box& box) {
  if (!side.on_device) return side.begin != 0;
  const Allocation* const allocation = context.device().memory().find(side.begin);
  const std::uint64_t bytes = (box.depth - 1) * side.slice_bytes + (box.height - 1) * side.row_bytes + box.width;
  return allocation != nullptr && allocation->holds(side.begin, bytes);
}

bool agrees(cudaMemcpyKind kind, const Side& to, const Side& from) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to.on_device && !from.on_device;
    case cudaMemcpyHostToDevice:
      return to.on_device && !from.on_device;
    case cudaMemcpyDeviceToHost:
      return !to.on_device && from.on_device;
    case cudaMemcpyDeviceToDevice:
      return to.on_device && from.on_device;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

cudaError_t copy_box(Context& context, const char* call, const Side& to, const Side& from, const Box& box,
                     cudaMemcpyKind kind) {
  if (!agrees(kind, to, from)) {
    return refuse(cudaErrorInvalidMemcpyDirection, "{}: from {} to {} is not the direction that it names", call,
                  from.on_device ? "device" : "host", to.on_device ? "device" : "host");
  }
  if (box.width == 0 || box.height == 0 || box.depth == 0) return cudaSuccess;
  for (const Side* const side : {&to, &from}) {
    if (box.height > 1 && box.width > side->row_bytes) {
      return refuse(cudaErrorInvalidPitchValue, "{}: rows of {} bytes do not fit a pitch of {}", call, box.width,
                    side->row_bytes);
    }
    if (!is_allocated(context, *side, box)) {
      return refuse(cudaErrorInvalidValue, "{}: {} slices of {} rows of {} bytes at {:#x} lie outside any allocation",
                    call, box.depth, box.height, box.width, side->begin);
    }
  }
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      const std::uint64_t target = to.begin + z * to.slice_bytes + y * to.row_bytes;
      const std::uint64_t source = from.begin + z * from.slice_bytes + y * from.row_bytes;
      std::memmove(host_bytes(context, to, target), host_bytes(context, from, source), box.width);
      if (to.on_device) context.device().memory().note_written(target, box.width);
      if (to.on_device && !from.on_device) context.device().copied_in(target, box.width);
    }
  }
  return cudaSuccess;
}

cudaError_t outside(const char* call, const cudaArray& array, const Corner& corner, const Box& box) {
  return refuse(
      cudaErrorInvalidValue,
      "{}: {} slices of {} rows of {} bytes from byte {}, row {}, slice {} on are not in the array of {} slices "
      "of {} rows of {} bytes",
      call, box.depth, box.height, box.width, corner.x, corner.y, corner.z, array.image.slices(), array.image.size[1],
      array.image.used_row_bytes());
}

cudaError_t no_array(const char* call) {
  return refuse(cudaErrorInvalidValue, "{}: not an array, or freed already", call);
}

// Rows between an array and pitched memory.
cudaError_t copy_rows(Context& context, const char* call, cudaArray_const_t handle, const Corner& corner,
                      const Side& memory, const Box& box, cudaMemcpyKind kind, bool into_array) {
  const cudaArray* const array = context.images.array(handle);
  if (array == nullptr) return no_array(call);
  const auto side = side_of(*array, corner, box);
  if (!side) return outside(call, *array, corner, box);
  return into_array ? copy_box(context, call, *side, memory, box, kind)
                    : copy_box(context, call, memory, *side, box, kind);
}

// Bytes in the order of the array's rows, from anywhere in one to anywhere in another.
cudaError_t copy_bytes(Context& context, const char* call, cudaArray_const_t handle, Corner corner, const void* memory,
                       std::size_t bytes, cudaMemcpyKind kind, bool into_array) {
  const cudaArray* const array = context.images.array(handle);
  if (array == nullptr) return no_array(call);
  const std::uint64_t row = array->image.used_row_bytes(), rows = array->image.size[1];
  if (corner.x >= row || corner.y >= rows || bytes > (rows - corner.y) * row - corner.x) {
    return outside(call, *array, corner, {bytes, 1, 1});
  }
  const auto* at = static_cast<const std::byte*>(memory);
  while (bytes > 0) {
    const std::size_t part = std::min<std::size_t>(bytes, row - corner.x);
    const cudaError_t error =
        copy_rows(context, call, handle, corner, side_of(context, at, part, part), {part, 1, 1}, kind, into_array);
    if (error != cudaSuccess) return error;
    at += part;
    bytes -= part;
    corner = {0, corner.y + 1, 0};
  }
  return cudaSuccess;
}

// A side of cudaMemcpy3D: an array, whose position counts texels, or pitched memory, whose counts bytes.
std::optional<Side> side_of(Context& context, cudaArray_t handle, const cudaPitchedPtr& pitched, const cudaPos& pos,
                            const Box& box) {
  if (handle == nullptr) {
    const std::size_t slice = pitched.pitch * pitched.ysize;
    const auto* const at = static_cast<const std::byte*>(pitched.ptr) + pos.z * slice + pos.y * pitched.pitch + pos.x;
    return side_of(context, at, pitched.pitch, slice);
  }
  const cudaArray& array = *context.images.array(handle);
  return side_of(array, Corner{pos.x * array.image.texel_bytes(), pos.y, pos.z}, box);
}

cudaError_t copy_3d(Context& context, const cudaMemcpy3DParms* p) {
  constexpr const char* kCall = "cudaMemcpy3D";
  if (p == nullptr) return cudaErrorInvalidValue;
  if ((p->srcArray == nullptr) == (p->srcPtr.ptr == nullptr) ||
      (p->dstArray == nullptr) == (p->dstPtr.ptr == nullptr)) {
    return refuse(cudaErrorInvalidValue, "{}: each end is an array or a pitched pointer, and only one of them", kCall);
  }
  // The extent counts texels where there is an array, else bytes.
  std::size_t unit = 1;
  for (const cudaArray_t handle : {p->srcArray, p->dstArray}) {
    if (handle == nullptr) continue;
    const cudaArray* const array = context.images.array(handle);
    if (array == nullptr) return no_array(kCall);
    if (unit != 1 && unit != array->image.texel_bytes()) {
      return refuse(cudaErrorInvalidValue, "{}: texels of {} bytes into texels of {}", kCall, unit,
                    array->image.texel_bytes());
    }
    unit = array->image.texel_bytes();
  }
  const Box box{p->extent.width * unit, p->extent.height, p->extent.depth};
  const auto from = side_of(context, p->srcArray, p->srcPtr, p->srcPos, box);
  const auto to = side_of(context, p->dstArray, p->dstPtr, p->dstPos, box);
  if (!from || !to) {
    return refuse(cudaErrorInvalidValue, "{}: {} x {} x {} texels do not lie in the array from its position on", kCall,
                  p->extent.width, p->extent.height, p->extent.depth);
  }
  return copy_box(context, kCall, *to, *from, box, p->kind);
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::side_of;

extern "C" {

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_bytes(context, "cudaMemcpyToArray", to, {x, y, 0}, from, bytes, kind, true);
  });
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToArray(to, x, y, from, bytes, kind);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_bytes(context, "cudaMemcpyFromArray", from, {x, y, 0}, to, bytes, kind, false);
  });
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyFromArray(to, from, x, y, bytes, kind);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_rows(context, "cudaMemcpy2DToArray", to, {x, y, 0},
                                     side_of(context, from, pitch, pitch * height), {width, height, 1}, kind, true);
  });
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::copy_rows(context, "cudaMemcpy2DFromArray", from, {x, y, 0},
                                     side_of(context, to, pitch, pitch * height), {width, height, 1}, kind, false);
  });
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    constexpr const char* kCall = "cudaMemcpy2DArrayToArray";
    const cudaArray* const source = context.images.array(from);
    if (source == nullptr) return warpfold::host::no_array(kCall);
    const auto side = side_of(*source, {from_x, from_y, 0}, {width, height, 1});
    if (!side) return warpfold::host::outside(kCall, *source, {from_x, from_y, 0}, {width, height, 1});
    return warpfold::host::copy_rows(context, kCall, to, {to_x, to_y, 0}, *side, {width, height, 1}, kind, true);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return guarded([&](Context& context) { return warpfold::host::copy_3d(context, parameters); });
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t) { return cudaMemcpy3D(parameters); }

}  // extern "C"
