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
  Cycle wanted(std::size_t slot) const { return next_[slot]; }
  // Of all slots; while no edge is run.
  Cycle earliest() const { return earliest_; }

  // The slot wants no edge before `at`: from now on it wants that one, no longer a later one.
  void bring_forward(std::size_t slot, Cycle at) {
    if (next_[slot] != kNever) withdraw(slot);
    plan(slot, at);
    earliest_ = std::min(earliest_, at);
  }

  // Runs an edge; no edge before has been left out that anybody wanted. Each slot that wants it does so no longer, and
  // tick(slot) says what it wants next; slots come in ascending order, with those that are brought forward to this edge
  // meanwhile and are still to come. An earlier wish that comes during a slot's own tick stays.
  template <class Tick>
  void run(Cycle now, const Tick& tick) {
    base_ = now;
    if (near(far_earliest_)) take_in_far();
    std::uint64_t* const row = row_of(now);
    for (std::size_t word = 0, words = words_; word < words; ++word) {
      while (row[word] != 0) {
        const std::size_t slot = word * 64 + static_cast<unsigned>(std::countr_zero(row[word]));
        row[word] &= row[word] - 1;
        next_[slot] = kNever;
        const Cycle wanted = tick(slot);
        if (wanted >= next_[slot]) continue;
        if (next_[slot] != kNever) withdraw(slot);
        plan(slot, wanted);
      }
    }
    wanted_ &= ~bit(now);
    if (wanted_ == 0) take_in_far();  // for the earliest of them
    earliest_ =
        wanted_ != 0 ? now + static_cast<unsigned>(std::countr_zero(std::rotr(wanted_, now % kNear))) : far_earliest_;
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
