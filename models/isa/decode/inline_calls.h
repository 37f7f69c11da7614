// SPDX-License-Identifier: Apache-2.0
// Calls of device functions become branches to a copy of the function's body.
#pragma once

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// `entry` with a copy of the called function's body behind its own code for each call, recursively: `call` then has one
// operand, the label of the copy, and `ret` of the copy one, the label behind the call. Parameters of the copy are the
// variables that the caller passes. So each call reconverges by itself, and every PTX instruction stays one
// instruction. Throws UserError for recursive and indirect calls, and for functions without a body.
ptx::Function inline_calls(const ptx::Module& module, const ptx::Function& entry);

}  // namespace warpfold::isa
