// SPDX-License-Identifier: Apache-2.0
// From the syntax tree of a kernel to its micro-ops.
#pragma once

#include "warpfold/isa/decode/operands.h"
#include "warpfold/isa/kernel.h"
#include "warpfold/isa/program.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// `entry` is an .entry of `module`; `symbols` are the module's variables that have been placed. Spills what `cap`
// leaves no registers for.
Kernel decode(const ptx::Module& module, const ptx::Function& entry, const Symbols& symbols,
              const DecodeOptions& options, const RegisterCap& cap);

}  // namespace warpfold::isa
