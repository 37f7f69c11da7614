// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces of a program: what it has made of them, and what its kernels find at the next launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "warpfold/host/include/cuda_runtime_api.h"
#include "warpfold/isa/images.h"

// Texels in device memory, pitch-linear (isa/images.h); programs reach them by copies, textures and surfaces alone.
struct cudaArray {
  warpfold::isa::Image image;
  cudaChannelFormatDesc format;
  cudaExtent extent;  // as asked for
  unsigned flags = 0;
};

namespace warpfold::host {

struct Images {
  struct TextureReference {
    std::string name;  // of its variable in device code
    bool normalized_values = false;
    std::size_t offset = 0;  // from the texture's first byte to the pointer that was bound
  };
  struct TextureObject {
    cudaResourceDesc resource;
    cudaTextureDesc texture;
  };

  std::map<const void*, TextureReference> textures;  // by the host's variable
  std::map<const void*, std::string> surfaces;
  std::map<cudaArray_const_t, std::unique_ptr<cudaArray>> arrays;
  std::map<std::uint64_t, TextureObject> texture_objects;
  std::map<std::uint64_t, cudaResourceDesc> surface_objects;
  std::uint64_t next_object = 1;
  isa::ImageTable table;

  const cudaArray* array(cudaArray_const_t handle) const {
    const auto found = arrays.find(handle);
    return found == arrays.end() ? nullptr : found->second.get();
  }
};

// Of one, two or four components of 8, 16 or 32 bits each?
bool is_texel_format(const cudaChannelFormatDesc& format);
bool same_format(const cudaChannelFormatDesc& a, const cudaChannelFormatDesc& b);
// An image with texels of this format, which is one, and nothing else yet.
isa::Image image_of(const cudaChannelFormatDesc& format);

// Refusals of `call`.
cudaError_t no_texel_format(const char* call);
cudaError_t no_array(const char* call);

}  // namespace warpfold::host
