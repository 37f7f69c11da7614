// SPDX-License-Identifier: Apache-2.0
// A warp as mechanisms and schedulers see it, and sets of warps.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

using isa::LaneMask;
using isa::Pc;

using WarpId = std::uint32_t;  // slot of the core's warp buffer
inline constexpr WarpId kNoWarp = ~WarpId{0};

// Threads that execute together: lane l runs the thread of row[l] iff mask has bit l. A thread never changes its lane.
// Block, ctaid and shared memory belong to the row, not to the warp.
struct Warp {
  Pc pc = 0;
  LaneMask mask = 0;
  bool one_row = true;                              // all lanes of mask come from one row
  std::array<std::uint16_t, isa::kMaxLanes> row{};  // entries of lanes outside mask are unspecified

  static Warp of_row(Pc pc, std::uint16_t from, LaneMask lanes) {
    Warp warp{pc, lanes, true, {}};
    warp.row.fill(from);
    return warp;
  }
};

// A block on a core. Its threads are the lanes of rows [first_row, first_row + rows).
struct Block {
  unsigned slot = 0;      // place among the core's resident blocks
  std::uint64_t id = 0;   // linear index in the grid
  std::uint64_t age = 0;  // order of dispatch to this core: smaller is older
  unsigned first_row = 0;
  std::vector<LaneMask> threads;  // per row: the lanes that exist
  unsigned rows() const { return static_cast<unsigned>(threads.size()); }
};

// A set of warps of one core. Capacity is fixed at construction.
class WarpSet {
 public:
  explicit WarpSet(unsigned capacity = 0) : words_((capacity + 63) / 64) {}
  void insert(WarpId warp) { words_[warp / 64] |= bit(warp); }
  void erase(WarpId warp) { words_[warp / 64] &= ~bit(warp); }
  bool contains(WarpId warp) const { return (words_[warp / 64] & bit(warp)) != 0; }
  bool empty() const {
    for (std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  unsigned size() const {
    unsigned total = 0;
    for (std::uint64_t word : words_) total += static_cast<unsigned>(std::popcount(word));
    return total;
  }
  WarpSet& operator&=(const WarpSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  WarpSet& operator|=(const WarpSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  WarpSet& operator-=(const WarpSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  bool intersects(const WarpSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  // The first member at or after `from`, kNoWarp if there is none.
  WarpId next(WarpId from) const {
    std::size_t i = from / 64;
    if (i >= words_.size()) return kNoWarp;
    std::uint64_t word = words_[i] & (~std::uint64_t{0} << (from % 64));
    while (word == 0) {
      if (++i == words_.size()) return kNoWarp;
      word = words_[i];
    }
    return static_cast<WarpId>(i * 64 + static_cast<unsigned>(std::countr_zero(word)));
  }
  bool operator==(const WarpSet&) const = default;

 private:
  static std::uint64_t bit(WarpId warp) { return std::uint64_t{1} << (warp % 64); }
  std::vector<std::uint64_t> words_;
};

}  // namespace warpfold::divergence
