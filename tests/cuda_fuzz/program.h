// SPDX-License-Identifier: Apache-2.0
// How main.cpp sees a generated kernel.
#pragma once

struct GeneratedKernel {
  const char* name;
  unsigned out_bytes;
  void (*launch)(char* out, const unsigned* in);
};
constexpr unsigned kInputWords = 1024;
