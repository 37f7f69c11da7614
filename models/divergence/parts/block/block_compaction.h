// SPDX-License-Identifier: Apache-2.0
// What TBC with and without likely-convergence points share: one reconvergence stack per thread block; warps meet at
// divergent branches and their threads are compacted into new warps (TBC §3).
#pragma once

#include <string>
#include <vector>

#include "warpfold/divergence/parts/block/block_stack.h"
#include "warpfold/divergence/parts/block/running_lanes.h"
#include "warpfold/divergence/parts/branch_meeting.h"
#include "warpfold/divergence/parts/validity.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/isa/kernel_name.h"

namespace warpfold::divergence {

struct BlockCompactionParams {
  static constexpr Regroups kRegroups = Regroups::kBlock;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  bool compactor = true;
  std::string uncompacted;
  unsigned stack_entries = 0;
  unsigned stack_stages = 1;
  static constexpr auto fields() {
    using P = BlockCompactionParams;
    return std::tuple{choice("branch_order", &P::branch_order, "which side of a divergent branch runs first"),
                      flag("compactor", &P::compactor,
                           "off: warps keep their static arrangement, for warp-synchronous kernels (TBC 3.2)"),
                      text("uncompacted", &P::uncompacted,
                           "kernels whose launches have the compactor off (TBC 3.2), separated by commas; empty: none"),
                      field("stack_entries", "entries", &P::stack_entries, 0, 4096,
                            "of a block's reconvergence stack on the core; when it is deeper, the lowest lie in "
                            "memory; 0: it has room for all, and area counts area.stack_entries"),
                      field("stack_stages", "stages", &P::stack_stages, 1, 2,
                            "in which the block stack counts the warps of an entry that is to run")};
  }
  std::string why_not(const Geometry& /*geometry*/) const {
    if (stack_entries == 0 || stack_entries >= BlockStackSpills::kFewestEntries) return "";
    return fmt::format("stack_entries = {}: a branch takes up to {} of them; 0 is no limit", stack_entries,
                       BlockStackSpills::kFewestEntries);
  }
  // Entries of two pcs and a warp count (TBC §3.1).
  Hardware hardware(const HardwareGeometry& geometry) const {
    return block_compaction(geometry, entries_in(geometry), 2 * kPcBits + count_bits(geometry), stack_stages);
  }
  unsigned entries_in(const HardwareGeometry& geometry) const {
    return stack_entries != 0 ? stack_entries : geometry.stack_entries;
  }
  bool spills() const { return stack_entries != 0; }
};

class BlockCompaction : public Mechanism {
 public:
  // `field_bytes`: of a stack entry in memory, beside its mask.
  BlockCompaction(const BlockCompactionParams& params, const Geometry& geometry, Core& core,
                  unsigned field_bytes = BlockStackSpills::kFieldBytes);

  void kernel_started(const isa::Kernel& kernel) override {
    end_ = kernel.end();
    regroups_ = params_.compactor && !isa::is_among(kernel.name, params_.uncompacted);
  }
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId warp, Pc next) const override { return blocks_[core_.block_of(warp)].stack.meets_at(next); }
  // All go to the compactor.
  bool leaves_by(WarpId /*warp*/, const Branch& branch, bool /*divides*/) const override { return branch.may_diverge; }
  void committed(WarpId warp, Pc next) override;
  void branch_resolved(WarpId id, const Branch& branch) override;
  void exited(WarpId id, LaneMask lanes, Pc next) override;
  void compacted(unsigned slot, unsigned tag, const Warp& warp, bool last) override;

  void spilled(unsigned slot) override;
  LaneMask kept_back(WarpId carrier, const Warp& waiting, unsigned row) const override;
  unsigned entries_on_stack(WarpId warp) const override { return blocks_[core_.block_of(warp)].stack.depth(); }
  // Whoever is neither in a warp nor waits for a turn waits for the block: at its branch, its reconvergence point, or
  // in the compactor.
  Parked parked() const override { return {inactive_, live_ - in_warps_ - inactive_}; }
  std::string waiting(unsigned slot) const override;

 private:
  struct Resident {
    Resident(unsigned max_warps, unsigned stack_stages) : stack(stack_stages), warps(max_warps) {}
    Block block;
    BlockStack stack;
    WarpSet warps;
    mutable RunningLanes running;
    Meeting meeting;  // at the branch that the top's warps arrive at
    bool meeting_open = false;
    unsigned coming = 0;  // warps from the compactor
    bool due = false;     // the top's threads go to the compactor once the entries that are under way are there
  };

  WarpId insert(const Warp& warp, unsigned slot);
  unsigned stack_wait(unsigned slot);
  void remove(WarpId id, unsigned slot);
  void go_on(WarpId id, Pc next);
  void meet(Resident& resident, const Warp& warp, const Branch& branch);
  void advance_if_settled(unsigned slot);
  void compact(unsigned slot);

  BlockCompactionParams params_;
  Core& core_;
  Validity validity_;
  BlockStackSpills spills_;
  Pc end_ = 0;
  bool regroups_ = true;                                  // the compactor is on
  std::vector<Resident> blocks_;                          // by block slot
  std::uint64_t live_ = 0, in_warps_ = 0, inactive_ = 0;  // threads
};

}  // namespace warpfold::divergence
