// SPDX-License-Identifier: Apache-2.0
// PDOM-LCP: PDOM whose threads also reconverge at likely-convergence points (TBC §4).
#include "warpfold/divergence/parts/warp/likely_points.h"
#include "warpfold/divergence/parts/warp/warp_reconvergence.h"

namespace warpfold::divergence {
namespace {

struct PdomLcpParams : WarpReconvergenceParams, LikelyPointsParams {
  static constexpr auto fields() {
    return std::tuple_cat(WarpReconvergenceParams::fields(), LikelyPointsParams::fields());
  }
  Hardware hardware(const HardwareGeometry& geometry) const { return warp_stack_hardware(geometry, true); }
};

class PdomLcp final : public WarpReconvergence {
 public:
  PdomLcp(const PdomLcpParams& params, const Geometry& geometry, Core& core)
      : WarpReconvergence(params, geometry, core), points_(params.points) {}
  void kernel_started(const isa::Kernel& kernel) override {
    WarpReconvergence::kernel_started(kernel);
    points_.kernel_started(kernel);
  }
  void branch_resolved(WarpId id, const Branch& branch) override {
    WarpReconvergence::branch_resolved(id, points_.applied_to(branch));
  }

 private:
  LikelyPoints points_;
};

const Register<PdomLcpParams, PdomLcp> pdom_lcp_registration(
    "pdom-lcp", "per-warp reconvergence stack that also reconverges at likely-convergence points", "TBC §4");

}  // namespace
}  // namespace warpfold::divergence
