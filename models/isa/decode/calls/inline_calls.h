// SPDX-License-Identifier: Apache-2.0
// Calls of device functions become branches to a copy of the function's body.
#pragma once

#include <cstdint>
#include <optional>

#include "warpfold/isa/decode/calls/recursion.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

struct InlinedCode {
  ptx::Function function;
  FramePlaces frames;                  // of recursive functions
  std::optional<std::uint32_t> stack;  // Function::variables: the memory of alloca
};

// `entry` with a copy of the called function's body behind its own code for each call, recursively: `call` then has one
// operand, the label of the copy, and `ret` of the copy one, the label behind the call. Parameters of the copy are the
// variables that the caller passes. So each call reconverges by itself, and every PTX instruction stays one
// instruction. Calls through pointers go to one of the functions that there are (indirect_jumps.h), recursive functions
// are left as loops over a stack (recursion.h). Throws UserError for functions without a body.
InlinedCode inline_calls(const ptx::Module& module, const ptx::Function& entry, std::uint64_t stack_bytes);

}  // namespace warpfold::isa
