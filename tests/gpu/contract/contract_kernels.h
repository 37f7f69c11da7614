// SPDX-License-Identifier: Apache-2.0
// Kernels for the contract test: each kind of control flow that a mechanism must get right, and random graphs of
// blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpfold {

struct ContractKernel {
  std::string name;
  std::string ptx;
};

// Written by hand; all take (out, in) as tests/gpu/kernel_machine.h says.
const std::vector<ContractKernel>& contract_kernels();

// A kernel whose blocks jump to each other at random, loops with two entries included; every thread takes a path of its
// own and ends after at most 24 blocks. Some branches depend on %ctaid only, some blocks update memory atomically.
std::string random_kernel(std::uint32_t seed);

}  // namespace warpfold
