// SPDX-License-Identifier: Apache-2.0
// Where a kernel's variables lie: parameters, shared and local memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "warpfold/isa/decode/calls/recursion.h"
#include "warpfold/isa/kernel.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

struct KernelLayout {
  std::vector<KernelParameter> parameters;  // by Function::params
  std::uint32_t parameter_bytes = 0;
  // By Module::variables: offset in shared or local memory of those that the kernel uses.
  std::vector<std::optional<std::uint64_t>> of_module;
  // By Function::variables: offset in shared or local memory, or in the frame of a recursive function.
  std::vector<std::optional<std::uint64_t>> variables;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_offset = 0;
  std::uint32_t local_bytes = 0;
  std::vector<std::uint64_t> frame_bytes;  // by frame of FramePlaces: what its variables take
};

// `function` holds all the code that the kernel can reach. Variables lie in the order of their declarations, each
// aligned; .shared ones of module scope only if an instruction names them. `in_registers`, by Function::variables:
// parameters of calls that need no memory; the others lie in local memory, those of recursive functions in `frames`.
// UserError where they do not fit.
KernelLayout lay_out(const ptx::Module& module, const ptx::Function& function, const std::vector<bool>& in_registers,
                     const FramePlaces& frames);

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace warpfold::isa
