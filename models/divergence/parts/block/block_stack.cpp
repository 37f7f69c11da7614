// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/block_stack.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {
namespace {

unsigned rows_with_threads(const std::vector<LaneMask>& threads) {
  return static_cast<unsigned>(std::count_if(threads.begin(), threads.end(), [](LaneMask row) { return row != 0; }));
}

}  // namespace

unsigned thread_count(const std::vector<LaneMask>& threads) {
  unsigned total = 0;
  for (LaneMask row : threads) total += static_cast<unsigned>(std::popcount(row));
  return total;
}

unsigned compacted_warps(const std::vector<LaneMask>& threads) {
  // A counter per lane, all lanes at once: bit `lane` of plane k is bit k of the lane's count.
  std::array<LaneMask, 32> planes{};
  unsigned used = 0;
  for (LaneMask carry : threads) {
    unsigned k = 0;
    for (; carry != 0; ++k) {
      const LaneMask both = planes[k] & carry;
      planes[k] ^= carry;
      carry = both;
    }
    used = std::max(used, k);
  }
  // The largest count, from its highest bit down, among the lanes that can still have it.
  unsigned most = 0;
  LaneMask lanes = ~LaneMask{0};
  for (unsigned k = used; k-- > 0;) {
    if ((planes[k] & lanes) == 0) continue;
    lanes &= planes[k];
    most |= 1U << k;
  }
  return most;
}

const BlockStack::Entry& BlockStack::top() const { return answer_ != nullptr ? answer_->top : entries_[top_]; }

bool BlockStack::settled() const { return answer_ != nullptr ? answer_->settled : entries_[top_].warps == 0; }

unsigned BlockStack::size() const { return answer_ != nullptr ? answer_->size : used_; }

bool BlockStack::filling() const { return answer_ != nullptr ? answer_->filling : filling_; }

template <class Tell>
void BlockStack::done(unsigned clocks_of_model, Tell tell) {
  if (player_ != nullptr) {
    answer_ = nullptr;
    answer_ = tell();
  }
  clocks.spend(answer_ != nullptr ? answer_->clocks : clocks_of_model);
}

void BlockStack::start(const Block& block, Pc end) {
  used_ = 0;
  top_ = 0;
  filling_ = false;
  inactive_ = 0;
  first_row_ = block.first_row;
  rows_ = block.rows();
  Entry& base = push(0, end);
  base.threads = block.threads;
  base.warps = rows_with_threads(base.threads);
  const unsigned took = 2 + stages_;
  done(took, [&] { return player_->start(*this, block, end, took); });
}

BlockStack::Entry& BlockStack::push(Pc pc, Pc rpc, Pc lpc, unsigned lpos) {
  if (used_ == entries_.size()) entries_.emplace_back();
  Entry& entry = entries_[used_++];
  entry.pc = pc;
  entry.rpc = rpc;
  entry.lpc = lpc;
  entry.lpos = lpos;
  entry.warps = entry.inactive = 0;
  entry.threads.assign(rows_, 0);
  return entry;
}

void BlockStack::add(Entry& entry, const Warp& warp, LaneMask lanes) {
  if (warp.one_row && lanes != 0) {
    entry.threads[warp.row[static_cast<unsigned>(std::countr_zero(lanes))] - first_row_] |= lanes;
    return;
  }
  for_each_thread(warp, lanes, [&](unsigned row, LaneMask lane) { entry.threads[row - first_row_] |= lane; });
}

void BlockStack::push_targets(const Branch& branch) {
  filling_ = true;
  Entry& branching = entries_[top_];
  // What the branching entry does once its targets are through: go on at the reconvergence point.
  branching.pc = branch.reconvergence;
  // If that is where it waits itself, it makes room (enter_targets) and leaves its likely-convergence point behind.
  const bool replaced = branching.rpc == branch.reconvergence;
  Pc lpc = replaced ? branching.lpc : isa::kNoPc;
  unsigned lpos = branching.lpos;
  if (branch.likely != isa::kNoPc && branch.likely != lpc) {
    push(branch.likely, branch.reconvergence, lpc, lpos);
    lpc = branch.likely;
    lpos = replaced ? top_ : top_ + 1;
  }
  push(branch.pc + 1, branch.reconvergence, lpc, lpos);
  push(branch.target, branch.reconvergence, lpc, lpos);
}

void BlockStack::arrive_at_branch(const Warp& warp, const Branch& branch) {
  check(entries_[top_].warps > 0, "a warp arrives that the block-wide stack does not wait for");
  unsigned took = 3;
  if (!filling_) {
    const unsigned before = used_;
    push_targets(branch);
    if (used_ == before + 3) ++took;
  }
  Entry& fall_through = entries_[used_ - 2];
  // Anything else means that a branch was taken to be uniform that is not.
  check(fall_through.pc == branch.pc + 1, "the warps of an entry meet at one branch");
  add(fall_through, warp, warp.mask & ~branch.taken);
  add(entries_[used_ - 1], warp, warp.mask & branch.taken);
  --entries_[top_].warps;
  done(took, [&] { return player_->branch(*this, warp, branch, took); });
}

void BlockStack::arrive(Pc pc) {
  Entry& entry = entries_[top_];
  check(entry.warps > 0, "a warp reconverges that the block-wide stack does not wait for");
  check(!filling_, "no warp of an entry passes the branch where others wait");
  check(entry.pc != (pc == entry.rpc ? entry.lpc : entry.rpc), "the warps of an entry meet at one point");
  entry.pc = pc;
  --entry.warps;
  done(1, [&] { return player_->arrive(*this, pc, 1); });
}

void BlockStack::exit(const Warp& warp, LaneMask lanes, bool emptied) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned row = warp.row[lane] - first_row_;
    for (unsigned i = 0; i < used_; ++i) entries_[i].threads[row] &= ~(LaneMask{1} << lane);
  }
  if (emptied) {
    check(entries_[top_].warps > 0, "a warp exits that the block-wide stack does not wait for");
    --entries_[top_].warps;
  }
  done(1, [&] { return player_->exit(*this, warp, lanes, emptied, 1); });
}

// Returns whether the taken target goes first. A clock for each entry above the branching one, and one more to take the
// first target off again if it is where it waits.
bool BlockStack::enter_targets(BranchOrder order, unsigned& took) {
  filling_ = false;
  took += used_ - 1 - top_;
  Entry& second = entries_[used_ - 2];  // the fall-through target, to begin with
  Entry& first = entries_[used_ - 1];
  const unsigned taken = thread_count(first.threads), fall_through = thread_count(second.threads);
  const bool taken_first = runs_taken_first(order, taken, fall_through);
  if (!taken_first) std::swap(first, second);
  if (second.pc != second.rpc && second.pc != second.lpc) second.inactive = taken_first ? fall_through : taken;
  inactive_ += second.inactive;
  if (first.pc == first.rpc) ++took;
  // An entry that would wake up only to find itself at its own reconvergence point makes room, be it the branching one
  // or a target, so that a loop with differing trip counts does not grow the stack.
  unsigned kept = top_;
  for (unsigned i = top_; i < used_; ++i) {
    if (entries_[i].pc != entries_[i].rpc) std::swap(entries_[kept++], entries_[i]);
  }
  used_ = kept;
  check(used_ > 0, "threads reconverge before the end of the kernel, or run on to it");
  top_ = used_ - 1;
  return taken_first;
}

const BlockStack::Entry* BlockStack::advance(BranchOrder order, bool regroup) {
  check(settled(), "the top entry still waits for warps");
  merged_.clear();
  unsigned took = 1;
  const bool taken_first = filling_ && enter_targets(order, took);
  const Entry* const running = next_to_run(regroup, took);
  done(took, [&] { return player_->advance(*this, taken_first, regroup, running, took); });
  if (answer_ != nullptr) return answer_->empty ? nullptr : &answer_->top;
  return running;
}

// A clock to look at an entry, one a stage to count the warps of one that may run, and one to take it off.
const BlockStack::Entry* BlockStack::next_to_run(bool regroup, unsigned& took) {
  for (;; ++took) {
    ++took;
    Entry& entry = entries_[top_];
    inactive_ -= std::exchange(entry.inactive, 0);
    if (entry.pc == entry.lpc) {
      merged_.push_back(entry.lpos);
      std::vector<LaneMask>& others = entries_[entry.lpos].threads;
      for (unsigned row = 0; row < rows_; ++row) others[row] |= entry.threads[row];
    } else if (entry.pc != entry.rpc) {
      took += stages_;
      entry.warps = regroup ? compacted_warps(entry.threads) : rows_with_threads(entry.threads);
      if (entry.warps != 0) return &entry;
    }
    // It reconverges, or all its threads have exited.
    if (used_ == 1) {
      ++took;
      return nullptr;
    }
    top_ = --used_ - 1;
  }
}

unsigned BlockStack::depth() const {
  unsigned entries = 0;
  for (unsigned i = 0; i < used_; ++i) entries += entries_[i].pc != entries_[i].rpc ? 1 : 0;
  return entries;
}

}  // namespace warpfold::divergence
