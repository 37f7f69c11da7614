// SPDX-License-Identifier: Apache-2.0
// cudaCreateChannelDesc<T>(): how the components of a texel of type T lie.
#pragma once

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define WARPFOLD_FORMAT(type, bits, components, kind)                                            \
  template <>                                                                                    \
  inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                                   \
    return cudaCreateChannelDesc(bits, (components) > 1 ? bits : 0, (components) > 2 ? bits : 0, \
                                 (components) > 3 ? bits : 0, kind);                             \
  }
#define WARPFOLD_FORMATS(scalar, vector, bits, kind) \
  WARPFOLD_FORMAT(scalar, bits, 1, kind)             \
  WARPFOLD_FORMAT(vector##1, bits, 1, kind)          \
  WARPFOLD_FORMAT(vector##2, bits, 2, kind)          \
  WARPFOLD_FORMAT(vector##4, bits, 4, kind)
WARPFOLD_FORMAT(char, 8, 1, cudaChannelFormatKindSigned)
WARPFOLD_FORMATS(signed char, char, 8, cudaChannelFormatKindSigned)
WARPFOLD_FORMATS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
WARPFOLD_FORMATS(short, short, 16, cudaChannelFormatKindSigned)
WARPFOLD_FORMATS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
WARPFOLD_FORMATS(int, int, 32, cudaChannelFormatKindSigned)
WARPFOLD_FORMATS(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
WARPFOLD_FORMATS(float, float, 32, cudaChannelFormatKindFloat)
#undef WARPFOLD_FORMATS
#undef WARPFOLD_FORMAT

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
