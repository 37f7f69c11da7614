// SPDX-License-Identifier: Apache-2.0
// What nvcc takes in a source and clang does not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpfold::cc {

// The text with blanks taken out of launch brackets (`<< <`, `>> >`), memory spaces that are named twice
// (`__device__ __shared__`) named once, kernels no device functions at the same time (`__global__ __device__`), and the
// sign of PTX's own registers doubled in inline assembly (`%smid`). Lines stay where they are.
std::string normalised(std::string text);

// The names in quotes that a text includes.
std::vector<std::string> quoted_includes(const std::string& text);

// What clang's -ivfsoverlay takes: files to be read in others' places.
struct Replacement {
  std::filesystem::path original, cured;
};
std::string overlay_of(const std::vector<Replacement>& replacements);

}  // namespace warpfold::cc
