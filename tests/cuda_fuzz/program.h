// SPDX-License-Identifier: Apache-2.0
// How main.cpp sees a generated kernel.
#pragma once

// How the host launches it.
enum Way { kPlain, kStream, kManaged, kGraph, kWays };

struct GeneratedKernel {
  const char* name;
  unsigned out_bytes;
  unsigned launches;
  Way way;
  void (*launch)(char* out, const unsigned* in, cudaStream_t stream);
};
constexpr unsigned kInputWords = 1024;
