// SPDX-License-Identifier: Apache-2.0
// Calls through pointers and jumps through tables become chains of branches.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

using FunctionIndex = std::uint32_t;  // into Module::functions

// The function that a `call` names, or the register that holds its address; null if it has neither.
const ptx::Operand* callee_of(const ptx::Instruction& call);

// Functions with a body whose address is used anywhere in the module, in code or in a variable's initial value.
std::vector<FunctionIndex> address_taken(const ptx::Module& module);

bool has_indirect_jumps(const ptx::Function& function);

// A call of an address becomes comparisons with the addresses of those `targets` that take parameters, and give
// results, of the sizes of the call's, each followed by the direct call; `brx.idx` becomes a binary search for the
// index. So the kernel stays one graph of two-way branches. Threads that find nothing fault.
void lower_indirect_jumps(const ptx::Module& module, const std::vector<FunctionIndex>& targets,
                          ptx::Function& function);

}  // namespace warpfold::isa
