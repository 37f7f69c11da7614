// SPDX-License-Identifier: Apache-2.0
// What PDOM with and without likely-convergence points share: every static warp goes its own way, with a stack of its
// own (TBC §2.2.2).
#pragma once

#include <string>
#include <vector>

#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/warp/stack_hardware.h"
#include "warpfold/divergence/parts/warp/warp_stack.h"

namespace warpfold::divergence {

struct WarpReconvergenceParams {
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  static constexpr auto fields() {
    return std::tuple{
        choice("branch_order", &WarpReconvergenceParams::branch_order, "which side of a divergent branch runs first")};
  }
  Hardware hardware(const HardwareGeometry& geometry) const { return warp_stack_hardware(geometry, false); }
};

class WarpReconvergence : public Mechanism {
 public:
  WarpReconvergence(const WarpReconvergenceParams& params, const Geometry& geometry, Core& core);

  void kernel_started(const isa::Kernel& kernel) override { end_ = kernel.end(); }
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& /*block*/) override {}

  // Reconverging only widens or narrows the mask of the same warp: no thread changes warps.
  bool leaves_at(WarpId /*warp*/, Pc /*next*/) const override { return false; }
  void committed(WarpId warp, Pc next) override;
  Pc goes_straight_to(WarpId warp, Pc end) const override { return warps_[warp].stack.goes_straight_to(end); }
  void branch_resolved(WarpId id, const Branch& branch) override;
  void exited(WarpId id, LaneMask lanes, Pc next) override;

  // A stack's top goes first.
  LaneMask kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const override {
    return others_of_row(core_.warp(carrier), row);
  }
  unsigned entries_on_stack(WarpId warp) const override {
    return static_cast<unsigned>(warps_[warp].stack.entries().size());
  }
  Parked parked() const override { return parked_; }
  std::string waiting(unsigned block_slot) const override;

 private:
  struct Resident {
    WarpStack stack;
    Parked counted;  // of its threads, in parked_
  };

  void go_on(WarpId id, Pc next);
  void show_top(WarpId id);
  void count(Resident& resident);

  WarpReconvergenceParams params_;
  Core& core_;
  Pc end_ = 0;
  std::vector<Resident> warps_;  // by slot
  Parked parked_;
};

}  // namespace warpfold::divergence
