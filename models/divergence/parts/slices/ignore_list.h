// SPDX-License-Identifier: Apache-2.0
// Places where slices of a warp have met in vain so often that nobody waits there any more (dynamic warp resizing).
// An entry of pc and count each, found by the low bits of the pc; two places that share one replace each other.
#pragma once

#include <algorithm>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

// Sees a list at work: RTL beside the model, say.
class IgnoreListObserver {
 public:
  virtual ~IgnoreListObserver() = default;
  virtual void cleared() = 0;
  virtual void looked_up(isa::Pc place, bool ignored) = 0;
  // `from_now_on`: this meeting was the last that it took.
  virtual void was_fruitless(isa::Pc place, bool from_now_on) = 0;
};

class IgnoreList {
 public:
  static constexpr unsigned kFruitless = 3;  // meetings, after which nobody waits: a count of two bits

  explicit IgnoreList(unsigned entries) : entries_(entries) {}

  // Told of every operation, after it; null: nobody.
  void observe(IgnoreListObserver* observer) { observer_ = observer; }

  void clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    if (observer_ != nullptr) observer_->cleared();
  }
  bool has(isa::Pc place) const {
    const Entry& entry = entries_[place % entries_.size()];
    const bool ignored = entry.place == place && entry.count == kFruitless;
    if (observer_ != nullptr) observer_->looked_up(place, ignored);
    return ignored;
  }
  // True: the place is ignored from now on.
  bool fruitless(isa::Pc place) {
    Entry& entry = entries_[place % entries_.size()];
    if (entry.place != place) entry = {place, 0};
    const bool from_now_on = entry.count < kFruitless && ++entry.count == kFruitless;
    if (observer_ != nullptr) observer_->was_fruitless(place, from_now_on);
    return from_now_on;
  }

 private:
  struct Entry {
    isa::Pc place = isa::kNoPc;
    unsigned count = 0;
  };
  std::vector<Entry> entries_;
  IgnoreListObserver* observer_ = nullptr;
};

}  // namespace warpfold::divergence
