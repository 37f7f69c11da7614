// SPDX-License-Identifier: Apache-2.0
// What an instruction has to do with memory, as scheduling sees it.
#pragma once

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

inline bool accesses_memory(const MicroOp& op) {
  return op.kind == Kind::kLoad || op.kind == Kind::kStore || op.kind == Kind::kAtomic ||
         op.kind == Kind::kSystemCall;
}

// Beyond the core's own: a warp may wait for long.
inline bool waits_on_memory(const MicroOp& op) {
  return accesses_memory(op) && op.space != Space::kShared && op.space != Space::kParam;
}

}  // namespace warpfold::isa
