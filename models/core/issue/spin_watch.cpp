// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/spin_watch.h"

#include <algorithm>
#include <bit>

namespace warpfold {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

// Calls visit(row, lane) for the threads of a warp.
template <class Visit>
void for_each_thread(const divergence::Warp& warp, Visit visit) {
  for (isa::LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    visit(warp.row[lane], lane);
  }
}

}  // namespace

void SpinWatch::start(isa::ThreadStore& threads, const isa::Kernel& kernel) {
  threads_ = &threads;
  words_ = kernel.specials_begin();
  lanes_exchange_ = std::any_of(kernel.ops.begin(), kernel.ops.end(), [](const isa::MicroOp& op) {
    return op.kind == isa::Kind::kVote || op.kind == isa::Kind::kShuffle;
  });
  entries_.assign(place(threads.rows(), 0), {});
}

// Brent's cycle search: compare with a state remembered at powers of two.
void SpinWatch::looped(isa::Pc pc, const divergence::Warp& warp) {
  const std::uint64_t start = mix(1, pc);
  std::uint64_t of_all = mix(start, warp.mask);
  if (lanes_exchange_)
    for_each_thread(warp, [&](unsigned row, unsigned lane) { of_all = mix_thread(of_all, row, lane); });
  for_each_thread(warp, [&](unsigned row, unsigned lane) {
    const std::uint64_t state = lanes_exchange_ ? of_all : mix_thread(start, row, lane);
    Entry& entry = entries_[place(row, lane)];
    entry.repeats |= entry.visits > 0 && entry.remembered == state;
    if (std::has_single_bit(++entry.visits)) entry.remembered = state;
  });
}

bool SpinWatch::repeats(const divergence::Warp& warp) const {
  bool all = on();
  if (all) for_each_thread(warp, [&](unsigned row, unsigned lane) { all &= entries_[place(row, lane)].repeats; });
  return all;
}

std::uint64_t SpinWatch::mix_thread(std::uint64_t hash, unsigned row, unsigned lane) const {
  hash = mix(hash, row);
  for (unsigned word = 0; word < words_; ++word) {
    hash = mix(hash, threads_->words(row, static_cast<isa::Word>(word))[lane]);
  }
  return hash;
}

}  // namespace warpfold
