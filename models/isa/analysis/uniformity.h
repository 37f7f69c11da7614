// SPDX-License-Identifier: Apache-2.0
// Which conditional branches are proved to go the same way in all threads of a block (TBC §3.1).
#pragma once

#include <span>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

// By pc: true for a guarded branch whose guard is the same in every thread of the block that executes that instance of
// the branch. Data flow over SSA values: a value varies if its instruction is a thread-varying source or reads a value
// that varies, if it merges paths that a varying branch has parted, or if it counts a loop that a varying branch
// leaves. `bra.uni` speaks of warps only and is no proof. Registers that may be read before they are written vary.
std::vector<bool> find_uniform_branches(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers);

}  // namespace warpfold::isa
