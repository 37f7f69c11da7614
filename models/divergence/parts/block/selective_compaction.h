// SPDX-License-Identifier: Apache-2.0
// Thread block compaction beside warps that pass branches by: the ground that CAPRI and TSTBC stand on (TSTBC §2-3).
//
// A block has one reconvergence stack (§3.3). The warps of its top entry come to a potentially divergent branch. The
// first of them makes an entry for each side; every one counts as arrived and belongs from then on to the entries of
// the sides that its threads take:
//   - A warp that does not diverge goes on, whichever side it takes.
//   - One that diverges waits for the others, or goes on with its threads on the side that runs first. Its others are
//     due on the second side.
// When all have arrived, the first side becomes the top. Those who waited enter it, compacted or as they are. When all
// its warps have come to the reconvergence point, the second side becomes the top, and whoever is due there enters it,
// compacted or as it is. After that the entry below goes on in the warps that came to the branch.
//
// Neither paper says how far a warp may run ahead of its block; compaction_scopes.h has the other reading. Here there
// is one stack, hence one branch at a time: a warp whose entry is not the top yet waits at its next potentially
// divergent branch until it is (decision). So that it does not wait there with a lock that those of the top try for, it
// waits before an atomic that gives a result, too. Nobody waits who would not wait under TBC, nor with anything that
// others wait for, hence no deadlock of its own.
// Which threads come to a branch together, an entry here remembers; the storage that the papers count (TSTBC §4.2.5)
// does not say where hardware would.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/divergence/parts/block/running_lanes.h"
#include "warpfold/divergence/parts/branch_meeting.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {

// A mechanism but for its policy.
class SelectiveCompaction : public Mechanism {
 public:
  SelectiveCompaction(BranchOrder order, unsigned stack_entries, const Geometry& geometry, Core& core,
                      std::unique_ptr<MeetingPolicy> policy);

  void kernel_started(const isa::Kernel& kernel) override;
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& block) override;
  bool leaves_at(WarpId warp, Pc next) const override;
  bool leaves_by(WarpId warp, const Branch& branch, bool divides) const override;
  void committed(WarpId warp, Pc next) override;
  void branch_resolved(WarpId warp, const Branch& branch) override;
  void exited(WarpId warp, LaneMask lanes, Pc next) override;
  void compacted(unsigned block_slot, unsigned tag, const Warp& warp, bool last) override;
  void spilled(unsigned slot) override;
  LaneMask kept_back(WarpId carrier, const Warp& waiting, unsigned row) const override;
  unsigned entries_on_stack(WarpId warp) const override {
    return static_cast<unsigned>(blocks_[core_.block_of(warp)].stack.size());
  }
  Parked parked() const override { return {inactive_, live_ - active_ - inactive_}; }
  std::string waiting(unsigned block_slot) const override;

 private:
  struct AtBranch {
    Warp warp;
    Branch branch;
    LaneMask lanes_of(unsigned side) const { return warp.mask & (side == 1 ? branch.taken : ~branch.taken); }
  };

  struct Entry {
    Pc pc = 0, rpc = 0;
    unsigned warps = 0;           // that have not arrived at its branch or rpc: running, ahead or in the compactor
    std::vector<Warp> due;        // they enter when its turn comes
    bool compact = false;         // through the compactor
    unsigned inactive = 0;        // threads of theirs that wait for a side's turn
    std::vector<AtBranch> ahead;  // warps that are at its branch before its turn
    std::vector<Warp> held;       // before an atomic
  };

  struct Resident {
    Block block;
    std::vector<LaneMask> alive;  // per row
    mutable RunningLanes running;
    std::vector<Entry*> stack;  // the last one is the top
    unsigned coming = 0;        // warps from the compactor
    bool due = false;           // the top's turn comes once the entries that are under way are there
    // The branch at which the top's warps arrive.
    bool branching = false;
    Meeting meeting;
    std::array<Entry*, 2> sides{};  // as Meeting::target; null: the reconvergence point itself
    std::vector<AtBranch> waiting;  // of the warps that diverge
  };

  // Warps
  bool waits_at(Pc pc, const Resident& resident, const Entry& entry) const;
  void enter(Entry& entry, const Warp& warp);
  void take_out(WarpId id);
  void go_on(WarpId id, Pc next);
  void hold_back(Entry& entry, const Warp& warp);
  void move(Resident& resident, WarpId id, const Warp& warp, Entry* to);

  // Branches
  void open(Resident& resident, const Branch& branch);
  void arrive(Resident& resident, WarpId id, const AtBranch& at);
  void let_go(Resident& resident, WarpId id);
  void leave_second_sides(Resident& resident, unsigned first);
  unsigned verdict_wait();
  void close(Resident& resident);

  // The stack
  Entry& make_entry(Pc pc, Pc rpc);
  void pop(Resident& resident);
  void compact(Resident& resident, Entry& entry, const std::vector<LaneMask>& threads);
  static bool lives(const Resident& resident);
  void next_turn(Resident& resident);
  void take_turn(Resident& resident);
  void settle(Resident& resident);

  std::vector<const Entry*> by_turn(const Resident& resident) const;
  const std::vector<LaneMask>& running(const Resident& resident) const;
  Resident& resident_of(WarpId id) { return blocks_[core_.block_of(id)]; }

  BranchOrder order_;
  Core& core_;
  AdequacyUnit& unit_;  // that the policy asks
  unsigned wait_ = 0;   // cycles until it answers: whoever goes on by its verdict is held for so long
  std::unique_ptr<MeetingPolicy> policy_;
  BlockStackSpills spills_;
  Pc end_ = 0;
  std::vector<bool> steers_;      // by pc: an atomic that gives a result
  std::vector<Resident> blocks_;  // by block slot
  std::vector<Entry*> entry_of_;  // by slot of the warp buffer
  std::deque<Entry> entries_;     // all that have been made, at addresses that stay
  std::vector<Entry*> free_;      // of those, the ones without a user
  // Threads on this core: alive, in the masks of warps in the buffer, and on sides whose turn has not come.
  std::uint64_t live_ = 0, active_ = 0, inactive_ = 0;
  Counter& ahead_;
};

}  // namespace warpfold::divergence
