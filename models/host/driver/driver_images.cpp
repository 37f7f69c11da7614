// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of the driver interface: those of the run-time library, whose arrays are these arrays.
#include <algorithm>
#include <array>

#include "warpfold/host/driver/driver.h"

namespace warpfold::host::driver {
namespace {

struct Format {
  CUarray_format name;
  int bits;
  cudaChannelFormatKind kind;
};
constexpr std::array<Format, 8> kFormats{{{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
                                          {CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
                                          {CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
                                          {CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
                                          {CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
                                          {CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
                                          {CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
                                          {CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}}};

// What is no format is no channel descriptor either, which the run-time library says.
cudaChannelFormatDesc channels_of(CUarray_format name, unsigned channels) {
  const auto* const found =
      std::find_if(kFormats.begin(), kFormats.end(), [name](const Format& format) { return format.name == name; });
  if (found == kFormats.end()) return {0, 0, 0, 0, cudaChannelFormatKindNone};
  const auto bits = [&](unsigned channel) { return channel < channels ? found->bits : 0; };
  return {bits(0), bits(1), bits(2), bits(3), found->kind};
}

cudaArray_t to_array(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }

cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR* shape, CUarray array) {
  if (shape == nullptr) return cudaErrorInvalidValue;
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  const cudaError_t error = cudaArrayGetInfo(&channels, &extent, &shape->Flags, to_array(array));
  if (error != cudaSuccess) return error;
  const auto* const format = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& candidate) {
    return candidate.bits == channels.x && candidate.kind == channels.f;
  });
  shape->Width = extent.width, shape->Height = extent.height, shape->Depth = extent.depth;
  shape->Format = format->name;
  shape->NumChannels = channels.w != 0 ? 4 : channels.y != 0 ? 2 : 1;
  return cudaSuccess;
}

// One side of a copy.
struct Side {
  std::size_t x, y, z;
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, height;

  bool is_host() const { return type == CU_MEMORYTYPE_HOST; }
  bool is_array() const { return type == CU_MEMORYTYPE_ARRAY; }
  // Bytes of a texel; 1: no array.
  cudaError_t unit(std::size_t& bytes) const {
    bytes = 1;
    if (!is_array()) return cudaSuccess;
    cudaChannelFormatDesc channels{};
    const cudaError_t error = cudaGetChannelDesc(&channels, to_array(array));
    bytes = static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
    return error;
  }
  cudaPos pos(std::size_t unit) const { return {is_array() ? x / unit : x, y, z}; }
  cudaPitchedPtr pointer(std::size_t row, std::size_t rows) const {
    if (is_array()) return {};
    void* const at = is_host() ? host : to_pointer(device);
    return {at, pitch != 0 ? pitch : x + row, x + row, height != 0 ? height : y + rows};
  }
};

cudaMemcpyKind kind_of(const Side& from, const Side& to) {
  if (from.type == CU_MEMORYTYPE_UNIFIED || to.type == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (from.is_host()) return to.is_host() ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to.is_host() ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

// `stream`: null where the call waits.
cudaError_t copy_boxes(const CUDA_MEMCPY3D& copy, const CUstream* stream) {
  const Side from{copy.srcXInBytes, copy.srcY,     copy.srcZ,     copy.srcMemoryType, const_cast<void*>(copy.srcHost),
                  copy.srcDevice,   copy.srcArray, copy.srcPitch, copy.srcHeight};
  const Side to{copy.dstXInBytes, copy.dstY,     copy.dstZ,     copy.dstMemoryType, copy.dstHost,
                copy.dstDevice,   copy.dstArray, copy.dstPitch, copy.dstHeight};
  std::size_t from_unit = 1, to_unit = 1;
  for (const auto& [side, unit] : {std::pair{&from, &from_unit}, {&to, &to_unit}}) {
    const cudaError_t error = side->unit(*unit);
    if (error != cudaSuccess) return error;
  }
  const std::size_t unit = std::max(from_unit, to_unit);
  if (copy.WidthInBytes % unit != 0 || copy.srcXInBytes % from_unit != 0 || copy.dstXInBytes % to_unit != 0 ||
      copy.srcLOD != 0 || copy.dstLOD != 0) {
    return cudaErrorInvalidValue;
  }
  cudaMemcpy3DParms boxes{};
  if (from.is_array()) boxes.srcArray = to_array(from.array);
  if (to.is_array()) boxes.dstArray = to_array(to.array);
  boxes.srcPos = from.pos(from_unit);
  boxes.dstPos = to.pos(to_unit);
  boxes.srcPtr = from.pointer(copy.WidthInBytes, copy.Height);
  boxes.dstPtr = to.pointer(copy.WidthInBytes, copy.Height);
  boxes.extent = {copy.WidthInBytes / unit, copy.Height, copy.Depth};
  boxes.kind = kind_of(from, to);
  return stream == nullptr ? cudaMemcpy3D(&boxes) : cudaMemcpy3DAsync(&boxes, *stream);
}

cudaError_t copy_box(const CUDA_MEMCPY2D* copy, const CUstream* stream) {
  if (copy == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D boxes{};
  boxes.srcXInBytes = copy->srcXInBytes, boxes.srcY = copy->srcY, boxes.srcMemoryType = copy->srcMemoryType;
  boxes.srcHost = copy->srcHost, boxes.srcDevice = copy->srcDevice, boxes.srcArray = copy->srcArray;
  boxes.srcPitch = copy->srcPitch;
  boxes.dstXInBytes = copy->dstXInBytes, boxes.dstY = copy->dstY, boxes.dstMemoryType = copy->dstMemoryType;
  boxes.dstHost = copy->dstHost, boxes.dstDevice = copy->dstDevice, boxes.dstArray = copy->dstArray;
  boxes.dstPitch = copy->dstPitch;
  boxes.WidthInBytes = copy->WidthInBytes, boxes.Height = copy->Height, boxes.Depth = 1;
  return copy_boxes(boxes, stream);
}

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& desc) {
  cudaResourceDesc resource{};
  resource.resType = static_cast<cudaResourceType>(desc.resType);
  const auto& linear = desc.res.linear;
  const auto& pitched = desc.res.pitch2D;
  switch (desc.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      resource.res.array.array = to_array(desc.res.array.hArray);
      break;
    case CU_RESOURCE_TYPE_LINEAR:
      resource.res.linear = {to_pointer(linear.devPtr), channels_of(linear.format, linear.numChannels),
                             linear.sizeInBytes};
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      resource.res.pitch2D = {to_pointer(pitched.devPtr), channels_of(pitched.format, pitched.numChannels),
                              pitched.width, pitched.height, pitched.pitchInBytes};
      break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      break;  // refused by name
  }
  return resource;
}

// Integers of 8 and 16 bits are read as fractions unless the flag says otherwise; those of 32 bits never.
cudaError_t make_texture(CUtexObject* object, const CUDA_RESOURCE_DESC* desc, const CUDA_TEXTURE_DESC* texture,
                         const CUDA_RESOURCE_VIEW_DESC* view) {
  if (object == nullptr || desc == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  const cudaResourceDesc resource = resource_of(*desc);
  cudaChannelFormatDesc channels =
      desc->resType == CU_RESOURCE_TYPE_LINEAR ? resource.res.linear.desc : resource.res.pitch2D.desc;
  if (desc->resType == CU_RESOURCE_TYPE_ARRAY) {
    const cudaError_t error = cudaGetChannelDesc(&channels, resource.res.array.array);
    if (error != cudaSuccess) return error;
  }
  cudaTextureDesc how{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    how.addressMode[axis] = static_cast<cudaTextureAddressMode>(texture->addressMode[axis]);
  }
  how.filterMode = static_cast<cudaTextureFilterMode>(texture->filterMode);
  const bool fractions =
      (texture->flags & CU_TRSF_READ_AS_INTEGER) == 0 && channels.x < 32 && channels.f != cudaChannelFormatKindFloat;
  how.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  how.sRGB = (texture->flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  how.seamlessCubemap = (texture->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0 ? 1 : 0;
  std::copy(std::begin(texture->borderColor), std::end(texture->borderColor), how.borderColor);
  return cudaCreateTextureObject(object, &resource, &how, reinterpret_cast<const cudaResourceViewDesc*>(view));
}

}  // namespace
}  // namespace warpfold::host::driver

using warpfold::host::driver::in_context;

extern "C" {

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* shape) {
  if (shape == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR flat{shape->Width, shape->Height, 0, shape->Format, shape->NumChannels, 0};
  return cuArray3DCreate(array, &flat);
}
CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* shape) {
  if (shape == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaChannelFormatDesc channels = warpfold::host::driver::channels_of(shape->Format, shape->NumChannels);
  return in_context([&] {
    return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &channels,
                             {shape->Width, shape->Height, shape->Depth}, shape->Flags);
  });
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* shape, CUarray array) {
  return in_context([&] { return warpfold::host::driver::describe(shape, array); });
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* shape, CUarray array) {
  if (shape == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR all{};
  const CUresult result = cuArray3DGetDescriptor(&all, array);
  if (result == CUDA_SUCCESS) *shape = {all.Width, all.Height, all.Format, all.NumChannels};
  return result;
}
CUresult cuArrayDestroy(CUarray array) {
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return in_context([&] { return cudaFreeArray(warpfold::host::driver::to_array(array)); });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) {
  return in_context([&] { return warpfold::host::driver::copy_box(copy, nullptr); });
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) { return cuMemcpy2D(copy); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return in_context([&] { return warpfold::host::driver::copy_box(copy, &stream); });
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] { return warpfold::host::driver::copy_boxes(*copy, nullptr); });
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return in_context([&] { return warpfold::host::driver::copy_boxes(*copy, &stream); });
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* texture,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  return in_context([&] { return warpfold::host::driver::make_texture(object, resource, texture, view); });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return in_context([&] { return cudaDestroyTextureObject(object); });
}
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  if (resource == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaResourceDesc found = warpfold::host::driver::resource_of(*resource);
  return in_context([&] { return cudaCreateSurfaceObject(object, &found); });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return in_context([&] { return cudaDestroySurfaceObject(object); });
}

}  // extern "C"
