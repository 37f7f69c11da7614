// SPDX-License-Identifier: Apache-2.0
// Who wants which clock edge.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "warpfold/common/clock/cycle.h"

namespace warpfold {

// Each of some slots wants one edge at most. Slots that want the next kNear edges are found without a search: a row of
// bits, one per slot, for each of these edges, by their number mod kNear, and a row for all that come later. Of a row
// with many words, most have no bit: which do is in one word more.
class Agenda {
 public:
  // Nobody wants an edge yet.
  void resize(std::size_t slots) {
    next_.assign(slots, kNever);
    words_ = (slots + 63) / 64;
    rows_.assign((kNear + 1) * words_, 0);
    for (group_shift_ = 0; words_ > std::size_t{64} << group_shift_; ++group_shift_) continue;
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

  // The slot wants nothing any more. Returns what it wanted.
  Cycle forget(std::size_t slot) {
    const Cycle wanted = next_[slot];
    if (wanted == kNever) return kNever;
    withdraw(slot);
    next_[slot] = kNever;
    if (wanted == earliest_) find_earliest();
    return wanted;
  }

  // Runs an edge; no edge before has been left out that anybody wanted. Each slot that wants it does so no longer, and
  // tick(slot) says what it wants next; slots come in ascending order, with those that are brought forward to this edge
  // meanwhile and are still to come. An earlier wish that comes during a slot's own tick stays.
  template <class Tick>
  [[gnu::always_inline]] void run(Cycle now, const Tick& tick) {
    base_ = now;
    if (near(far_earliest_)) take_in_far();
    run_row(now, tick);
    wanted_ &= ~bit(now);
    find_earliest();
  }

 private:
  static constexpr unsigned kNear = 64;
  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << (number % 64); }
  bool near(Cycle at) const { return at < base_ + kNear; }
  template <class Tick>
  [[gnu::always_inline]] void run_row(Cycle now, const Tick& tick) {
    std::uint64_t* const row = row_of(now);
    Cycle* const next = next_.data();
    std::uint64_t& filled = filled_[now % kNear];
    while (filled != 0) {
      const std::size_t word = first_of_group(row, static_cast<std::size_t>(std::countr_zero(filled)) << group_shift_);
      const std::uint64_t bits = row[word];
      const std::size_t slot = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
      row[word] = bits & (bits - 1);
      if (group_is_empty(row, word)) filled &= filled - 1;
      next[slot] = kNever;
      const Cycle wanted = tick(slot);
      if (wanted >= next[slot]) continue;
      if (next[slot] != kNever) withdraw(slot);
      plan(slot, wanted);
    }
  }

  void find_earliest() {
    if (wanted_ == 0) take_in_far();
    const auto nearest = static_cast<unsigned>(std::countr_zero(std::rotr(wanted_, base_ % kNear)));
    earliest_ = wanted_ != 0 ? base_ + nearest : far_earliest_;
  }
  std::size_t row_number(Cycle at) const { return near(at) ? at % kNear : kNear; }
  std::uint64_t* row_of(Cycle at) { return &rows_[row_number(at) * words_]; }

  void plan(std::size_t slot, Cycle at) {
    next_[slot] = at;
    const std::size_t row = row_number(at);
    rows_[row * words_ + slot / 64] |= bit(slot);
    filled_[row] |= bit(slot / 64 >> group_shift_);
    if (row != kNear) {
      wanted_ |= bit(at);
    } else {
      far_earliest_ = std::min(far_earliest_, at);
    }
  }

  void withdraw(std::size_t slot) {
    const std::size_t number = row_number(next_[slot]);
    std::uint64_t* const row = &rows_[number * words_];
    row[slot / 64] &= ~bit(slot);
    if (group_is_empty(row, slot / 64)) filled_[number] &= ~bit(slot / 64 >> group_shift_);
    if (number != kNear && filled_[number] == 0) wanted_ &= ~bit(number);
  }

  // Of words that have a bit in common, with a number of which the lowest bits are zero for the first.
  std::size_t first_of_group(const std::uint64_t* row, std::size_t word) const {
    while (row[word] == 0) ++word;
    return word;
  }
  bool group_is_empty(const std::uint64_t* row, std::size_t word) const {
    if (group_shift_ == 0) return row[word] == 0;
    const std::size_t first = word >> group_shift_ << group_shift_;
    const std::size_t end = std::min(first + (std::size_t{1} << group_shift_), words_);
    return std::all_of(row + first, row + end, [](std::uint64_t bits) { return bits == 0; });
  }

  // Plans them anew: some may be near by now.
  void take_in_far() {
    far_earliest_ = kNever;
    filled_[kNear] = 0;
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
  std::array<std::uint64_t, kNear + 1> filled_{};  // by row: which words have a bit, or which groups of 2^group_shift_
  unsigned group_shift_ = 0;                       // 0 up to 4096 slots
  std::uint64_t wanted_ = 0;                       // near rows that have a bit
  Cycle base_ = 0;                                 // the edge that was run last
  Cycle far_earliest_ = kNever;                    // none of those that come later is before
  Cycle earliest_ = kNever;
};

}  // namespace warpfold
