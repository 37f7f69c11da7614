// SPDX-License-Identifier: Apache-2.0
// LWM: large warps with a reconvergence stack each, whose active threads are packed into sub-warps as wide as the SIMD
// units at issue (HARP §2.3; Narasiman et al., MICRO 2011).
#include <algorithm>
#include <bit>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"
#include "warpfold/divergence/parts/block/block_stack.h"
#include "warpfold/divergence/parts/block/compact_step.h"
#include "warpfold/divergence/parts/lane_registers.h"

namespace warpfold::divergence {

namespace {

struct LwmParams {
  static constexpr Regroups kRegroups = Regroups::kBlock;
  unsigned large_warp = 128;
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  static constexpr auto fields() {
    return std::tuple{field("large_warp", "threads", &LwmParams::large_warp, 1, 4096, "of a large warp (HARP 6.1)"),
                      choice("branch_order", &LwmParams::branch_order, "which side of a divergent branch runs first")};
  }
  std::string why_not(const Geometry& geometry) const {
    if (large_warp % geometry.warp_size == 0) return "";
    return fmt::format("large_warp = {} threads is no multiple of the warp size, {}", large_warp, geometry.warp_size);
  }
  // All sub-warps of a large warp share a scheduler, so that one may have to hold those of nearly all threads.
  Shape shape(const Geometry& geometry) const {
    return {geometry.simd_width, geometry.max_threads / geometry.simd_width * geometry.schedulers};
  }
  // Stacks with a mask for large warps, as a block's, the thread numbers of sub-warps, and what packs them: per lane
  // the first row that is left, a sub-warp per clock, which is what a thread compactor does (HARP §2.3). Its other
  // mode, rows as they are, is a sixth of its area and counted.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const Geometry& core = geometry.core;
    const unsigned large = core.max_threads / large_warp, rows = large_warp / core.simd_width;
    const unsigned entries = large * geometry.stack_entries;
    const unsigned subwarps = core.max_threads / core.simd_width;
    Hardware hardware;
    hardware.storage.push_back(
        {"reconvergence stacks", table(entries, 2 * kPcBits + large_warp), 1, {{"lwm_packings", 5}}});
    hardware.storage.push_back(
        thread_numbers(subwarps, core.simd_width, rows, {{"warp_instructions"}, {"lwm_subwarps"}}));
    add_lane_registers(hardware, geometry);
    hardware.logic.push_back({"thread_compactor", {{"Lanes", core.simd_width}, {"Rows", rows}}, core.schedulers});
    hardware.logic.push_back(
        {"block_stack",
         {{"Lanes", core.simd_width}, {"Rows", rows}, {"Depth", geometry.stack_entries}, {"PcWidth", kPcBits}}});
    return hardware;
  }
};

class Lwm final : public Mechanism {
 public:
  Lwm(const LwmParams& params, const Geometry& geometry, Core& core)
      : Mechanism({.keeps_back = true}),
        params_(params),
        schedulers_(geometry.schedulers),
        deals_blocks_(geometry.deals_blocks),
        rows_(params.large_warp / geometry.simd_width),
        core_(core),
        blocks_(geometry.max_blocks),
        subwarps_(geometry.max_warps),
        packers_(geometry.schedulers),
        instructions_(core.stats().counter("lwm_instructions", "large-warp instructions",
                                           "instructions that a large warp completed")),
        issued_(core.stats().counter("lwm_subwarps", "sub-warps", "issued for these instructions")),
        packings_(core.stats().counter("lwm_packings", "packings",
                                       "of a large warp's active threads into sub-warps that changed them")) {
    for (unsigned s = 0; s < schedulers_; ++s) packers_[s] = core.taps().packer_observer(s);
  }

  void kernel_started(const isa::Kernel& kernel) override { end_ = kernel.end(); }
  void kernel_ended() override {
    for (const auto& larges : blocks_) check(larges.empty(), "a kernel ends with no large warp left");
    check(live_ == 0 && in_subwarps_ == 0 && inactive_ == 0, "a kernel ends with no thread left");
  }

  void block_started(const Block& block) override {
    std::vector<LargeWarp>& larges = blocks_[block.slot];
    larges.resize((block.rows() + rows_ - 1) / rows_);
    for (unsigned i = 0; i < larges.size(); ++i) {
      const auto begin = block.threads.begin() + i * rows_;
      const auto end = block.threads.begin() + std::min((i + 1) * rows_, block.rows());
      LargeWarp& large = larges[i];
      large.first_row = block.first_row + i * rows_;
      large.scheduler = deals_blocks_ ? core_.scheduler_of_row(large.first_row)
                                      : (block.slot * static_cast<unsigned>(larges.size()) + i) % schedulers_;
      large.stack.start({block.slot, block.id, block.age, large.first_row, {begin, end}}, end_);
      core_.stack_depth(1);
      for (const LaneMask row : large.stack.top().threads) live_ += static_cast<unsigned>(std::popcount(row));
      pack(large, large.stack.top());
    }
  }
  void block_finished(const Block& block) override { blocks_[block.slot].clear(); }

  bool leaves_at(WarpId id, Pc next) const override { return next == subwarps_[id].large->stack.reconvergence(); }
  // What the other sub-warps do may have all packed anew.
  bool leaves_by(WarpId /*id*/, const Branch& branch, bool /*divides*/) const override { return branch.may_diverge; }
  unsigned entries_on_stack(WarpId id) const override { return subwarps_[id].large->stack.depth(); }

  void issued(WarpId /*id*/, Cycle /*now*/) override { ++issued_; }

  void committed(WarpId id, Pc next) override {
    LargeWarp& large = *subwarps_[id].large;
    if (next == large.stack.reconvergence()) {
      large.stack.arrive_at_reconvergence();
      drop(large, id);
      settle(large);
    } else {
      core_.warp(id).pc = next;
      wait(large, id);
      go_on_if_done(large);
    }
  }

  void branch_resolved(WarpId id, const Branch& branch) override {
    LargeWarp& large = *subwarps_[id].large;
    subwarps_[id].taken = branch.taken;
    wait(large, id);
    if (large.busy > 0) return;
    bool some_take = false, some_do_not = false;
    for (const WarpId sub : large.subwarps) {
      some_take = some_take || subwarps_[sub].taken != 0;
      some_do_not = some_do_not || (core_.warp(sub).mask & ~subwarps_[sub].taken) != 0;
    }
    if (some_take && some_do_not) {
      diverge(large, branch);
    } else {
      jump(large, some_take ? branch.target : branch.pc + 1);
    }
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    LargeWarp& large = *subwarps_[id].large;
    Warp& warp = core_.warp(id);
    const bool emptied = (warp.mask & ~lanes) == 0;
    change(large, [&] { large.stack.exit(warp, lanes, emptied); });
    const auto exits = static_cast<unsigned>(std::popcount(lanes));
    live_ -= exits;
    in_subwarps_ -= exits;
    warp.mask &= ~lanes;
    if (!emptied) {
      // A guarded exit: what is left stays together until the large warp is packed anew.
      committed(id, next);
      return;
    }
    drop(large, id);
    settle(large);
  }

  // Whoever is in no sub-warp of a large warp waits for all of them.
  LaneMask kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const override {
    const LargeWarp& large = *subwarps_[carrier].large;
    if (row < large.first_row || row >= large.first_row + rows_) return 0;
    LaneMask kept = ~LaneMask{0};
    for (const WarpId sub : large.subwarps) kept &= ~lanes_of_row(core_.warp(sub), row);
    return kept;
  }

  Parked parked() const override { return {inactive_, live_ - in_subwarps_ - inactive_}; }
  std::string waiting(unsigned slot) const override {
    std::string text;
    for (const LargeWarp& large : blocks_[slot]) {
      text +=
          fmt::format("{}large warp of rows from {}: {} of {} sub-warps busy, stack of {}", text.empty() ? "" : "; ",
                      large.first_row, large.busy, large.subwarps.size(), large.stack.depth());
    }
    return text;
  }

 private:
  struct LargeWarp {
    unsigned first_row = 0;
    unsigned scheduler = 0;
    BlockStack stack;  // of its own threads: to a block-wide stack, a large warp is a block
    std::vector<WarpId> subwarps;
    unsigned busy = 0;  // of them, with the instruction not done
  };
  struct Subwarp {
    LargeWarp* large = nullptr;
    LaneMask taken = 0;  // of the branch that the others have not resolved yet
  };

  void wait(LargeWarp& large, WarpId id) {
    core_.hold(id, kUntilReleased);
    --large.busy;
  }

  // All sub-warps advance together, once the instruction is done in each of them.
  void go_on_if_done(LargeWarp& large) {
    if (large.busy > 0) return;
    ++instructions_;
    large.busy = static_cast<unsigned>(large.subwarps.size());
    for (const WarpId sub : large.subwarps) core_.release(sub);
  }

  void drop(LargeWarp& large, WarpId id) {
    large.subwarps.erase(std::find(large.subwarps.begin(), large.subwarps.end(), id));
    --large.busy;
    remove(id);
  }

  void remove(WarpId id) {
    in_subwarps_ -= static_cast<unsigned>(std::popcount(core_.warp(id).mask));
    core_.remove(id);
  }

  // What changes the stack changes how many threads are inactive.
  template <class Change>
  void change(LargeWarp& large, Change make) {
    inactive_ -= large.stack.inactive();
    make();
    inactive_ += large.stack.inactive();
  }

  // Sub-warps have left: the stack moves on after the last, else those that are left may.
  void settle(LargeWarp& large) {
    if (!large.subwarps.empty()) {
      go_on_if_done(large);
      return;
    }
    ++instructions_;
    const BlockStack::Entry* entry = nullptr;
    change(large, [&] { entry = large.stack.advance(params_.branch_order, true); });
    if (entry != nullptr) pack(large, *entry);
  }

  void diverge(LargeWarp& large, Branch branch) {
    branch.likely = isa::kNoPc;  // HARP's large warps reconverge at immediate post-dominators only
    for (const WarpId sub : large.subwarps) {
      branch.taken = subwarps_[sub].taken;
      large.stack.arrive_at_branch(core_.warp(sub), branch);
      remove(sub);
    }
    large.subwarps.clear();
    core_.stack_depth(large.stack.depth());
    settle(large);
  }

  void jump(LargeWarp& large, Pc next) {
    if (next != large.stack.reconvergence()) {
      for (const WarpId sub : large.subwarps) core_.warp(sub).pc = next;
      go_on_if_done(large);
      return;
    }
    for (const WarpId sub : large.subwarps) {
      large.stack.arrive_at_reconvergence();
      remove(sub);
    }
    large.subwarps.clear();
    settle(large);
  }

  void pack(LargeWarp& large, const BlockStack::Entry& entry) {
    ++packings_;
    left_ = entry.threads;
    packed_.clear();
    for (unsigned i = 0; i < entry.warps; ++i) {
      packed_.push_back(compact_step(left_, large.first_row, entry.pc, true));
      const WarpId id = core_.insert(packed_.back(), large.scheduler);
      subwarps_[id].large = &large;
      in_subwarps_ += static_cast<unsigned>(std::popcount(core_.warp(id).mask));
      large.subwarps.push_back(id);
    }
    large.busy = entry.warps;
    PackerObserver* const packer = packers_[large.scheduler];
    if (packer != nullptr) packer->packed(entry.threads, large.first_row, packed_);
  }

  LwmParams params_;
  unsigned schedulers_;
  bool deals_blocks_;
  unsigned rows_;  // of a large warp, each as wide as a sub-warp
  Core& core_;
  Pc end_ = 0;
  std::vector<std::vector<LargeWarp>> blocks_;               // by block slot
  std::vector<Subwarp> subwarps_;                            // by warp slot
  std::vector<LaneMask> left_;                               // while packing: threads in no sub-warp yet
  std::vector<Warp> packed_;                                 // and the sub-warps so far
  std::vector<PackerObserver*> packers_;                     // by scheduler
  std::uint64_t live_ = 0, in_subwarps_ = 0, inactive_ = 0;  // threads
  Counter &instructions_, &issued_, &packings_;
};

const Register<LwmParams, Lwm> lwm_registration("lwm",
                                                "large warps, packed into sub-warps as wide as the SIMD units at issue",
                                                "HARP §2.3, §6.1");

}  // namespace
}  // namespace warpfold::divergence
