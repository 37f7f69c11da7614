// SPDX-License-Identifier: Apache-2.0
// Was it right to compact, or not to? Every mechanism that decides so counts its decisions in the four classes of TSTBC
// Fig. 7 and 8.
#pragma once

#include "warpfold/common/results/stats.h"

namespace warpfold::divergence {

// The paper leaves undefined what is right. Here it is to compact where the warps that diverge at a branch, all of
// them, come out as fewer (compaction_helps). A branch at which none diverges counts as well: there is nothing to
// compact.
class Validity {
 public:
  explicit Validity(StatGroup& stats)
      : stall_stall_(stats.counter("validity_stall_stall", "branches", "compacted, and rightly so (TSTBC Fig. 7)")),
        bypass_bypass_(
            stats.counter("validity_bypass_bypass", "branches", "passed without compaction, and rightly so")),
        stall_bypass_(
            stats.counter("validity_stall_bypass", "branches", "compacted, where it made the warps no fewer")),
        bypass_stall_(stats.counter("validity_bypass_stall", "branches",
                                    "passed without compaction, where it would have made the warps fewer")) {
    stats.derive("validity_accuracy", "", "branches at which it was right to compact, or not to (TSTBC Fig. 7)",
                 [](const StatValues& v) {
                   const double right = value_of(v, "validity_stall_stall") + value_of(v, "validity_bypass_bypass");
                   const double wrong = value_of(v, "validity_stall_bypass") + value_of(v, "validity_bypass_stall");
                   return right / (right + wrong);
                 });
  }

  // A block is through with a branch.
  void count(bool stalled, bool should_stall) {
    if (stalled) {
      ++(should_stall ? stall_stall_ : stall_bypass_);
    } else {
      ++(should_stall ? bypass_stall_ : bypass_bypass_);
    }
  }

 private:
  Counter &stall_stall_, &bypass_bypass_, &stall_bypass_, &bypass_stall_;
};

}  // namespace warpfold::divergence
