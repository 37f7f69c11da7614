// SPDX-License-Identifier: Apache-2.0
// Threads that wait for others at the instruction that they are at.
#pragma once

#include "warpfold/divergence/warp.h"

namespace warpfold {

struct WaitingThreads {
  divergence::WarpId warp = divergence::kNoWarp;  // that carries them; none: they have left theirs
  divergence::Warp threads;
  bool in_warp() const { return warp != divergence::kNoWarp; }
};

}  // namespace warpfold
