// SPDX-License-Identifier: Apache-2.0
// Makes what generated kernels fetch from.
#pragma once

#include <cstring>
#include <vector>

#include "program.h"

#if defined(CUDA_TWIN)
class TextureSet {
 public:
  TextureSet(const unsigned* in, const std::vector<unsigned>& words) {
    add({in, kInputWords, 1, cudaAddressModeBorder, cudaAddressModeBorder, false}, textures.words);
    add({in, kInputWords, 1, cudaAddressModeBorder, cudaAddressModeBorder, false}, textures.bytes);
    add({words.data(), 64, 1, cudaAddressModeClamp, cudaAddressModeClamp, false}, textures.row);
    add({words.data(), 32, 16, cudaAddressModeBorder, cudaAddressModeClamp, false}, textures.plane);
    add({words.data(), 16, 16, cudaAddressModeWrap, cudaAddressModeMirror, true}, textures.repeated);
  }
  Textures textures{};

 private:
  void add(const cuda_twin::Texture& made, cudaTextureObject_t& object) {
    made_[count_] = made;
    object = &made_[count_++];
  }
  cuda_twin::Texture made_[5] = {};
  unsigned count_ = 0;
};
#else
class TextureSet {
 public:
  TextureSet(unsigned* in, const std::vector<unsigned>& words) {
    linear<unsigned>(in, textures.words);
    linear<uchar4>(in, textures.bytes);
    array<signed char>(words, 64, 0, cudaAddressModeClamp, cudaAddressModeClamp, false, textures.row);
    array<short2>(words, 32, 16, cudaAddressModeBorder, cudaAddressModeClamp, false, textures.plane);
    array<unsigned>(words, 16, 16, cudaAddressModeWrap, cudaAddressModeMirror, true, textures.repeated);
  }
  ~TextureSet() {
    for (const cudaTextureObject_t object : objects_) cudaDestroyTextureObject(object);
    for (const cudaArray_t array : arrays_) cudaFreeArray(array);
  }
  TextureSet(const TextureSet&) = delete;
  TextureSet& operator=(const TextureSet&) = delete;
  Textures textures{};

 private:
  template <class T>
  void linear(unsigned* in, cudaTextureObject_t& object) {
    cudaResourceDesc from;
    std::memset(&from, 0, sizeof from);
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = in;
    from.res.linear.desc = cudaCreateChannelDesc<T>();
    from.res.linear.sizeInBytes = kInputWords * 4;
    make(from, cudaAddressModeBorder, cudaAddressModeBorder, false, object);
  }
  template <class T>
  void array(const std::vector<unsigned>& words, unsigned width, unsigned height, cudaTextureAddressMode across,
             cudaTextureAddressMode down, bool normalised, cudaTextureObject_t& object) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const std::size_t row = width * sizeof(T);
    cudaResourceDesc from;
    std::memset(&from, 0, sizeof from);
    from.resType = cudaResourceTypeArray;
    cudaMallocArray(&from.res.array.array, &format, width, height);
    cudaMemcpy2DToArray(from.res.array.array, 0, 0, words.data(), row, row, height == 0 ? 1 : height,
                        cudaMemcpyHostToDevice);
    arrays_.push_back(from.res.array.array);
    make(from, across, down, normalised, object);
  }
  void make(const cudaResourceDesc& from, cudaTextureAddressMode across, cudaTextureAddressMode down, bool normalised,
            cudaTextureObject_t& object) {
    cudaTextureDesc how;
    std::memset(&how, 0, sizeof how);
    how.addressMode[0] = across;
    how.addressMode[1] = down;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = normalised;
    cudaCreateTextureObject(&object, &from, &how, nullptr);
    objects_.push_back(object);
  }
  std::vector<cudaTextureObject_t> objects_;
  std::vector<cudaArray_t> arrays_;
};
#endif
