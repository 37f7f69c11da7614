// SPDX-License-Identifier: Apache-2.0
// What nvcc takes in a source and clang does not.
#pragma once

#include <string>

namespace warpfold::cc {

// The text with blanks taken out of launch brackets (`<< <`, `>> >`), memory spaces that are named twice
// (`__device__ __shared__`) named once, and kernels no device functions at the same time (`__global__ __device__`).
// Lines stay where they are.
std::string normalised(std::string text);

}  // namespace warpfold::cc
