// SPDX-License-Identifier: Apache-2.0
// The text of generated kernels: CUDA C++ that is free of races and of undefined behaviour, for kernels.h.
#pragma once

#include <string>
#include <vector>

#include "tests/cuda_fuzz/kernel.h"

namespace warpfold::cuda_fuzz {

// A part of what a kernel leaves in memory.
struct Region {
  std::string name;
  unsigned offset = 0, elements = 0, element_bytes = 4;
  bool per_thread = false;
};

struct Text {
  std::string code;
  unsigned out_bytes = 0;  // of one launch
  unsigned launches = 1;
  std::uint32_t way = 0;  // in which the host launches it (program.h), by the rest
  std::vector<Region> regions;
};

Text render(const Kernel& kernel, const std::string& name);

// A translation unit; kernels are named k0, k1 and so on.
std::string translation_unit(const std::vector<Text>& kernels);

// Where the first difference between two results of a kernel lies: "u0 of thread 5 of block 1: 0x1 instead of 0x2".
// Empty: none.
std::string difference(const Kernel& kernel, const Text& text, const std::string& expected, const std::string& found);

}  // namespace warpfold::cuda_fuzz
