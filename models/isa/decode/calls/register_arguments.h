// SPDX-License-Identifier: Apache-2.0
// Arguments and results in registers, and constants as arguments, become .param variables.
#pragma once

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// Does `function` have parameters or results in registers, or a call with anything but variables?
bool has_register_arguments(const ptx::Function& function);

// A call then writes its arguments to variables and reads its results from others; a function reads its parameters
// first, and writes its results in front of each `ret`, with one of which its code must end. So registers and variables
// may stand for each other between a call and what it calls, as PTX ISA §7.1 has it. Throws UserError for arguments of
// other sizes than the parameters.
void write_register_arguments(const ptx::Module& module, ptx::Function& function);

}  // namespace warpfold::isa
