// SPDX-License-Identifier: Apache-2.0
// DWF-WB: dynamic warp formation between warp barriers (TBC §2.4). Threads stay in their static warp until it diverges;
// they then regroup freely, and wait for each other where that branch reconverges.
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp_pool.h"

namespace warpfold::divergence {

namespace {

struct DwfWbParams : WarpPoolParams {
  // What DWF adds, and a barrier for every static warp: a pc and a bit per lane (TBC §2.4).
  Hardware hardware(const HardwareGeometry& geometry) const {
    Hardware hardware = WarpPoolParams::hardware(geometry);
    const Structure barriers{"warp barriers",
                             table(geometry.rows(), kPcBits + geometry.core.warp_size),
                             1,
                             {{"dwf_warp_barriers"}, {"warp_instructions"}}};
    hardware.storage.push_back(barriers);
    return hardware;
  }
};

class DwfWb final : public Mechanism {
 public:
  DwfWb(const DwfWbParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.mixes_paths = true, .keeps_back = true}),
        core_(core),
        pool_(core, geometry, params.lut_entries),
        rows_(geometry.max_threads / geometry.warp_size),
        created_(core.stats().counter("dwf_warp_barriers", "events",
                                      "warp barriers created, by static warps that diverged (TBC §2.4)")),
        without_(core.stats().counter("dwf_divergences_to_the_end", "events",
                                      "static warps that diverged where nothing but the kernel's end reconverges")),
        most_(core.stats().counter("dwf_max_warp_barriers", "entries", "warp barriers at the same time",
                                   Combine::kMax)) {}

  void kernel_started(const isa::Kernel& kernel) override {
    pool_.kernel_started(kernel);
    end_ = kernel.end();
    barriers_at_.assign(end_, 0);
  }
  void kernel_ended() override {
    pool_.kernel_ended();
    check(barriers_ == 0 && waiting_ == 0, "no warp barrier is left when a kernel has ended");
  }

  void block_started(const Block& block) override {
    for (unsigned row = 0; row < block.rows(); ++row) {
      rows_[block.first_row + row] = {block.threads[row], 0, isa::kNoPc, false};
      restore(block.first_row + row, 0);
    }
  }
  void block_finished(const Block& /*block*/) override {}

  // A static warp stays together up to its next divergence, before which it drains.
  bool leaves_at(WarpId id, Pc /*next*/) const override { return !is_static(core_.warp(id)); }

  void committed(WarpId id, Pc next) override {
    Warp& warp = core_.warp(id);
    warp.pc = next;
    if (is_static(warp)) {
      pool_.enter_closed(id);
    } else {
      regroup(id);
    }
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    Warp& warp = core_.warp(id);
    const LaneMask taken = branch.taken & warp.mask;
    if (taken == 0 || taken == warp.mask || branch.target == branch.pc + 1) {
      committed(id, taken != 0 ? branch.target : branch.pc + 1);
      return;
    }
    if (is_static(warp)) diverge(rows_[row_of(warp)], branch.reconvergence);
    Warp side = split(warp, taken);
    side.pc = branch.target;
    warp.pc = branch.pc + 1;
    regroup(id);
    regroup(side);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Warp& warp = core_.warp(id);
    const bool was_static = is_static(warp);
    const Warp gone = split(warp, lanes);
    for (LaneMask rest = gone.mask; rest != 0; rest &= rest - 1) rows_[row_at(gone, rest)].live &= ~(rest & -rest);
    if (warp.mask == 0) {
      core_.remove(id);
    } else {
      committed(id, next);
    }
    if (was_static) return;
    // They may have been the last that others wait for.
    for (LaneMask rest = gone.mask; rest != 0; rest &= rest - 1) settle(row_at(gone, rest));
  }

  bool gives_up(WarpId id) override {
    if (is_static(core_.warp(id))) return false;
    core_.remove(id);
    return true;
  }
  void together(const Warp& warp) override { regroup(warp); }
  // Threads at the barrier of their static warp wait for all of it.
  LaneMask kept_back(WarpId /*carrier*/, const Warp& waiting, unsigned row) const override {
    return lanes_of_row(waiting, row) != 0 ? rows_[row].arrived : 0;
  }

  void prefer(WarpSet& ready, Cycle /*now*/) override { pool_.prefer(ready); }
  void issued(WarpId id, Cycle /*now*/) override { pool_.issued(id); }

  Parked parked() const override { return {0, waiting_}; }

  std::string waiting(unsigned slot) const override {
    unsigned threads = 0;
    for (unsigned row = 0; row < rows_.size(); ++row) {
      if (core_.block_of_row(row) == slot) threads += static_cast<unsigned>(std::popcount(rows_[row].arrived));
    }
    return fmt::format("{} at the barriers of their static warps", threads);
  }

 private:
  // A static warp, and its warp barrier once it has diverged.
  struct StaticWarp {
    LaneMask live = 0;
    LaneMask arrived = 0;
    Pc barrier = isa::kNoPc;  // none: whole, or diverged until the kernel ends
    bool diverged = false;
  };

  static unsigned row_at(const Warp& warp, LaneMask lanes) {
    return warp.row[static_cast<unsigned>(std::countr_zero(lanes))];
  }
  static unsigned row_of(const Warp& warp) { return row_at(warp, warp.mask); }
  // All threads of a row are in its static warp or none is.
  bool is_static(const Warp& warp) const { return !rows_[row_of(warp)].diverged; }

  void diverge(StaticWarp& row, Pc reconvergence) {
    row.diverged = true;
    if (reconvergence >= end_) {
      ++without_;
      return;
    }
    row.barrier = reconvergence;
    ++barriers_at_[reconvergence];
    ++created_;
    most_.raise_to(++barriers_);
  }

  // Threads of diverged warps go on at their pc, those that have a warp barrier there excepted.
  void regroup(WarpId id) {
    Warp& warp = core_.warp(id);
    const LaneMask arrived = arrived_of(warp);
    if (arrived == 0) {
      pool_.enter(id);
      return;
    }
    const Warp waits = split(warp, arrived);
    if (warp.mask != 0) {
      pool_.enter(id);
    } else {
      core_.remove(id);
    }
    arrive(waits);
  }
  void regroup(Warp warp) {
    const Warp waits = split(warp, arrived_of(warp));
    if (warp.mask != 0) pool_.enter(warp);
    arrive(waits);
  }

  LaneMask arrived_of(const Warp& warp) const {
    LaneMask lanes = 0;
    if (barriers_at_[warp.pc] == 0) return lanes;
    for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
      if (rows_[row_at(warp, rest)].barrier == warp.pc) lanes |= rest & -rest;
    }
    return lanes;
  }

  void arrive(const Warp& threads) {
    for (LaneMask rest = threads.mask; rest != 0; rest &= rest - 1)
      rows_[row_at(threads, rest)].arrived |= rest & -rest;
    waiting_ += static_cast<std::uint64_t>(std::popcount(threads.mask));
    for (LaneMask rest = threads.mask; rest != 0; rest &= rest - 1) settle(row_at(threads, rest));
  }

  // Ends a row's divergence when all its live threads have arrived or none is left.
  void settle(unsigned index) {
    StaticWarp& row = rows_[index];
    if (!row.diverged || row.arrived != row.live) return;
    const Pc pc = row.barrier;
    if (pc != isa::kNoPc) {
      --barriers_at_[pc];
      --barriers_;
      waiting_ -= static_cast<std::uint64_t>(std::popcount(row.arrived));
    }
    row = {row.live, 0, isa::kNoPc, false};
    if (row.live != 0) restore(index, pc);
  }

  void restore(unsigned row, Pc pc) {
    const Warp warp = Warp::of_row(pc, static_cast<std::uint16_t>(row), rows_[row].live);
    pool_.enter_closed(core_.insert(warp, pool_.scheduler_of(warp)));
  }

  Core& core_;
  WarpPool pool_;
  Pc end_ = 0;
  std::vector<StaticWarp> rows_;
  std::vector<unsigned> barriers_at_;  // by pc: warp barriers there
  unsigned barriers_ = 0;
  std::uint64_t waiting_ = 0;  // threads at warp barriers
  Counter &created_, &without_, &most_;
};

const Register<DwfWbParams, DwfWb> dwf_wb_registration(
    "dwf-wb", "dynamic warp formation with warp barriers at top-level reconvergence", "TBC §2.4");

}  // namespace
}  // namespace warpfold::divergence
