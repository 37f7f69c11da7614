// SPDX-License-Identifier: Apache-2.0
// Copies to, from and between CUDA arrays, and of boxes of pitched memory.
#include <algorithm>
#include <cstring>
#include <optional>

#include "warpfold/common/saturating.h"
#include "warpfold/host/memory/transfer.h"

namespace warpfold::host {
namespace {

// One end of a copy: rows of bytes, in slices.
struct Side {
  Place place = Place::kDevice;
  Address begin = 0;  // the device's, or the host's
  std::size_t row_bytes = 0, slice_bytes = 0;
};

struct Box {
  std::size_t width = 0, height = 0, depth = 0;  // bytes, rows, slices
  std::size_t bytes() const { return saturating_product(saturating_product(width, height), depth); }
};

// Where it begins: byte of the row, row, slice.
struct Corner {
  std::size_t x = 0, y = 0, z = 0;
};

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
  return Side{Place::kDevice, image.at(corner.x, corner.y, corner.z), image.row_bytes, image.slice_bytes};
}

Side side_of(Context& context, const void* pointer, std::size_t row_bytes, std::size_t slice_bytes) {
  return {place_of(context, pointer), to_address(pointer), row_bytes, slice_bytes};
}

std::byte* host_bytes(Context& context, const Side& side, Address at) {
  return side.place == Place::kDevice ? context.device().memory().host(at) : reinterpret_cast<std::byte*>(at);
}

// The last byte of the box lies in the allocation of its first.
bool is_allocated(Context& context, const Side& side, const Box& box) {
  if (side.place == Place::kPageable || side.place == Place::kPinned) return side.begin != 0;
  const Allocation* const allocation = context.device().memory().find(side.begin);
  const std::uint64_t bytes = saturating_sum(saturating_sum(saturating_product(box.depth - 1, side.slice_bytes),
                                                            saturating_product(box.height - 1, side.row_bytes)),
                                             box.width);
  return allocation != nullptr && allocation->holds(side.begin, bytes);
}

// Both sides reach what is pinned or managed.
bool agrees(cudaMemcpyKind kind, const Side& to, const Side& from) {
  const auto host = [](const Side& side) { return side.place != Place::kDevice; };
  const auto device = [](const Side& side) { return side.place != Place::kPageable; };
  switch (kind) {
    case cudaMemcpyHostToHost:
      return host(to) && host(from);
    case cudaMemcpyHostToDevice:
      return device(to) && host(from);
    case cudaMemcpyDeviceToHost:
      return host(to) && device(from);
    case cudaMemcpyDeviceToDevice:
      return device(to) && device(from);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

cudaError_t move_box(Context& context, const char* call, const Side& to, const Side& from, const Box& box,
                     cudaMemcpyKind kind) {
  if (!agrees(kind, to, from)) {
    return refuse(cudaErrorInvalidMemcpyDirection, "{}: from {} to {} is not the direction that it names", call,
                  from.place == Place::kDevice ? "device" : "host", to.place == Place::kDevice ? "device" : "host");
  }
  if (box.bytes() == 0) return cudaSuccess;
  for (const Side* const side : {&to, &from}) {
    if (box.height > 1 && box.width > side->row_bytes) {
      return refuse(cudaErrorInvalidPitchValue, "{}: rows of {} bytes do not fit a pitch of {}", call, box.width,
                    side->row_bytes);
    }
    if (box.depth > 1 && saturating_product(box.height, side->row_bytes) > side->slice_bytes) {
      return refuse(cudaErrorInvalidValue, "{}: {} rows of {} bytes do not fit slices of {} bytes", call, box.height,
                    side->row_bytes, side->slice_bytes);
    }
    if (!is_allocated(context, *side, box)) {
      return refuse(cudaErrorInvalidValue, "{}: {} slices of {} rows of {} bytes at {:#x} lie outside any allocation",
                    call, box.depth, box.height, box.width, side->begin);
    }
  }
  const bool into_device = to.place == Place::kDevice && from.place != Place::kDevice;
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y) {
      const Address target = to.begin + z * to.slice_bytes + y * to.row_bytes;
      const Address source = from.begin + z * from.slice_bytes + y * from.row_bytes;
      std::memmove(host_bytes(context, to, target), host_bytes(context, from, source), box.width);
      if (to.place == Place::kDevice) context.device().memory().note_written(target, box.width);
      if (into_device) context.device().copied_in(target, box.width);
    }
  }
  return cudaSuccess;
}

void charge(Context& context, const Transfer& how, const Side& to, const Side& from, std::size_t bytes,
            cudaMemcpyKind kind) {
  const Side& host_side = from.place == Place::kDevice ? to : from;
  charge_copy(context, how, resolve(kind, to.place, from.place), reinterpret_cast<const void*>(host_side.begin), bytes);
}

cudaError_t copy_box(Context& context, const Transfer& how, const Side& to, const Side& from, const Box& box,
                     cudaMemcpyKind kind) {
  const cudaError_t error = move_box(context, how.call, to, from, box, kind);
  if (error == cudaSuccess) charge(context, how, to, from, box.bytes(), kind);
  return error;
}

cudaError_t outside(const char* call, const cudaArray& array, const Corner& corner, const Box& box) {
  return refuse(
      cudaErrorInvalidValue,
      "{}: {} slices of {} rows of {} bytes from byte {}, row {}, slice {} on are not in the array of {} slices "
      "of {} rows of {} bytes",
      call, box.depth, box.height, box.width, corner.x, corner.y, corner.z, array.image.slices(), array.image.size[1],
      array.image.used_row_bytes());
}

// Rows between an array and pitched memory.
cudaError_t copy_rows(Context& context, const Transfer& how, cudaArray_const_t handle, const Corner& corner,
                      const Side& memory, const Box& box, cudaMemcpyKind kind, bool into_array) {
  const cudaArray* const array = context.images.array(handle);
  if (array == nullptr) return no_array(how.call);
  const auto side = side_of(*array, corner, box);
  if (!side) return outside(how.call, *array, corner, box);
  return into_array ? copy_box(context, how, *side, memory, box, kind)
                    : copy_box(context, how, memory, *side, box, kind);
}

// Bytes in the order of the array's rows, from anywhere in one to anywhere in another.
cudaError_t copy_bytes(Context& context, const Transfer& how, cudaArray_const_t handle, Corner corner,
                       const void* memory, std::size_t bytes, cudaMemcpyKind kind, bool into_array) {
  const cudaArray* const array = context.images.array(handle);
  if (array == nullptr) return no_array(how.call);
  const std::uint64_t row = array->image.used_row_bytes(), rows = array->image.size[1];
  if (corner.x >= row || corner.y >= rows || bytes > (rows - corner.y) * row - corner.x) {
    return outside(how.call, *array, corner, {bytes, 1, 1});
  }
  const Side whole = side_of(context, memory, bytes, bytes);
  const Side texels = *side_of(*array, corner, {});
  for (std::size_t done = 0; done < bytes; corner = {0, corner.y + 1, 0}) {
    const Box part{std::min<std::size_t>(bytes - done, row - corner.x), 1, 1};
    Side there = whole;
    there.begin += done;
    const Side here = *side_of(*array, corner, part);
    const cudaError_t error = into_array ? move_box(context, how.call, here, there, part, kind)
                                         : move_box(context, how.call, there, here, part, kind);
    if (error != cudaSuccess) return error;
    done += part.width;
  }
  into_array ? charge(context, how, texels, whole, bytes, kind) : charge(context, how, whole, texels, bytes, kind);
  return cudaSuccess;
}

// A side of cudaMemcpy3D: an array, whose position counts texels, or pitched memory, whose counts bytes.
std::optional<Side> side_of(Context& context, cudaArray_t handle, const cudaPitchedPtr& pitched, const cudaPos& pos,
                            const Box& box) {
  if (handle == nullptr) {
    return Side{place_of(context, pitched.ptr), byte_of(pitched, pos), pitched.pitch,
                saturating_product(pitched.pitch, pitched.ysize)};
  }
  const cudaArray& array = *context.images.array(handle);
  return side_of(array, Corner{saturating_product(pos.x, array.image.texel_bytes()), pos.y, pos.z}, box);
}

}  // namespace

cudaError_t copy_3d(Context& context, const Transfer& how, const cudaMemcpy3DParms& p) {
  if ((p.srcArray == nullptr) == (p.srcPtr.ptr == nullptr) || (p.dstArray == nullptr) == (p.dstPtr.ptr == nullptr)) {
    return refuse(cudaErrorInvalidValue, "{}: each end is an array or a pitched pointer, and only one of them",
                  how.call);
  }
  // The extent counts texels where there is an array, else bytes.
  std::size_t unit = 1;
  for (const cudaArray_t handle : {p.srcArray, p.dstArray}) {
    if (handle == nullptr) continue;
    const cudaArray* const array = context.images.array(handle);
    if (array == nullptr) return no_array(how.call);
    if (unit != 1 && unit != array->image.texel_bytes()) {
      return refuse(cudaErrorInvalidValue, "{}: texels of {} bytes into texels of {}", how.call, unit,
                    array->image.texel_bytes());
    }
    unit = array->image.texel_bytes();
  }
  const Box box{saturating_product(p.extent.width, unit), p.extent.height, p.extent.depth};
  const auto from = side_of(context, p.srcArray, p.srcPtr, p.srcPos, box);
  const auto to = side_of(context, p.dstArray, p.dstPtr, p.dstPos, box);
  if (!from || !to) {
    return refuse(cudaErrorInvalidValue, "{}: {} x {} x {} texels do not lie in the array from its position on",
                  how.call, p.extent.width, p.extent.height, p.extent.depth);
  }
  return copy_box(context, how, *to, *from, box, p.kind);
}

namespace {

cudaError_t copy_between(Context& context, const Transfer& how, cudaArray_t to, const Corner& to_corner,
                         cudaArray_const_t from, const Corner& from_corner, const Box& box, cudaMemcpyKind kind) {
  const cudaArray* const source = context.images.array(from);
  if (source == nullptr) return no_array(how.call);
  const auto side = side_of(*source, from_corner, box);
  if (!side) return outside(how.call, *source, from_corner, box);
  return copy_rows(context, how, to, to_corner, *side, box, kind, true);
}

// Calls of the run-time library, at once or in a stream.
cudaError_t bytes_call(const Transfer& how, cudaArray_const_t array, const Corner& corner, const void* memory,
                       std::size_t bytes, cudaMemcpyKind kind, bool into_array) {
  return guarded([&](Context& context) {
    return carry_out(context, how, cudaGraphNodeTypeMemcpy, [=](Context& when, const Transfer& there) {
      return copy_bytes(when, there, array, corner, memory, bytes, kind, into_array);
    });
  });
}

cudaError_t rows_call(const Transfer& how, cudaArray_const_t array, const Corner& corner, const void* memory,
                      std::size_t pitch, const Box& box, cudaMemcpyKind kind, bool into_array) {
  return guarded([&](Context& context) {
    return carry_out(context, how, cudaGraphNodeTypeMemcpy, [=](Context& when, const Transfer& there) {
      return copy_rows(when, there, array, corner, side_of(when, memory, pitch, pitch * box.height), box, kind,
                       into_array);
    });
  });
}

cudaError_t boxes_call(const Transfer& how, const cudaMemcpy3DParms* parameters) {
  return guarded([&](Context& context) {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    return carry_out(context, how, cudaGraphNodeTypeMemcpy,
                     [p = *parameters](Context& when, const Transfer& there) { return copy_3d(when, there, p); });
  });
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::boxes_call;
using warpfold::host::bytes_call;
using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::rows_call;

extern "C" {

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return bytes_call({"cudaMemcpyToArray"}, to, {x, y, 0}, from, bytes, kind, true);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return bytes_call({"cudaMemcpyToArrayAsync", stream, true}, to, {x, y, 0}, from, bytes, kind, true);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return bytes_call({"cudaMemcpyFromArray"}, from, {x, y, 0}, to, bytes, kind, false);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return bytes_call({"cudaMemcpyFromArrayAsync", stream, true}, from, {x, y, 0}, to, bytes, kind, false);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  return rows_call({"cudaMemcpy2DToArray"}, to, {x, y, 0}, from, pitch, {width, height, 1}, kind, true);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return rows_call({"cudaMemcpy2DToArrayAsync", stream, true}, to, {x, y, 0}, from, pitch, {width, height, 1}, kind,
                   true);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return rows_call({"cudaMemcpy2DFromArray"}, from, {x, y, 0}, to, pitch, {width, height, 1}, kind, false);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return rows_call({"cudaMemcpy2DFromArrayAsync", stream, true}, from, {x, y, 0}, to, pitch, {width, height, 1}, kind,
                   false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  return guarded([&](Context& context) {
    return warpfold::host::carry_out(
        context, {"cudaMemcpy2DArrayToArray"}, cudaGraphNodeTypeMemcpy, [=](Context& when, const auto& there) {
          return warpfold::host::copy_between(when, there, to, {to_x, to_y, 0}, from, {from_x, from_y, 0},
                                              {width, height, 1}, kind);
        });
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) { return boxes_call({"cudaMemcpy3D"}, parameters); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return boxes_call({"cudaMemcpy3DAsync", stream, true}, parameters);
}

}  // extern "C"
