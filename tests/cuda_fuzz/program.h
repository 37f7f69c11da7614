// SPDX-License-Identifier: Apache-2.0
// How main.cpp sees a generated kernel.
#pragma once

// How the host launches it.
enum Way { kPlain, kStream, kManaged, kGraph, kStreams, kWays };

// What a kernel fetches from: its input, as words and as four bytes each; and the first input's first words, as 64
// bytes, as an image of 32 x 16 pairs of 16 bits, and as one of 16 x 16 words that repeats itself.
struct Textures {
  cudaTextureObject_t words, bytes, row, plane, repeated;
};

struct GeneratedKernel {
  const char* name;
  unsigned out_bytes;
  unsigned launches;
  Way way;
  void (*launch)(char* out, const unsigned* in, const Textures& textures, cudaStream_t stream);
};
constexpr unsigned kInputWords = 1024;
