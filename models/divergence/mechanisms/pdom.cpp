// SPDX-License-Identifier: Apache-2.0
// PDOM: one reconvergence stack per static warp, reconverging at immediate post-dominators (TBC §2.2.2).
#include "warpfold/divergence/parts/warp/likely_points.h"
#include "warpfold/divergence/parts/warp/warp_reconvergence.h"

namespace warpfold::divergence {
namespace {

class Pdom final : public WarpReconvergence {
 public:
  using WarpReconvergence::WarpReconvergence;
  void branch_resolved(WarpId id, const Branch& branch) override {
    WarpReconvergence::branch_resolved(id, without_likely_point(branch));
  }
};

const Register<WarpReconvergenceParams, Pdom> pdom_registration(
    "pdom", "per-warp reconvergence stack at immediate post-dominators (SBR)", "TBC §2.2.2; HARP §2.1");

}  // namespace
}  // namespace warpfold::divergence
