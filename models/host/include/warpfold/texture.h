// SPDX-License-Identifier: Apache-2.0
// Texture references and objects are not modelled: a program that declares one is told so when it is compiled.
#pragma once

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };

template <class T>
struct __warpfold_unsupported {
  static const bool value = sizeof(T) == 0;
};

template <class T, int kind = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
  _Static_assert(
      __warpfold_unsupported<T>::value,
      "texture<> is not supported by Warpfold: read the buffer through __ldg() (the texture path of the model)");
};
