// SPDX-License-Identifier: Apache-2.0
// Set-associative tags with true LRU, shared by all caches: which lines are held, in which slot, and who leaves next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/memory/cache_use.h"
#include "warpfold/common/memory/zero_pages.h"
#include "warpfold/memory/l2/index_hash.h"

namespace warpfold {

// Lines are named by number (address / line_bytes), which the hash makes a set. Tags of a set lie side by side, so that
// 64 ways are compared in a few vector instructions.
class TagArray {
 private:
  // A line's tag is its number and one, so the highest line number is not usable; 32 bits of 64-byte lines reach 256
  // GB. Tags and times of empty slots are zeros, which the system brings when they are looked at: megabytes in a large
  // L2.
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kPinned = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kFirst = 1;        // the time of a use that makes a line the next to go
  static constexpr std::uint32_t kLast = 1u << 31;  // added to the time of one that keeps it

 public:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = std::numeric_limits<Slot>::max();

  // Throws UserError, naming `what`, when the three do not make whole sets, or not such as the hash is for. `uses` is
  // how many uses of lines are told apart before times are made small again; only tests want fewer than 31 bits of
  // them.
  TagArray(std::string_view what, std::uint64_t size_bytes, std::uint32_t line_bytes, std::uint32_t ways,
           IndexHash hash = IndexHash::kLinear, std::uint32_t uses = kLast)
      : ways_(ways), in_use_(ways), uses_(uses) {
    const std::uint64_t set_bytes = std::uint64_t{line_bytes} * ways;
    if (set_bytes == 0 || size_bytes % set_bytes != 0 || size_bytes == 0) {
      user_error("{}: size_bytes {} is not a multiple of line_bytes {} x ways {}; make it one", what, size_bytes,
                 line_bytes, ways);
    }
    sets_ = static_cast<std::uint32_t>(size_bytes / set_bytes);
    const std::string misfit = IndexHasher::misfit(hash, sets_, line_bytes);
    if (!misfit.empty()) user_error("{}: {} sets of {} bytes: {}", what, sets_, line_bytes, misfit);
    if (hash != IndexHash::kLinear) hasher_.emplace(hash, sets_);
    low_bits_ = !hasher_ && std::has_single_bit(sets_);
    tags_ = ZeroTable<std::uint32_t>(std::size_t{sets_} * ways);
    used_ = ZeroTable<std::uint32_t>(tags_.size());
  }

  // The slot that holds the line, or kNone. Does not count as a use.
  Slot find(std::uint64_t line) const {
    const std::uint32_t tag = tag_of(line);
    const Slot first = set_of(line) * ways_;
    const std::uint32_t* tags = &tags_[first];
    // At most one way matches, so an OR finds it: a reduction that compilers turn into vector code.
    std::uint32_t found = 0;
    for (std::uint32_t way = 0; way < in_use_; ++way) found |= tags[way] == tag ? way + 1 : 0;
    return found == 0 ? kNone : first + found - 1;
  }

  void touch(Slot slot, Eviction eviction = Eviction::kNormal) {
    if (used_[slot] != kPinned && eviction != Eviction::kUnchanged) used_[slot] = time_of(eviction);
  }

  // The slot that `line` would take: a free one, else the least recently used that is not pinned; kNone: all pinned.
  Slot victim(std::uint64_t line) const {
    const Slot first = set_of(line) * ways_;
    const std::uint32_t* used = &used_[first];
    std::uint32_t oldest = kPinned;  // two plain loops, which compilers turn into vector code
    for (std::uint32_t way = 0; way < in_use_; ++way) oldest = std::min(oldest, used[way]);
    if (oldest == kPinned) return kNone;
    return first + static_cast<Slot>(std::find(used, used + in_use_, oldest) - used);
  }

  // Puts the line into the slot, most recently used.
  void fill(Slot slot, std::uint64_t line, Eviction eviction = Eviction::kNormal) {
    if (tags_[slot] == kFree && filled_.size() <= most_listed()) filled_.push_back(slot);
    tags_[slot] = tag_of(line);
    used_[slot] = time_of(eviction);
  }

  // Is `slot` the one of the two that has not been used for longer? Nothing is older than what is pinned.
  bool older(Slot slot, Slot than) const { return used_[slot] < used_[than]; }
  bool pinned(Slot slot) const { return used_[slot] == kPinned; }

  bool holds_line(Slot slot) const { return tags_[slot] != kFree; }
  std::uint64_t line_of(Slot slot) const { return tags_[slot] - 1; }

  // A pinned slot is nobody's victim: its line is on its way.
  void pin(Slot slot) { used_[slot] = kPinned; }
  void unpin(Slot slot, Eviction eviction = Eviction::kNormal) { used_[slot] = time_of(eviction); }

  void invalidate(Slot slot) {
    tags_[slot] = kFree;
    used_[slot] = 0;
  }
  // All of them, after reset(slot) of every slot that may hold a line: a short launch has filled a few of many.
  template <class Reset>
  void invalidate_all(Reset reset) {
    const auto empty = [&](Slot slot) {
      reset(slot);
      invalidate(slot);
    };
    if (filled_.size() <= most_listed()) {
      std::for_each(filled_.begin(), filled_.end(), empty);
    } else {
      for (Slot slot = 0; slot < slots(); ++slot) empty(slot);
    }
    filled_.clear();
  }

  void invalidate_all() {
    invalidate_all([](Slot) {});
  }

  // Only so many ways of each set are used from now on; for an empty array.
  void use_ways(std::uint32_t ways) { in_use_ = ways; }

  std::uint32_t slots() const { return static_cast<std::uint32_t>(tags_.size()); }
  std::uint32_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }

 private:
  std::size_t most_listed() const { return tags_.size() / 8; }

  static std::uint32_t tag_of(std::uint64_t line) {
    check(line < std::numeric_limits<std::uint32_t>::max(), "a line number of 32 bits");
    return static_cast<std::uint32_t>(line) + 1;
  }

  std::uint32_t set_of(std::uint64_t line) const {
    const auto number = static_cast<std::uint32_t>(line);
    if (low_bits_) return number & (sets_ - 1);
    return hasher_ ? hasher_->place(number) : number % sets_;
  }

  std::uint32_t time_of(Eviction eviction) {
    if (eviction == Eviction::kFirst) return kFirst;
    return next_time() | (eviction == Eviction::kLast ? kLast : 0);
  }

  // Time is a count of uses; before it runs out, every set's times are replaced by their ranks.
  std::uint32_t next_time() {
    if (time_ + 1 >= uses_) renumber();
    return ++time_;
  }

  void renumber() {
    std::vector<std::uint32_t> order;
    for (auto set = used_.begin(); set != used_.end(); set += ways_) {
      order.assign(set, set + ways_);
      std::sort(order.begin(), order.end());
      for (auto used = set; used != set + ways_; ++used) {
        if (*used <= kFirst || *used == kPinned) continue;
        const auto rank = std::lower_bound(order.begin(), order.end(), *used) - order.begin();
        *used = (*used & kLast) | (kFirst + 1 + static_cast<std::uint32_t>(rank));
      }
    }
    time_ = ways_ + kFirst + 1;
  }

  std::uint32_t ways_;
  std::uint32_t in_use_;
  std::uint32_t uses_;
  std::uint32_t sets_ = 0;
  bool low_bits_ = false;              // a set is the number's low bits
  std::optional<IndexHasher> hasher_;  // if not linear
  ZeroTable<std::uint32_t> tags_;
  ZeroTable<std::uint32_t> used_;  // time of last use; 0: free
  std::uint32_t time_ = kFirst;
  std::vector<Slot> filled_;  // since all were empty, some perhaps several times; one more than are listed: too many
};

}  // namespace warpfold
