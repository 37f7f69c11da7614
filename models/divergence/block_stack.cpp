// SPDX-License-Identifier: Apache-2.0
#include "models/divergence/block_stack.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "models/common/error.h"

namespace warpfold::divergence {
namespace {

unsigned rows_with_threads(const std::vector<LaneMask>& threads) {
  return static_cast<unsigned>(std::count_if(threads.begin(), threads.end(), [](LaneMask row) { return row != 0; }));
}

unsigned thread_count(const std::vector<LaneMask>& threads) {
  unsigned total = 0;
  for (LaneMask row : threads) total += static_cast<unsigned>(std::popcount(row));
  return total;
}

}  // namespace

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

void BlockStack::start(const Block& block, Pc end) {
  used_ = 0;
  top_ = 0;
  filling_ = false;
  first_row_ = block.first_row;
  rows_ = block.rows();
  Entry& base = push(0, end);
  base.threads = block.threads;
  base.warps = rows_with_threads(base.threads);
}

BlockStack::Entry& BlockStack::push(Pc pc, Pc rpc) {
  if (used_ == entries_.size()) entries_.emplace_back();
  Entry& entry = entries_[used_++];
  entry.pc = pc;
  entry.rpc = rpc;
  entry.warps = 0;
  entry.threads.assign(rows_, 0);
  return entry;
}

void BlockStack::add(Entry& entry, const Warp& warp, LaneMask lanes) {
  if (warp.one_row && lanes != 0) {
    entry.threads[warp.row[static_cast<unsigned>(std::countr_zero(lanes))] - first_row_] |= lanes;
    return;
  }
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    entry.threads[warp.row[lane] - first_row_] |= LaneMask{1} << lane;
  }
}

void BlockStack::arrive_at_branch(const Warp& warp, const Branch& branch) {
  check(entries_[top_].warps > 0, "a warp arrives that the block-wide stack does not wait for");
  if (!filling_) {
    push(branch.pc + 1, branch.reconvergence);
    push(branch.target, branch.reconvergence);
    filling_ = true;
    // What the branching entry does once its targets are through: go on at the reconvergence point.
    entries_[top_].pc = branch.reconvergence;
  }
  // Anything else means that a branch was taken to be uniform that is not.
  check(entries_[top_ + 1].pc == branch.pc + 1, "the warps of an entry meet at one branch");
  add(entries_[top_ + 1], warp, warp.mask & ~branch.taken);
  add(entries_[top_ + 2], warp, warp.mask & branch.taken);
  --entries_[top_].warps;
}

void BlockStack::arrive_at_reconvergence() {
  check(entries_[top_].warps > 0, "a warp reconverges that the block-wide stack does not wait for");
  check(!filling_, "no warp of an entry passes the branch where others wait");
  --entries_[top_].warps;
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
}

void BlockStack::enter_targets(BranchOrder order) {
  filling_ = false;
  Entry& fall_through = entries_[top_ + 1];
  Entry& taken = entries_[top_ + 2];
  if (!runs_taken_first(order, thread_count(taken.threads), thread_count(fall_through.threads))) {
    std::swap(fall_through, taken);
  }
  // An entry that would wake up only to find itself at its own reconvergence point makes room, be it the branching one
  // or a target, so that a loop with differing trip counts does not grow the stack.
  unsigned kept = top_;
  for (unsigned i = top_; i < used_; ++i) {
    if (entries_[i].pc != entries_[i].rpc) std::swap(entries_[kept++], entries_[i]);
  }
  used_ = kept;
  check(used_ > 0, "threads reconverge before the end of the kernel, or run on to it");
  top_ = used_ - 1;
}

const BlockStack::Entry* BlockStack::advance(BranchOrder order, bool regroup) {
  check(settled(), "the top entry still waits for warps");
  if (filling_) {
    enter_targets(order);
  } else {
    // All warps of the top are at its reconvergence point, or have exited.
    if (used_ == 1) return nullptr;
    top_ = --used_ - 1;
  }
  for (;;) {
    Entry& entry = entries_[top_];
    const unsigned warps = regroup ? compacted_warps(entry.threads) : rows_with_threads(entry.threads);
    if (warps != 0) {
      entry.warps = warps;
      return &entry;
    }
    if (used_ == 1) return nullptr;
    top_ = --used_ - 1;
  }
}

unsigned BlockStack::depth() const {
  unsigned entries = 0;
  for (unsigned i = 0; i < used_; ++i) entries += entries_[i].pc != entries_[i].rpc ? 1 : 0;
  return entries;
}

}  // namespace warpfold::divergence
