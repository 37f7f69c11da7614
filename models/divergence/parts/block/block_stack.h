// SPDX-License-Identifier: Apache-2.0
// The block-wide reconvergence stack (TBC §3.1-3.3): masks over all threads of a block, warps counted as they arrive;
// with likely-convergence points (TBC §4) for branches that have one.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/branch_order.h"

namespace warpfold::divergence {

class StackPlayer;

class BlockStack {
 public:
  // Of the unit: with two stages the warps of an entry are counted in a clock more.
  explicit BlockStack(unsigned stages = 1) : stages_(stages) {}

  struct Entry {
    Pc pc = 0;                      // where the entry's threads go on when it becomes the top
    Pc rpc = 0;                     // where they wait for the entries below
    Pc lpc = isa::kNoPc;            // where they go over to the likely-convergence entry, if they get there before
    unsigned lpos = 0;              // which entry that is
    unsigned warps = 0;             // WCnt: warps of this entry that have not arrived at its branch, rpc or lpc
    unsigned inactive = 0;          // threads of a side whose turn has not come; 0 of other entries
    std::vector<LaneMask> threads;  // per row of the block
  };

  // Who plays the stack; null: nobody. What it answers holds, but for what only this one knows: entries below the top,
  // whose turn has not come, what merged.
  void played_by(StackPlayer* player) { player_ = player; }
  // What its operations take, as rtl/block_stack.sv does them or whoever plays it.
  SpentClocks clocks;

  // All threads of the block in one entry at pc 0 that reconverges at `end`, one warp per row with threads.
  void start(const Block& block, Pc end);

  // A warp of the top entry resolved a potentially divergent branch: its threads join the two target entries, which the
  // first warp to arrive creates, and the entry waits for one warp less. Where the branch has a likely-convergence
  // point other than that of a top that it replaces (TBC footnote 7), an entry of that point comes below them.
  void arrive_at_branch(const Warp& warp, const Branch& branch);
  // Do the top's warps wait at `pc` for each other?
  bool meets_at(Pc pc) const { return pc == top().rpc || pc == top().lpc; }
  // A warp of the top entry reached such a pc.
  void arrive(Pc pc);
  void arrive_at_reconvergence() { arrive(top().rpc); }
  // The compactor makes a warp more of the top's threads than they need.
  void expect_another() { ++entries_[top_].warps; }
  // Threads exited: they leave every mask. `emptied`: no thread of their warp is left, so the entry waits for one less.
  void exit(const Warp& warp, LaneMask lanes, bool emptied);

  // Have all warps of the top entry arrived?
  bool settled() const;
  // Moves on from a settled top: to the branch targets if there are any, else back down, the threads at a
  // likely-convergence point to the entry of that point. Returns the entry whose
  // threads run next, with `warps` set to the number of warps its threads compact to (the largest number of threads in
  // a lane, or of rows with threads when `regroup` is off); null when no thread of the block is left.
  const Entry* advance(BranchOrder order, bool regroup);

  // The likely-convergence entries that got threads when it advanced last.
  const std::vector<unsigned>& merged() const { return merged_; }

  const Entry& top() const;
  Pc reconvergence() const { return top().rpc; }
  // Entries from the bottom to the top of the array, being filled or not. An entry whose pc is its rpc pops without
  // running and does not count.
  unsigned depth() const;
  unsigned size() const;
  const Entry& entry(unsigned index) const { return entries_[index]; }
  bool filling() const;                            // the top waits at its branch, and its targets have entries
  unsigned inactive() const { return inactive_; }  // threads on a side of a branch whose turn has not come

  // What a player answers: of the top, and of the stack. `empty`: no thread of the block is left.
  struct Answer {
    Entry top;
    unsigned size = 0;
    bool filling = false, settled = false, empty = false;
    unsigned clocks = 0;  // that the operation took
  };

 private:
  // The operation is done: in so many clocks, as the model has it. Tells the player by `tell`.
  template <class Tell>
  void done(unsigned clocks_of_model, Tell tell);
  Entry& push(Pc pc, Pc rpc, Pc lpc = isa::kNoPc, unsigned lpos = 0);
  void push_targets(const Branch& branch);
  void add(Entry& entry, const Warp& warp, LaneMask lanes);
  bool enter_targets(BranchOrder order, unsigned& took);
  const Entry* next_to_run(bool regroup, unsigned& took);

  std::vector<Entry> entries_;  // storage is kept when entries pop
  std::vector<unsigned> merged_;
  unsigned used_ = 0;
  unsigned top_ = 0;      // stays on the branching entry while its targets fill (TBC Fig. 9)
  bool filling_ = false;  // the last entry is the taken target, the one below it the fall-through
  unsigned inactive_ = 0;
  unsigned first_row_ = 0;
  unsigned rows_ = 0;
  unsigned stages_;
  StackPlayer* player_ = nullptr;
  const Answer* answer_ = nullptr;  // of the player; null: it does not play
};

// Plays a stack: RTL in the model's place, say. Each operation comes with what the model makes of it: `after`, which
// answers for itself as long as the player is told, the entry that runs next (null at the block's end), the clocks.
// Returns its answers, null from when on it can play this block's stack no more.
class StackPlayer {
 public:
  using Answer = BlockStack::Answer;
  virtual ~StackPlayer() = default;
  virtual const Answer* start(const BlockStack& after, const Block& block, Pc end, unsigned clocks) = 0;
  virtual const Answer* branch(const BlockStack& after, const Warp& warp, const Branch& branch, unsigned clocks) = 0;
  virtual const Answer* arrive(const BlockStack& after, Pc pc, unsigned clocks) = 0;
  virtual const Answer* exit(const BlockStack& after, const Warp& warp, LaneMask lanes, bool emptied,
                             unsigned clocks) = 0;
  // `taken_first`: which target runs first, had it any.
  virtual const Answer* advance(const BlockStack& after, bool taken_first, bool regroup,
                                const BlockStack::Entry* running, unsigned clocks) = 0;
};

// Warps that `threads` (per row) compact to when each thread keeps its lane: the largest number of threads in one lane.
unsigned compacted_warps(const std::vector<LaneMask>& threads);
// All of them.
unsigned thread_count(const std::vector<LaneMask>& threads);

}  // namespace warpfold::divergence
