// SPDX-License-Identifier: Apache-2.0
// The block-wide reconvergence stack (TBC §3.1-3.3): masks over all threads of a block, warps counted as they arrive.
#pragma once

#include <cstdint>
#include <vector>

#include "models/divergence/branch_order.h"
#include "models/divergence/mechanism.h"

namespace warpfold::divergence {

class BlockStack {
 public:
  struct Entry {
    Pc pc = 0;                      // where the entry's threads go on when it becomes the top
    Pc rpc = 0;                     // where they wait for the entries below
    unsigned warps = 0;             // WCnt: warps of this entry that have not arrived at its branch or its rpc
    std::vector<LaneMask> threads;  // per row of the block
  };

  // All threads of the block in one entry at pc 0 that reconverges at `end`, one warp per row with threads.
  void start(const Block& block, Pc end);

  // A warp of the top entry resolved a potentially divergent branch: its threads join the two target entries, which the
  // first warp to arrive creates, and the entry waits for one warp less.
  void arrive_at_branch(const Warp& warp, const Branch& branch);
  // A warp of the top entry reached the entry's reconvergence point.
  void arrive_at_reconvergence();
  // Threads exited: they leave every mask. `emptied`: no thread of their warp is left, so the entry waits for one less.
  void exit(const Warp& warp, LaneMask lanes, bool emptied);

  // Have all warps of the top entry arrived?
  bool settled() const { return top().warps == 0; }
  // Moves on from a settled top: to the branch targets if there are any, else back down. Returns the entry whose
  // threads run next, with `warps` set to the number of warps its threads compact to (the largest number of threads in
  // a lane, or of rows with threads when `regroup` is off); null when no thread of the block is left.
  const Entry* advance(BranchOrder order, bool regroup);

  const Entry& top() const { return entries_[top_]; }
  Pc reconvergence() const { return entries_[top_].rpc; }
  // Entries from the bottom to the top of the array, being filled or not. An entry whose pc is its rpc pops without
  // running and does not count.
  unsigned depth() const;
  unsigned size() const { return used_; }
  const Entry& entry(unsigned index) const { return entries_[index]; }

 private:
  Entry& push(Pc pc, Pc rpc);
  void add(Entry& entry, const Warp& warp, LaneMask lanes);
  void enter_targets(BranchOrder order);

  std::vector<Entry> entries_;  // storage is kept when entries pop
  unsigned used_ = 0;
  unsigned top_ = 0;      // stays on the branching entry while its targets fill (TBC Fig. 9)
  bool filling_ = false;  // entries_[top_ + 1] is the fall-through target, entries_[top_ + 2] the taken one
  unsigned first_row_ = 0;
  unsigned rows_ = 0;
};

// Warps that `threads` (per row) compact to when each thread keeps its lane: the largest number of threads in one lane.
unsigned compacted_warps(const std::vector<LaneMask>& threads);

}  // namespace warpfold::divergence
