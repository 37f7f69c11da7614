// SPDX-License-Identifier: Apache-2.0
// Finds a smaller kernel that still fails.
#pragma once

#include <functional>
#include <vector>

#include "tests/cuda_fuzz/kernel.h"

namespace warpfold::cuda_fuzz {

// Which of these kernels fail; asked for many at once, since a translation unit costs more than a kernel.
using Fails = std::function<std::vector<bool>(const std::vector<Kernel>&)>;

// Leaves out statements and arms, puts bodies in the place of what holds them, operands and constants in the place of
// operations, and makes the grid smaller, until nothing helps or `rounds` questions have been asked.
Kernel shrink(Kernel kernel, const Fails& fails, unsigned rounds);

// The kernels one step smaller, those that leave out most first.
std::vector<Kernel> smaller(const Kernel& kernel);

}  // namespace warpfold::cuda_fuzz
