// SPDX-License-Identifier: Apache-2.0
// Binding of texture and surface references, and the making of texture and surface objects.
#include <algorithm>
#include <cstring>
#include <optional>

#include "warpfold/common/saturating.h"
#include "warpfold/host/runtime/context.h"

namespace warpfold::host {
namespace {

constexpr std::uint64_t kTextureAlignment = DeviceMemory::kAllocationAlignment;  // of every pointer from cudaMalloc
constexpr std::uint64_t kTexturePitchAlignment = 32;
constexpr std::size_t kWholeAllocation = 0xffffffff;  // what cudaBindTexture takes the bytes for if nobody says

// How a texture is read, by a reference's variable or an object's descriptor.
struct Reading {
  const cudaTextureAddressMode* address;
  cudaTextureFilterMode filter;
  bool normalized_coordinates;
  bool normalized_values;
  const float* border = nullptr;
};

cudaError_t not_allocated(const char* call, const isa::Image& image) {
  return refuse(cudaErrorInvalidValue, "{}: {} bytes at {:#x} do not lie in one allocation of the device", call,
                image.bytes(), image.begin);
}

bool is_allocated(Context& context, const isa::Image& image) {
  const Allocation* const allocation = context.device().memory().find(image.begin);
  return allocation != nullptr && allocation->holds(image.begin, image.bytes());
}

// What lies outside reads zero, and nothing is filtered (CUDA C++ programming guide, "Texture Fetching": linear
// memory).
cudaError_t make_linear(Context& context, const char* call, Address at, const cudaChannelFormatDesc& format,
                        std::size_t bytes, isa::Texture& texture) {
  if (!is_texel_format(format)) return no_texel_format(call);
  isa::Image& image = texture.image = image_of(format);
  image.begin = at;
  const Allocation* const allocation = context.device().memory().find(at);
  if (bytes >= kWholeAllocation && allocation != nullptr) bytes = allocation->end() - at;
  const std::size_t texels = bytes / image.texel_bytes();
  if (texels == 0 || texels > UINT32_MAX) {
    return refuse(cudaErrorInvalidValue, "{}: no texture has {} texels", call, texels);
  }
  image.size[0] = static_cast<std::uint32_t>(texels);
  if (!is_allocated(context, image)) return not_allocated(call, image);
  texture.address.fill(isa::AddressMode::kBorder);
  return cudaSuccess;
}

cudaError_t make_pitched(Context& context, const char* call, Address at, const cudaChannelFormatDesc& format,
                         const cudaExtent& extent, std::size_t pitch, isa::Texture& texture) {
  if (!is_texel_format(format)) return no_texel_format(call);
  isa::Image& image = texture.image = image_of(format);
  image.begin = at;
  image.dimensions = 2;
  if (extent.width == 0 || extent.height == 0 || extent.width > UINT32_MAX || extent.height > UINT32_MAX) {
    return refuse(cudaErrorInvalidValue, "{}: no texture has {} x {} texels", call, extent.width, extent.height);
  }
  image.size = {static_cast<std::uint32_t>(extent.width), static_cast<std::uint32_t>(extent.height), 1};
  image.row_bytes = pitch;
  if (pitch % kTexturePitchAlignment != 0 || pitch < image.used_row_bytes()) {
    return refuse(cudaErrorInvalidPitchValue, "{}: a pitch of {} bytes for rows of {}; it is a multiple of {}", call,
                  pitch, image.used_row_bytes(), kTexturePitchAlignment);
  }
  const bool countable = saturating_product(pitch, extent.height) != UINT64_MAX;
  return countable && is_allocated(context, image) ? cudaSuccess : not_allocated(call, image);
}

cudaError_t set_reading(const char* call, const Reading& reading, bool linear_memory, isa::Texture& texture) {
  const isa::Image& image = texture.image;
  const bool integers = image.kind != isa::ChannelKind::kFloat;
  texture.normalized_values = reading.normalized_values && integers;
  if (texture.normalized_values && image.channel_bytes == 4) {
    return refuse(cudaErrorInvalidNormSetting, "{}: integers of 32 bits cannot be read as fractions", call);
  }
  if (linear_memory) return cudaSuccess;
  texture.linear_filter = reading.filter == cudaFilterModeLinear;
  if (texture.linear_filter && !texture.returns_float()) {
    return refuse(cudaErrorInvalidFilterSetting,
                  "{}: linear filtering needs texels that are read as floating-point numbers", call);
  }
  texture.normalized_coordinates = reading.normalized_coordinates || image.cube;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (reading.address[axis] < cudaAddressModeWrap || reading.address[axis] > cudaAddressModeBorder) {
      return refuse(cudaErrorInvalidValue, "{}: {} is no address mode", call, static_cast<int>(reading.address[axis]));
    }
    texture.address[axis] = static_cast<isa::AddressMode>(reading.address[axis]);
  }
  // The bits, so that integers can be given too.
  if (reading.border != nullptr) std::memcpy(texture.border.data(), reading.border, sizeof texture.border);
  return cudaSuccess;
}

// --- references ------------------------------------------------------------------------------------------------------
// The texture is what the reference's handle stands for from the next launch on. Device code that never fetches from it
// has no handle for it.
void bind(Context& context, const void* reference, const isa::Texture& texture) {
  if (const auto place = context.symbol(reference)) {
    context.images.table.textures.insert_or_assign(place->symbol.address, texture);
  }
}

Images::TextureReference* reference_of(Context& context, const char* call, const textureReference* reference,
                                       cudaError_t& error) {
  const auto found = context.images.textures.find(reference);
  if (found != context.images.textures.end()) return &found->second;
  error = refuse(cudaErrorInvalidTexture, "{}: no such texture reference in this program's device code", call);
  return nullptr;
}

Reading reading_of(const textureReference& reference, const Images::TextureReference& registered) {
  return {reference.addressMode, reference.filterMode, reference.normalized != 0, registered.normalized_values};
}

// Textures begin at aligned addresses; `offset` tells how far before `pointer`, if anybody wants to know.
cudaError_t align(const char* call, const void* pointer, std::size_t* offset, Images::TextureReference& registered) {
  registered.offset = to_address(pointer) % kTextureAlignment;
  if (offset != nullptr) *offset = registered.offset;
  if (offset != nullptr || registered.offset == 0) return cudaSuccess;
  return refuse(cudaErrorInvalidValue, "{}: {:#x} is not a multiple of {}, and nobody asks for the offset", call,
                to_address(pointer), kTextureAlignment);
}

cudaError_t bind_linear(Context& context, std::size_t* offset, const textureReference* reference, const void* pointer,
                        const cudaChannelFormatDesc* format, std::size_t bytes) {
  constexpr const char* kCall = "cudaBindTexture";
  cudaError_t error = cudaSuccess;
  Images::TextureReference* const registered = reference_of(context, kCall, reference, error);
  if (registered == nullptr) return error;
  if (format == nullptr) return no_texel_format(kCall);
  if ((error = align(kCall, pointer, offset, *registered)) != cudaSuccess) return error;
  isa::Texture texture;
  const std::size_t reach = bytes >= kWholeAllocation ? bytes : bytes + registered->offset;
  error = make_linear(context, kCall, to_address(pointer) - registered->offset, *format, reach, texture);
  if (error == cudaSuccess) error = set_reading(kCall, reading_of(*reference, *registered), true, texture);
  if (error == cudaSuccess) bind(context, reference, texture);
  return error;
}

cudaError_t bind_pitched(Context& context, std::size_t* offset, const textureReference* reference, const void* pointer,
                         const cudaChannelFormatDesc* format, const cudaExtent& extent, std::size_t pitch) {
  constexpr const char* kCall = "cudaBindTexture2D";
  cudaError_t error = cudaSuccess;
  Images::TextureReference* const registered = reference_of(context, kCall, reference, error);
  if (registered == nullptr) return error;
  if (format == nullptr || !is_texel_format(*format)) return no_texel_format(kCall);
  if ((error = align(kCall, pointer, offset, *registered)) != cudaSuccess) return error;
  const std::size_t texels_before = registered->offset / image_of(*format).texel_bytes();
  isa::Texture texture;
  error = make_pitched(context, kCall, to_address(pointer) - registered->offset, *format,
                       {extent.width + texels_before, extent.height, 0}, pitch, texture);
  if (error == cudaSuccess) error = set_reading(kCall, reading_of(*reference, *registered), false, texture);
  if (error == cudaSuccess) bind(context, reference, texture);
  return error;
}

cudaError_t bind_array(Context& context, const textureReference* reference, cudaArray_const_t handle,
                       const cudaChannelFormatDesc* format) {
  constexpr const char* kCall = "cudaBindTextureToArray";
  cudaError_t error = cudaSuccess;
  Images::TextureReference* const registered = reference_of(context, kCall, reference, error);
  if (registered == nullptr) return error;
  const cudaArray* const array = context.images.array(handle);
  if (array == nullptr) return no_array(kCall);
  if (format == nullptr || !same_format(*format, array->format)) {
    return refuse(cudaErrorInvalidChannelDescriptor, "{}: the array's texels have another format", kCall);
  }
  isa::Texture texture;
  texture.image = array->image;
  error = set_reading(kCall, reading_of(*reference, *registered), false, texture);
  registered->offset = 0;
  if (error == cudaSuccess) bind(context, reference, texture);
  return error;
}

cudaError_t bind_surface(Context& context, const surfaceReference* reference, cudaArray_const_t handle,
                         const cudaChannelFormatDesc* format) {
  constexpr const char* kCall = "cudaBindSurfaceToArray";
  if (!context.images.surfaces.contains(reference)) {
    return refuse(cudaErrorInvalidSurface, "{}: no such surface reference in this program's device code", kCall);
  }
  const cudaArray* const array = context.images.array(handle);
  if (array == nullptr || format == nullptr || (array->flags & cudaArraySurfaceLoadStore) == 0) {
    return refuse(cudaErrorInvalidValue, "{}: needs an array that was made with cudaArraySurfaceLoadStore", kCall);
  }
  if (const auto place = context.symbol(reference)) {
    context.images.table.surfaces.insert_or_assign(place->symbol.address, array->image);
  }
  return cudaSuccess;
}

// By the address of the host's variable or, before CUDA 5.0, by name, perhaps of a static variable.
const void* find_by_name(const std::map<const void*, std::string>& names, const void* symbol) {
  if (symbol == nullptr || names.contains(symbol)) return symbol;
  const std::string name = static_cast<const char*>(symbol);
  for (const auto& [variable, known] : names) {
    if (known == name || known == fmt::format("_ZL{}{}", name.size(), name)) return variable;
  }
  return nullptr;
}

// --- objects ---------------------------------------------------------------------------------------------------------
cudaError_t make_image(Context& context, const char* call, const cudaResourceDesc& resource, isa::Texture& texture) {
  const auto& linear = resource.res.linear;
  const auto& pitched = resource.res.pitch2D;
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* const array = context.images.array(resource.res.array.array);
      if (array == nullptr) return no_array(call);
      texture.image = array->image;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      if (to_address(linear.devPtr) % kTextureAlignment != 0) break;
      return make_linear(context, call, to_address(linear.devPtr), linear.desc, linear.sizeInBytes, texture);
    case cudaResourceTypePitch2D:
      if (to_address(pitched.devPtr) % kTextureAlignment != 0) break;
      return make_pitched(context, call, to_address(pitched.devPtr), pitched.desc, {pitched.width, pitched.height, 0},
                          pitched.pitchInBytes, texture);
    case cudaResourceTypeMipmappedArray:
      return refuse(cudaErrorNotSupported, "{}: mipmapped arrays are not modelled; use an array of one level", call);
  }
  return refuse(cudaErrorInvalidValue, "{}: the memory does not begin at a multiple of {}", call, kTextureAlignment);
}

cudaError_t create_texture(Context& context, cudaTextureObject_t* object, const cudaResourceDesc* resource,
                           const cudaTextureDesc* desc, const void* view) {
  constexpr const char* kCall = "cudaCreateTextureObject";
  if (object == nullptr || resource == nullptr || desc == nullptr) return cudaErrorInvalidValue;
  if (view != nullptr) return refuse(cudaErrorNotSupported, "{}: resource views are not modelled; pass NULL", kCall);
  if (desc->sRGB != 0) return refuse(cudaErrorNotSupported, "{}: sRGB texels are not modelled", kCall);
  if (desc->seamlessCubemap != 0) {
    return refuse(cudaErrorNotSupported, "{}: filtering stays in a face of a cubemap; leave seamlessCubemap 0", kCall);
  }
  isa::Texture texture;
  cudaError_t error = make_image(context, kCall, *resource, texture);
  if (error != cudaSuccess) return error;
  const Reading reading{desc->addressMode, desc->filterMode, desc->normalizedCoords != 0,
                        desc->readMode == cudaReadModeNormalizedFloat, desc->borderColor};
  error = set_reading(kCall, reading, resource->resType == cudaResourceTypeLinear, texture);
  if (error != cudaSuccess) return error;
  *object = context.images.next_object++;
  context.images.texture_objects[*object] = {*resource, *desc};
  context.images.table.textures.insert_or_assign(*object, texture);
  return cudaSuccess;
}

cudaError_t create_surface(Context& context, cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  constexpr const char* kCall = "cudaCreateSurfaceObject";
  if (object == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  const cudaArray* const array =
      resource->resType == cudaResourceTypeArray ? context.images.array(resource->res.array.array) : nullptr;
  if (array == nullptr || (array->flags & cudaArraySurfaceLoadStore) == 0) {
    return refuse(cudaErrorInvalidValue, "{}: needs an array that was made with cudaArraySurfaceLoadStore", kCall);
  }
  *object = context.images.next_object++;
  context.images.surface_objects[*object] = *resource;
  context.images.table.surfaces.insert_or_assign(*object, array->image);
  return cudaSuccess;
}

}  // namespace
}  // namespace warpfold::host

using warpfold::host::Context;
using warpfold::host::guarded;

extern "C" {

cudaError_t cudaBindTexture(size_t* offset, const textureReference* texture, const void* pointer,
                            const cudaChannelFormatDesc* format, size_t bytes) {
  return guarded(
      [&](Context& context) { return warpfold::host::bind_linear(context, offset, texture, pointer, format, bytes); });
}
cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* texture, const void* pointer,
                              const cudaChannelFormatDesc* format, size_t width, size_t height, size_t pitch) {
  return guarded([&](Context& context) {
    return warpfold::host::bind_pitched(context, offset, texture, pointer, format, {width, height, 0}, pitch);
  });
}
cudaError_t cudaBindTextureToArray(const textureReference* texture, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format) {
  return guarded([&](Context& context) { return warpfold::host::bind_array(context, texture, array, format); });
}

cudaError_t cudaUnbindTexture(const textureReference* texture) {
  return guarded([&](Context& context) {
    cudaError_t error = cudaSuccess;
    if (warpfold::host::reference_of(context, "cudaUnbindTexture", texture, error) == nullptr) return error;
    if (const auto place = context.symbol(texture)) context.images.table.textures.erase(place->symbol.address);
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const textureReference* texture) {
  return guarded([&](Context& context) {
    cudaError_t error = cudaSuccess;
    const auto* const registered =
        warpfold::host::reference_of(context, "cudaGetTextureAlignmentOffset", texture, error);
    if (registered == nullptr) return error;
    const auto place = context.symbol(texture);
    if (place && !context.images.table.textures.contains(place->symbol.address)) return cudaErrorInvalidTextureBinding;
    *offset = registered->offset;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureReference(const textureReference** texture, const void* symbol) {
  return guarded([&](Context& context) {
    std::map<const void*, std::string> names;
    for (const auto& [variable, reference] : context.images.textures) names[variable] = reference.name;
    *texture = static_cast<const textureReference*>(warpfold::host::find_by_name(names, symbol));
    return *texture == nullptr ? cudaErrorInvalidTexture : cudaSuccess;
  });
}

cudaError_t cudaBindSurfaceToArray(const surfaceReference* surface, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format) {
  return guarded([&](Context& context) { return warpfold::host::bind_surface(context, surface, array, format); });
}
cudaError_t cudaGetSurfaceReference(const surfaceReference** surface, const void* symbol) {
  return guarded([&](Context& context) {
    *surface = static_cast<const surfaceReference*>(warpfold::host::find_by_name(context.images.surfaces, symbol));
    return *surface == nullptr ? cudaErrorInvalidSurface : cudaSuccess;
  });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return guarded(
      [&](Context& context) { return warpfold::host::create_texture(context, object, resource, texture, view); });
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return guarded([&](Context& context) {
    if (context.images.texture_objects.erase(object) == 0) return cudaErrorInvalidValue;
    context.images.table.textures.erase(object);
    return cudaSuccess;
  });
}
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return guarded([&](Context& context) {
    const auto found = context.images.texture_objects.find(object);
    if (found == context.images.texture_objects.end()) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
  });
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  return guarded([&](Context& context) {
    const auto found = context.images.texture_objects.find(object);
    if (found == context.images.texture_objects.end()) return cudaErrorInvalidValue;
    *texture = found->second.texture;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return guarded([&](Context& context) { return warpfold::host::create_surface(context, object, resource); });
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return guarded([&](Context& context) {
    if (context.images.surface_objects.erase(object) == 0) return cudaErrorInvalidValue;
    context.images.table.surfaces.erase(object);
    return cudaSuccess;
  });
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return guarded([&](Context& context) {
    const auto found = context.images.surface_objects.find(object);
    if (found == context.images.surface_objects.end()) return cudaErrorInvalidValue;
    *resource = found->second;
    return cudaSuccess;
  });
}

}  // extern "C"
