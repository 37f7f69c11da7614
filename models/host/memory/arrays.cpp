// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: texels of which the machine knows the layout.
#include <algorithm>
#include <utility>

#include "warpfold/host/runtime/context.h"
#include "warpfold/isa/decode/layout.h"

namespace warpfold::host {
namespace {

constexpr std::uint64_t kRowAlignment = 64;  // no texel straddles a line of a cache

// Compute capability 7.0 (CUDA C++ programming guide, "Features and Technical Specifications").
constexpr std::size_t kMostWidth = 131072, kMostHeight = 65536, kMostDepth = 16384, kMostLayers = 2048;

bool can_be_cubes(const cudaExtent& extent, bool layered) {
  const bool faces = layered ? extent.depth % 6 == 0 : extent.depth == 6;
  return faces && extent.width == extent.height;
}

bool can_be(const cudaExtent& extent, bool layered) {
  const std::size_t most_deep = layered ? kMostLayers : kMostDepth;
  const bool volume = !layered && extent.depth > 0;
  const bool shape = layered ? extent.depth > 0 : extent.depth == 0 || extent.height > 0;
  return shape && extent.width > 0 && extent.width <= (volume ? kMostDepth : kMostWidth) &&
         extent.height <= (volume ? kMostDepth : kMostHeight) && extent.depth <= most_deep;
}

isa::Image lay_out(const cudaChannelFormatDesc& format, const cudaExtent& extent, bool layered, bool cube) {
  isa::Image image = image_of(format);
  image.cube = cube;
  image.dimensions = extent.height == 0 ? 1 : extent.depth == 0 || layered ? 2 : 3;
  image.size = {static_cast<std::uint32_t>(extent.width),
                static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1)),
                layered ? 1 : static_cast<std::uint32_t>(std::max<std::size_t>(extent.depth, 1))};
  image.layers = layered ? static_cast<std::uint32_t>(extent.depth) : 0;
  image.row_bytes = isa::align_up(image.used_row_bytes(), kRowAlignment);
  image.slice_bytes = image.row_bytes * image.size[1];
  return image;
}

cudaError_t allocate(Context& context, const char* call, cudaArray_t* array, const cudaChannelFormatDesc* format,
                     const cudaExtent& extent, unsigned flags, const CallSite& at) {
  if (array == nullptr || format == nullptr) return cudaErrorInvalidValue;
  *array = nullptr;
  if (!is_texel_format(*format)) return no_texel_format(call);
  const bool cube = (flags & cudaArrayCubemap) != 0;
  if (cube && !can_be_cubes(extent, (flags & cudaArrayLayered) != 0)) {
    return refuse(cudaErrorInvalidValue, "{}: {} x {} x {} texels are no cubemap, which has six square faces", call,
                  extent.width, extent.height, extent.depth);
  }
  const bool layered = cube || (flags & cudaArrayLayered) != 0;
  if (!can_be(extent, layered)) {
    return refuse(cudaErrorInvalidValue, "{}: no array can be {} x {} x {} texels{}", call, extent.width, extent.height,
                  extent.depth, layered ? ", the last of them layers" : "");
  }
  isa::Image image = lay_out(*format, extent, layered, cube);
  DeviceMemory& memory = context.device().memory();
  image.begin = memory.allocate(image.slices() * image.slice_bytes, fmt::format("{} #{}", call, ++context.mallocs), at);
  if (image.begin == 0) {
    return refuse(cudaErrorMemoryAllocation, "{}: {} bytes asked for, {} free on the device", call,
                  image.slices() * image.slice_bytes, memory.free_bytes());
  }
  auto made = std::make_unique<cudaArray>(cudaArray{image, *format, extent, flags});
  *array = made.get();
  context.images.arrays.emplace(*array, std::move(made));
  return cudaSuccess;
}

}  // namespace

cudaError_t no_texel_format(const char* call) {
  return refuse(cudaErrorInvalidChannelDescriptor, "{}: texels have 1, 2 or 4 components of 8, 16 or 32 bits each",
                call);
}

cudaError_t no_array(const char* call) {
  return refuse(cudaErrorInvalidValue, "{}: not an array, or freed already", call);
}

bool is_texel_format(const cudaChannelFormatDesc& format) {
  const int bits = format.x;
  const bool floats = format.f == cudaChannelFormatKindFloat;
  const bool kind = floats || format.f == cudaChannelFormatKindSigned || format.f == cudaChannelFormatKindUnsigned;
  if (!kind || !((bits == 8 && !floats) || bits == 16 || bits == 32)) return false;
  const bool one = format.y == 0 && format.z == 0 && format.w == 0;
  const bool two = format.y == bits && format.z == 0 && format.w == 0;
  return one || two || (format.y == bits && format.z == bits && format.w == bits);
}

bool same_format(const cudaChannelFormatDesc& a, const cudaChannelFormatDesc& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w && a.f == b.f;
}

isa::Image image_of(const cudaChannelFormatDesc& format) {
  isa::Image image;
  image.channels = static_cast<std::uint8_t>(format.y == 0 ? 1 : format.z == 0 ? 2 : 4);
  image.channel_bytes = static_cast<std::uint8_t>(format.x / 8);
  image.kind = format.f == cudaChannelFormatKindFloat    ? isa::ChannelKind::kFloat
               : format.f == cudaChannelFormatKindSigned ? isa::ChannelKind::kSigned
                                                         : isa::ChannelKind::kUnsigned;
  return image;
}

}  // namespace warpfold::host

using warpfold::CallSite;
using warpfold::host::Context;
using warpfold::host::guarded;
using warpfold::host::unrecorded;

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned int flags) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded([&](Context& context) {
    return warpfold::host::allocate(context, "cudaMallocArray", array, format, {width, height, 0}, flags, at);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned int flags) {
  const CallSite at = CallSite::of(__builtin_return_address(0));
  return unrecorded([&](Context& context) {
    return warpfold::host::allocate(context, "cudaMalloc3DArray", array, format, extent, flags, at);
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return unrecorded([&](Context& context) {
    if (array == nullptr) return cudaSuccess;
    const cudaArray* const found = context.images.array(array);
    if (found == nullptr) {
      return warpfold::host::no_array("cudaFreeArray");
    }
    context.device().memory().release(found->image.begin);
    context.images.arrays.erase(array);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t array) {
  return guarded([&](Context& context) {
    const cudaArray* const found = context.images.array(array);
    if (found == nullptr) return cudaErrorInvalidValue;
    if (format != nullptr) *format = found->format;
    if (extent != nullptr) *extent = found->extent;
    if (flags != nullptr) *flags = found->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return guarded([&](Context& context) {
    const cudaArray* const found = context.images.array(array);
    if (found == nullptr || format == nullptr) return cudaErrorInvalidValue;
    *format = found->format;
    return cudaSuccess;
  });
}

}  // extern "C"
