// SPDX-License-Identifier: Apache-2.0
// PTX text in, syntax tree out.
#pragma once

#include <string>
#include <string_view>

#include "warpfold/ptx/ast.h"

namespace warpfold::ptx {

// Throws UserError "file:line:column: what, near 'token'" for anything that is not PTX: syntax, a register, label or
// symbol that is not declared, or one that is declared twice. Opcodes and their operand types are not judged here.
Module parse(std::string_view text, std::string file_name);

}  // namespace warpfold::ptx
