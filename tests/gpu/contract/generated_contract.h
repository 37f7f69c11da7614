// SPDX-License-Identifier: Apache-2.0
// Holds mechanisms to the contract over generated kernels.
#pragma once

#include <cstdint>
#include <string>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/contract/kernel_generator.h"

namespace warpfold {

// Runs the kernel under the mechanism and compares memory, instruction sequences and lane activity with the scalar
// reference. The machine (warp size, SIMD width, schedulers, scoreboard), the grid and the blocks, whose size need not
// be a multiple of anything, follow from the seed. Returns what is wrong; empty: nothing.
std::string contract_failure(const GeneratedKernel& kernel, const MechanismVariant& variant);

// The same for the kernel of a seed; when it fails, also finds a small kernel that does, and shows it.
std::string generated_failure(std::uint32_t seed, const MechanismVariant& variant);

}  // namespace warpfold
