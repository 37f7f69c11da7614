// SPDX-License-Identifier: Apache-2.0
// Where the branches of a kernel are likely to reconverge before their post-dominators: found by control-flow analysis,
// or given by a profile (TBC §4).
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "warpfold/common/config/config.h"
#include "warpfold/divergence/mechanism.h"

namespace warpfold::divergence {

class LikelyPoints {
 public:
  // Those of the analysis, which comes with the branches.
  LikelyPoints() = default;
  // Those of a profile, a table for every kernel that runs, from the PTX lines of branches to those of their points:
  //   _Z5matchPKcPj:
  //     120: 166
  //   _Z4initPj: {}
  static LikelyPoints from_profile(const std::string& path);

  // Finds the lines of the profile in the kernel, or says which it cannot find.
  void kernel_started(const isa::Kernel& kernel);
  Branch applied_to(Branch branch) const {
    if (profiled_) branch.likely = points_[branch.pc];
    return branch;
  }

 private:
  bool profiled_ = false;
  ConfigNode profile_;
  std::vector<Pc> points_;  // by pc of the branch
};

// For mechanisms that reconverge at post-dominators only.
inline Branch without_likely_point(Branch branch) {
  branch.likely = isa::kNoPc;
  return branch;
}

struct LikelyPointsParams {
  std::string profile;
  LikelyPoints points;
  static constexpr auto fields() {
    return std::tuple{text(
        "profile", &LikelyPointsParams::profile,
        "file of likely-convergence points (docs/likely-convergence.md); empty: control-flow analysis finds them")};
  }
  void loaded() {
    if (!profile.empty()) points = LikelyPoints::from_profile(profile);
  }
};

}  // namespace warpfold::divergence
