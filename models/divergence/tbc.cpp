// SPDX-License-Identifier: Apache-2.0
// TBC: one reconvergence stack per thread block; warps meet at divergent branches and their threads are compacted into
// new warps (TBC §3).
#include <algorithm>
#include <vector>

#include "models/common/error.h"
#include "models/divergence/block_stack.h"
#include "models/divergence/registry.h"

namespace warpfold {

namespace divergence {
namespace {

// Whose warps go first among the blocks of a core (TBC §6.2).
enum class BlockPriority : std::uint8_t { kAge, kRrb, kSrr };

}  // namespace
}  // namespace divergence

template <>
struct Choices<divergence::BlockPriority> {
  static constexpr std::array names{"AGE", "RRB", "SRR"};
};

namespace divergence {
namespace {

struct TbcParams {
  BranchOrder branch_order = BranchOrder::kTakenFirst;
  BlockPriority block_priority = BlockPriority::kAge;
  bool compactor = true;
  static constexpr auto fields() {
    return std::tuple{choice("branch_order", &TbcParams::branch_order, "which side of a divergent branch runs first"),
                      choice("block_priority", &TbcParams::block_priority, "which block's warps issue first (TBC 6.2)"),
                      flag("compactor", &TbcParams::compactor,
                           "off: warps keep their static arrangement, for warp-synchronous kernels (TBC 3.2)")};
  }
};

class Tbc final : public Mechanism {
 public:
  Tbc(const TbcParams& params, const Geometry& geometry, Core& core) : params_(params), core_(core) {
    blocks_.assign(geometry.max_blocks, Resident(geometry.max_warps));
  }

  void kernel_started(const isa::Kernel& kernel) override { end_ = kernel.end(); }

  void block_started(const Block& block) override {
    Resident& resident = blocks_[block.slot];
    resident.block = block;
    resident.stack.start(block, end_);
    if (by_age_.empty()) sticky_ = block.slot;
    by_age_.push_back(block.slot);
    core_.stack_depth(1);
    for (unsigned row = 0; row < block.rows(); ++row) {
      insert(Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]), block.slot);
    }
  }

  void block_finished(const Block& block) override {
    const auto place = std::find(by_age_.begin(), by_age_.end(), block.slot);
    check(place != by_age_.end(), "a block that finishes has started");
    const auto next = by_age_.erase(place);
    // The block that comes into this slot is the youngest: it does not inherit the priority.
    if (sticky_ == block.slot && !by_age_.empty()) sticky_ = next != by_age_.end() ? *next : by_age_.front();
  }

  bool leaves_at(WarpId warp, Pc next) const override {
    return next == blocks_[core_.block_of(warp)].stack.reconvergence();
  }

  void committed(WarpId warp, Pc next) override { go_on(warp, next); }

  void branch_resolved(WarpId id, const Branch& branch) override {
    const Warp& warp = core_.warp(id);
    if (!branch.may_diverge) {
      go_on(id, (warp.mask & branch.taken) != 0 ? branch.target : branch.pc + 1);
      return;
    }
    const unsigned slot = core_.block_of(id);
    BlockStack& stack = blocks_[slot].stack;
    stack.arrive_at_branch(warp, branch);
    core_.stack_depth(stack.depth());
    remove(id, slot);
    advance_if_settled(slot);
  }

  void exited(WarpId id, LaneMask lanes, Pc next) override {
    Warp& warp = core_.warp(id);
    const unsigned slot = core_.block_of(id);
    const bool emptied = (warp.mask & ~lanes) == 0;
    blocks_[slot].stack.exit(warp, lanes, emptied);
    warp.mask &= ~lanes;
    if (!emptied) {
      go_on(id, next);
      return;
    }
    remove(id, slot);
    advance_if_settled(slot);
  }

  void compacted(unsigned slot, unsigned /*tag*/, const Warp& warp, bool /*last*/) override { insert(warp, slot); }

  void prefer(WarpSet& ready, Cycle now) override {
    const std::size_t count = by_age_.size();
    if (now != turn_at_) {
      turn_at_ = now;
      ++turn_;
    }
    if (count < 2) return;
    std::size_t first = 0;
    if (params_.block_priority == BlockPriority::kRrb) first = turn_ % count;
    if (params_.block_priority == BlockPriority::kSrr) {
      first = static_cast<std::size_t>(std::find(by_age_.begin(), by_age_.end(), sticky_) - by_age_.begin());
    }
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned slot = by_age_[(first + i) % count];
      if (!ready.intersects(blocks_[slot].warps)) continue;
      ready &= blocks_[slot].warps;
      sticky_ = slot;
      return;
    }
  }

  std::string waiting(unsigned slot) const override {
    const BlockStack& stack = blocks_[slot].stack;
    return fmt::format("block-wide stack of {} entries, the top (pc {}, rpc {}) waits for {} warps", stack.size(),
                       stack.top().pc, stack.top().rpc, stack.top().warps);
  }

 private:
  struct Resident {
    explicit Resident(unsigned max_warps) : warps(max_warps) {}
    Block block;
    BlockStack stack;
    WarpSet warps;
  };

  void insert(const Warp& warp, unsigned slot) { blocks_[slot].warps.insert(core_.insert(warp)); }

  void remove(WarpId id, unsigned slot) {
    blocks_[slot].warps.erase(id);
    core_.remove(id);
  }

  void go_on(WarpId id, Pc next) {
    const unsigned slot = core_.block_of(id);
    BlockStack& stack = blocks_[slot].stack;
    if (next != stack.reconvergence()) {
      core_.warp(id).pc = next;
      return;
    }
    stack.arrive_at_reconvergence();
    remove(id, slot);
    advance_if_settled(slot);
  }

  void advance_if_settled(unsigned slot) {
    Resident& resident = blocks_[slot];
    if (!resident.stack.settled()) return;
    const BlockStack::Entry* entry = resident.stack.advance(params_.branch_order, params_.compactor);
    if (entry == nullptr) return;
    core_.compact({slot, resident.block.id, resident.block.first_row, entry->pc, params_.compactor, entry->threads});
  }

  TbcParams params_;
  Core& core_;
  Pc end_ = 0;
  std::vector<Resident> blocks_;  // by block slot
  std::vector<unsigned> by_age_;  // slots of the resident blocks, oldest first
  unsigned sticky_ = 0;           // SRR: slot of the block that issued last
  // RRB turns with the cycles that can issue: an instruction holds the port for several, and turning with every cycle
  // would hand all turns to the same block whenever their number divides the hold.
  std::uint64_t turn_ = 0;
  Cycle turn_at_ = kNever;
};

const Register<TbcParams, Tbc> registration("tbc",
                                            "thread block compaction: block-wide stack, threads compacted at branches",
                                            "TBC §3");

}  // namespace
}  // namespace divergence
}  // namespace warpfold
