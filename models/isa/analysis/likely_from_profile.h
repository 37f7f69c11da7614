// SPDX-License-Identifier: Apache-2.0
// Likely-convergence points by what threads did (TBC §4), where control-flow analysis only knows what they may do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/flow.h"

namespace warpfold::isa {

// An instruction with how many threads executed it and how many of them went its way: to a branch's target, or to their
// end.
struct ProfiledOp {
  FlowOp flow;
  std::uint64_t threads = 0, went = 0;
  bool may_diverge = false;
  Pc reconvergence = kNoPc;  // of branches
};

struct LikelyPoint {
  Pc branch = 0, point = 0;
  bool operator==(const LikelyPoint&) const = default;
};

// One turn of a branch's innermost loop is looked at, or, where that has no point for it or there is none, the kernel.
// Ways that fewer than a quarter of a block's threads go are left out, the rarest first, but for those without which
// the turn could not end. A branch's point is the first block that all ways that are left pass between it and its
// reconvergence point, or the loop's first one in the next turn, if both of its sides reach it; branches on the way to
// such a point, of the same reconvergence point, have the same one (TBC §4, Fig. 10: that of C). By pc of the branch;
// none where a loop has several entries.
std::vector<LikelyPoint> likely_points_of(std::span<const ProfiledOp> kernel);

}  // namespace warpfold::isa
