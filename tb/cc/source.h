// SPDX-License-Identifier: Apache-2.0
// What nvcc takes in a source and clang does not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpfold::cc {

// The text with blanks taken out of launch brackets (`<< <`, `>> >`), memory spaces that are named twice
// (`__device__ __shared__`) named once, kernels no device functions at the same time (`__global__ __device__`), the
// sign of PTX's own registers doubled in inline assembly (`%smid`), and `__restrict__` only behind pointers and
// references (not `const __restrict__ int*`). Lines stay where they are.
std::string normalised(std::string text);

// Where clang 14 takes a constexpr variable of a file or class for one of the device, and refuses it since its value is
// an address of the host's: all such places in its messages.
struct Place {
  std::filesystem::path file;
  std::size_t line, column;
  bool operator==(const Place&) const = default;
};
std::vector<Place> places_of_host_constants(const std::string& messages);

// The text with the variable whose name is at this place plain, not constexpr: the device half never uses it. No letter
// moves.
std::string with_plain_variable(std::string text, const Place& place);

// The names in quotes that a text includes.
std::vector<std::string> quoted_includes(const std::string& text);

// What clang's -ivfsoverlay takes: files to be read in others' places.
struct Replacement {
  std::filesystem::path original, cured;
};
std::string overlay_of(const std::vector<Replacement>& replacements);

}  // namespace warpfold::cc
