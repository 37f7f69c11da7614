// SPDX-License-Identifier: Apache-2.0
// DWF: dynamic warp formation with the majority policy (TBC §2.3; HARP §2.2). A warp is broken down after every
// instruction, and its threads form new ones with whoever is at the same pc. Nothing makes threads reconverge.
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp_pool.h"

namespace warpfold::divergence {

namespace {

class Dwf final : public Mechanism {
 public:
  Dwf(const WarpPoolParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.mixes_paths = true}), core_(core), pool_(core, geometry, params.lut_entries) {}

  void kernel_started(const isa::Kernel& kernel) override { pool_.kernel_started(kernel); }
  void kernel_ended() override { pool_.kernel_ended(); }

  // Blocks are launched in static warps; only what comes back from the pipeline is looked up.
  void block_started(const Block& block) override {
    for (unsigned row = 0; row < block.rows(); ++row) {
      const Warp warp = Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]);
      pool_.enter_closed(core_.insert(warp, pool_.scheduler_of(warp)));
    }
  }
  void block_finished(const Block& /*block*/) override {}

  // Any thread may join another warp after any instruction.
  bool leaves_at(WarpId /*warp*/, Pc /*next*/) const override { return true; }

  void committed(WarpId id, Pc next) override {
    core_.warp(id).pc = next;
    pool_.enter(id);
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    Warp& warp = core_.warp(id);
    const LaneMask taken = branch.taken & warp.mask;
    if (taken == 0 || taken == warp.mask || branch.target == branch.pc + 1) {
      committed(id, taken != 0 ? branch.target : branch.pc + 1);
      return;
    }
    Warp side = split(warp, taken);
    side.pc = branch.target;
    committed(id, branch.pc + 1);
    pool_.enter(side);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Warp& warp = core_.warp(id);
    split(warp, lanes);
    if (warp.mask == 0) {
      core_.remove(id);
    } else {
      committed(id, next);
    }
  }

  bool gives_up(WarpId id) override {
    core_.remove(id);
    return true;
  }
  void together(const Warp& warp) override { pool_.enter(warp); }

  void prefer(WarpSet& ready, Cycle /*now*/) override { pool_.prefer(ready); }
  void issued(WarpId id, Cycle /*now*/) override { pool_.issued(id); }

  std::string waiting(unsigned /*slot*/) const override { return "none by DWF, which stops no thread"; }

 private:
  Core& core_;
  WarpPool pool_;
};

const Register<WarpPoolParams, Dwf> dwf_registration(
    "dwf", "dynamic warp formation: threads of one pc regroup, majority policy", "TBC §2.3; HARP §2.2, §6.1");

}  // namespace
}  // namespace warpfold::divergence
