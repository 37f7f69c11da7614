// SPDX-License-Identifier: Apache-2.0
// Fetches of the nearest texel, after the Programming Guide's appendix "Texture Fetching".
#pragma once

#include <cmath>
#include <cstring>

enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };

namespace cuda_twin {

struct Texture {
  const void* texels;
  unsigned width, height;
  cudaTextureAddressMode across, down;
  bool normalised;  // coordinates go from 0 to 1
};

// Which texel of `size`; -1: none, so that zero is read.
inline long texel(float at, unsigned size, cudaTextureAddressMode mode, bool normalised) {
  const long last = static_cast<long>(size) - 1;
  if (mode == cudaAddressModeWrap) at -= std::floor(at);
  if (mode == cudaAddressModeMirror) {
    const float whole = std::floor(at), rest = at - whole;
    at = std::fmod(whole, 2.0f) == 0 ? rest : 1 - rest;
  }
  const long index = std::lround(std::floor(normalised ? at * static_cast<float>(size) : at));
  if (mode == cudaAddressModeBorder) return index < 0 || index > last ? -1 : index;
  return index < 0 ? 0 : index > last ? last : index;
}

template <class T>
T fetch(const Texture& texture, float x, float y) {
  const long column = texel(x, texture.width, texture.across, texture.normalised);
  const long row = texel(y, texture.height, texture.down, texture.normalised);
  T value{};
  if (column >= 0 && row >= 0) {
    const auto index = static_cast<std::size_t>(row) * texture.width + static_cast<std::size_t>(column);
    std::memcpy(&value, static_cast<const char*>(texture.texels) + index * sizeof value, sizeof value);
  }
  return value;
}

}  // namespace cuda_twin

using cudaTextureObject_t = const cuda_twin::Texture*;
template <class T>
T tex1Dfetch(cudaTextureObject_t texture, int x) {
  return cuda_twin::fetch<T>(*texture, static_cast<float>(x), 0);
}
template <class T>
T tex1D(cudaTextureObject_t texture, float x) {
  return cuda_twin::fetch<T>(*texture, x, 0);
}
template <class T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
  return cuda_twin::fetch<T>(*texture, x, y);
}
