// SPDX-License-Identifier: Apache-2.0
// Which slice serves an address, which channel is behind it, and where the address lies within their shares of memory.
#pragma once

#include <cstdint>
#include <optional>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/memory/l2/index_hash.h"

namespace warpfold {

// Consecutive chunks of interleave_bytes go to consecutive slices, any number of them; a hash changes the order in
// every run of as many chunks as there are slices. Slices n, n + channels, … share channel n. The shares of a slice and
// of a channel are dense: caches and DRAM rows behind them use all of their sets and columns.
class AddressMap {
 public:
  AddressMap(std::uint32_t interleave_bytes, unsigned channels, unsigned slices_per_channel = 1,
             IndexHash hash = IndexHash::kLinear)
      : interleave_(interleave_bytes),
        channels_(channels),
        slices_per_channel_(slices_per_channel),
        slices_(std::uint64_t{channels} * slices_per_channel) {
    if (hash != IndexHash::kLinear) hasher_.emplace(hash, static_cast<std::uint32_t>(slices_));
  }

  std::uint64_t interleave_bytes() const { return interleave_; }
  unsigned slices() const { return static_cast<unsigned>(slices_); }
  unsigned slices_per_channel() const { return slices_per_channel_; }
  unsigned channel_of(unsigned slice) const { return slice % channels_; }

  unsigned slice(Address at) const {
    const std::uint64_t chunk = at / interleave_;
    return hasher_ ? hasher_->place(chunk) : static_cast<unsigned>(chunk % slices_);
  }
  std::uint64_t local(Address at) const { return at / interleave_ / slices_ * interleave_ + at % interleave_; }
  Address global(std::uint64_t local, unsigned slice) const {
    const std::uint64_t run = local / interleave_ * slices_;
    const unsigned in_run = hasher_ ? hasher_->place(run) ^ slice : slice;
    return (run + in_run) * interleave_ + local % interleave_;
  }

  // Of the slices of its channel, which one; and where the address lies in the channel, where their chunks alternate.
  unsigned slice_of_channel(Address at) const { return slices_per_channel_ == 1 ? 0 : slice(at) / channels_; }
  std::uint64_t in_channel(Address at) const {
    const std::uint64_t run = at / interleave_ / slices_;
    return (run * slices_per_channel_ + slice_of_channel(at)) * interleave_ + at % interleave_;
  }

 private:
  std::uint64_t interleave_;
  unsigned channels_;
  unsigned slices_per_channel_;
  std::uint64_t slices_;
  std::optional<IndexHasher> hasher_;  // if not linear
};

}  // namespace warpfold
