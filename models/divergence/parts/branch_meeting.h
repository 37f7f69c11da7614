// SPDX-License-Identifier: Apache-2.0
// The warps of a block that come to one branch, and what a mechanism decides about them: who waits, who is compacted.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/branch_order.h"

namespace warpfold::divergence {

// Threads of warps that diverge at one branch, per row of the block.
struct Gathering {
  unsigned warps = 0;
  std::array<std::vector<LaneMask>, 2> threads;  // [0]: fall through, [1]: take the branch

  // Adds the `lanes` of a warp of the block, of which `taken` take the branch.
  void add(const Block& block, const Warp& warp, LaneMask lanes, LaneMask taken);
};

// The warps of a stack's entry at its branch, from the first that comes until all have come.
struct Meeting {
  Pc branch = 0;
  std::array<Pc, 2> target{};  // as Gathering::threads
  Pc rpc = 0;
  BranchOrder order = BranchOrder::kTakenFirst;
  Gathering all;                    // every warp that has diverged here
  Gathering waiting;                // of those, the ones that wait
  unsigned stage = 0;               // the policy's own
  std::optional<unsigned> running;  // the side that warps which did not wait run first

  // Nobody has come yet.
  void open(const Branch& branch, BranchOrder order);
  // Is there anything to execute on a side before the reconvergence point?
  bool runs(unsigned side) const { return target[side] != rpc; }
  // The side that these warps run first: the same for all once some of them run it.
  unsigned entered(const Gathering& warps) const;
};

// Warps that threads of a meeting compact to.
unsigned warps_after(const Gathering& gathering, unsigned side);
// Would the warps that have diverged, all of them, come out as fewer on the side that they enter?
bool compaction_helps(const Meeting& meeting);

// Who waits, and who is compacted.
class MeetingPolicy {
 public:
  virtual ~MeetingPolicy() = default;
  virtual void kernel_started(const isa::Kernel& /*kernel*/) {}
  // Might a warp that diverges at the branch wait there? `meeting`: of those that have come, if any have. The warp does
  // not count yet.
  virtual bool may_wait(Pc /*branch*/, const Meeting* /*meeting*/) const { return true; }
  // Another warp diverges; both gatherings count it already. False: it goes on as it is, and all who wait here with it.
  virtual bool waits(Meeting& meeting) = 0;
  // All warps have come. Are those who wait compacted for the side that they enter? Asked once per meeting, whether or
  // not any warp waits or has diverged.
  virtual bool compacts(const Meeting& meeting) = 0;
  // Are all that have diverged compacted for the other side, when they are through that one?
  virtual bool compacts_other(const Meeting& meeting) = 0;
};

}  // namespace warpfold::divergence
