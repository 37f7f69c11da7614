// SPDX-License-Identifier: Apache-2.0
// Which slice serves an address, and where the address lies within that slice's share of memory.
#pragma once

#include <cstdint>

#include "models/common/device_memory.h"

namespace warpfold {

// Consecutive chunks of interleave_bytes go to consecutive slices, any number of them. A slice's share is dense: caches
// and DRAM rows behind it use all of their sets and columns.
class AddressMap {
 public:
  AddressMap(std::uint32_t interleave_bytes, unsigned slices) : interleave_(interleave_bytes), slices_(slices) {}

  std::uint64_t interleave_bytes() const { return interleave_; }
  unsigned slice(Address at) const { return static_cast<unsigned>(at / interleave_ % slices_); }
  std::uint64_t local(Address at) const { return at / interleave_ / slices_ * interleave_ + at % interleave_; }
  Address global(std::uint64_t local, unsigned slice) const {
    return (local / interleave_ * slices_ + slice) * interleave_ + local % interleave_;
  }

 private:
  std::uint64_t interleave_;
  std::uint64_t slices_;
};

}  // namespace warpfold
