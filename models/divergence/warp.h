// SPDX-License-Identifier: Apache-2.0
// A warp as mechanisms and schedulers see it, and sets of warps.
#pragma once

#include <algorithm>
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

// A set of warps of one core. Capacity is fixed at construction, and that of both sets where there are two. Most cores
// have at most 64: those need no memory of their own. Others mostly use their lowest slots: of the words behind the
// first, only those are looked at that have had members and not lost them all.
class WarpSet {
 public:
  explicit WarpSet(unsigned capacity = 0) : more_(capacity > kWord ? (capacity - 1) / kWord : 0) {}
  WarpSet(const WarpSet&) = default;
  WarpSet(WarpSet&&) = default;
  WarpSet& operator=(WarpSet&&) = default;
  WarpSet& operator=(const WarpSet& other) {
    first_ = other.first_;
    if (more_.size() != other.more_.size()) {
      more_ = other.more_;
    } else if (!more_.empty()) {
      for (std::size_t i = 0; i < std::max(used_, other.used_); ++i) more_[i] = other.more_[i];
    }
    used_ = other.used_;
    return *this;
  }
  ~WarpSet() = default;

  void insert(WarpId warp) {
    if (warp < kWord) {
      first_ |= bit(warp);
    } else {
      more_[warp / kWord - 1] |= bit(warp);
      used_ = std::max<std::size_t>(used_, warp / kWord);
    }
  }
  void erase(WarpId warp) {
    if (warp < kWord) {
      first_ &= ~bit(warp);
    } else {
      more_[warp / kWord - 1] &= ~bit(warp);
      shorten();
    }
  }
  bool contains(WarpId warp) const { return ((warp < kWord ? first_ : more_[warp / kWord - 1]) & bit(warp)) != 0; }
  bool empty() const { return first_ == 0 && used_ == 0; }
  unsigned size() const {
    auto total = static_cast<unsigned>(std::popcount(first_));
    for (std::size_t i = 0; i < used_; ++i) total += static_cast<unsigned>(std::popcount(more_[i]));
    return total;
  }
  WarpSet& operator&=(const WarpSet& other) { return become_both(*this, other); }
  WarpSet& operator|=(const WarpSet& other) {
    first_ |= other.first_;
    for (std::size_t i = 0; i < other.used_; ++i) more_[i] |= other.more_[i];
    used_ = std::max(used_, other.used_);
    return *this;
  }
  WarpSet& operator-=(const WarpSet& other) {
    first_ &= ~other.first_;
    for (std::size_t i = 0; i < std::min(used_, other.used_); ++i) more_[i] &= ~other.more_[i];
    shorten();
    return *this;
  }
  // The members that two sets have in common.
  WarpSet& become_both(const WarpSet& one, const WarpSet& other) {
    const std::size_t common = std::min(one.used_, other.used_);
    first_ = one.first_ & other.first_;
    for (std::size_t i = 0; i < common; ++i) more_[i] = one.more_[i] & other.more_[i];
    for (std::size_t i = common; i < used_; ++i) more_[i] = 0;
    used_ = common;
    shorten();
    return *this;
  }
  bool intersects(const WarpSet& other) const {
    std::uint64_t any = first_ & other.first_;
    for (std::size_t i = 0; i < std::min(used_, other.used_); ++i) any |= more_[i] & other.more_[i];
    return any != 0;
  }
  // The first member at or after `from`, kNoWarp if there is none.
  WarpId next(WarpId from) const {
    if (from < kWord) {
      const std::uint64_t rest = first_ & (~std::uint64_t{0} << from);
      if (rest != 0) return static_cast<WarpId>(std::countr_zero(rest));
      from = kWord;
    }
    std::uint64_t before = (std::uint64_t{1} << (from % kWord)) - 1;
    for (std::size_t i = from / kWord - 1; i < used_; ++i, before = 0) {
      const std::uint64_t rest = more_[i] & ~before;
      if (rest != 0) return static_cast<WarpId>((i + 1) * kWord + static_cast<unsigned>(std::countr_zero(rest)));
    }
    return kNoWarp;
  }
  bool operator==(const WarpSet& other) const { return first_ == other.first_ && more_ == other.more_; }

 private:
  static constexpr unsigned kWord = 64;
  static std::uint64_t bit(WarpId warp) { return std::uint64_t{1} << (warp % kWord); }
  void shorten() {
    while (used_ != 0 && more_[used_ - 1] == 0) --used_;
  }
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;  // all zeros from used_ on
  std::size_t used_ = 0;             // the last of those has a member
};

}  // namespace warpfold::divergence
