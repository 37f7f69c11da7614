// SPDX-License-Identifier: Apache-2.0
#include "models/core/spin_watch.h"

#include <bit>

namespace warpfold {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

}  // namespace

void SpinWatch::start(isa::ThreadStore& threads, unsigned words) {
  threads_ = &threads;
  words_ = words;
  entries_.assign(entries_.size(), {});
}

// Brent's cycle search: compare with a state remembered at powers of two.
void SpinWatch::looped(divergence::WarpId id, isa::Pc pc, const divergence::Warp& warp) {
  const std::uint64_t state = state_of(pc, warp);
  Entry& entry = entries_[id];
  entry.repeats |= entry.visits > 0 && entry.remembered == state;
  if (std::has_single_bit(++entry.visits)) entry.remembered = state;
}

// Of pc, lanes and their registers and predicates.
std::uint64_t SpinWatch::state_of(isa::Pc pc, const divergence::Warp& warp) const {
  std::uint64_t hash = mix(mix(1, pc), warp.mask);
  for (isa::LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    hash = mix(hash, warp.row[lane]);
    for (unsigned word = 0; word < words_; ++word) {
      hash = mix(hash, threads_->words(warp.row[lane], static_cast<isa::Word>(word))[lane]);
    }
  }
  return hash;
}

}  // namespace warpfold
