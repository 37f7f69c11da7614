// SPDX-License-Identifier: Apache-2.0
// Who wants which clock edge.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "warpfold/common/cycle.h"

namespace warpfold {

// Each of some slots wants one edge at most. Slots that want the next kNear edges are found without a search: a row of
// bits, one per slot, for each of these edges, by their number mod kNear, and a row for all that come later.
class Agenda {
 public:
  // Nobody wants an edge yet.
  void resize(std::size_t slots) {
    next_.assign(slots, kNever);
    words_ = (slots + 63) / 64;
    rows_.assign((kNear + 1) * words_, 0);
  }
  std::size_t slots() const { return next_.size(); }
  Cycle wanted(std::size_t slot) const { return next_[slot]; }
  // Of all slots; while no edge is run.
  Cycle earliest() const { return earliest_; }

  // The slot wants no edge before `at`: from now on it wants that one, no longer a later one.
  void bring_forward(std::size_t slot, Cycle at) {
    if (next_[slot] != kNever) withdraw(slot);
    plan(slot, at);
    earliest_ = std::min(earliest_, at);
  }

  // An edge is run: begin(), take() in ascending order of slots, end(). No edge before has been left out that anybody
  // wanted. What is brought forward meanwhile to a slot that is still to come may be for this edge.
  void begin(Cycle now) {
    base_ = now;
    if (near(far_earliest_)) take_in_far();
  }
  // The first slot from `from` on that wants the edge, which it does no longer; kNone: there is none.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t take(std::size_t from) {
    std::uint64_t* const row = row_of(base_);
    std::uint64_t kept = from % 64 != 0 ? ~std::uint64_t{0} << (from % 64) : ~std::uint64_t{0};
    for (std::size_t word = from / 64; word < words_; ++word, kept = ~std::uint64_t{0}) {
      const std::uint64_t rest = row[word] & kept;
      if (rest == 0) continue;
      const std::size_t slot = word * 64 + static_cast<unsigned>(std::countr_zero(rest));
      row[word] &= ~bit(slot);
      next_[slot] = kNever;
      return slot;
    }
    return kNone;
  }
  void end() {
    wanted_ &= ~bit(base_);
    if (wanted_ == 0) take_in_far();  // for the earliest of them
    earliest_ = wanted_ != 0 ? base_ + static_cast<unsigned>(std::countr_zero(std::rotr(wanted_, base_ % kNear)))
                             : far_earliest_;
  }
  // What a slot that was taken wants next; an earlier wish that came meanwhile stays.
  void goes_on(std::size_t slot, Cycle at) {
    if (at < next_[slot]) bring_forward(slot, at);
  }

 private:
  static constexpr unsigned kNear = 64;
  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << (number % 64); }
  bool near(Cycle at) const { return at < base_ + kNear; }
  std::uint64_t* row_of(Cycle at) { return &rows_[(near(at) ? at % kNear : kNear) * words_]; }

  void plan(std::size_t slot, Cycle at) {
    next_[slot] = at;
    row_of(at)[slot / 64] |= bit(slot);
    if (near(at)) {
      wanted_ |= bit(at);
    } else {
      far_earliest_ = std::min(far_earliest_, at);
    }
  }

  void withdraw(std::size_t slot) {
    const Cycle at = next_[slot];
    std::uint64_t* const row = row_of(at);
    row[slot / 64] &= ~bit(slot);
    if (near(at) && std::all_of(row, row + words_, [](std::uint64_t word) { return word == 0; })) wanted_ &= ~bit(at);
  }

  // Plans them anew: some may be near by now.
  void take_in_far() {
    far_earliest_ = kNever;
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t rest = std::exchange(rows_[kNear * words_ + word], 0); rest != 0; rest &= rest - 1) {
        const std::size_t slot = word * 64 + static_cast<unsigned>(std::countr_zero(rest));
        plan(slot, next_[slot]);
      }
    }
  }

  std::vector<Cycle> next_;  // per slot
  std::size_t words_ = 0;    // of a row
  std::vector<std::uint64_t> rows_;
  std::uint64_t wanted_ = 0;     // near rows that have a bit
  Cycle base_ = 0;               // the edge that was run last
  Cycle far_earliest_ = kNever;  // none of those that come later is before
  Cycle earliest_ = kNever;
};

}  // namespace warpfold
