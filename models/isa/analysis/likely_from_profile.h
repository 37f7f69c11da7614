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

// Ways that fewer than half of the threads take are left out of the graph, the rarest first, but for those without
// which the end could not be reached. A branch's point is the first block that all that is left passes between the
// branch and its reconvergence point, and that is reached from both of its sides; branches between it and such a point
// have the same one if they lead there (TBC §4, Fig. 10: that of C). By pc of the branch; none where a loop has several
// entries.
std::vector<LikelyPoint> likely_points_of(std::span<const ProfiledOp> kernel);

}  // namespace warpfold::isa
