// SPDX-License-Identifier: Apache-2.0
// One thread's access to memory as the checker sees it.
#pragma once

#include <cstdint>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// How an access stands to others at the same place: kVolatile where the compiler leaves it alone and hardware does not
// tear it, which old code takes for enough; kAtomic where PTX has it strong.
enum class Strength : std::uint8_t { kPlain, kVolatile, kAtomic };

struct Touch {
  Space space = Space::kGlobal;  // kGlobal, kShared or kLocal
  Address address = 0;           // of the two last: an offset
  unsigned bytes = 0, element_bytes = 0;
  bool reads = false, writes = false;
  bool changes = false;  // it writes other bytes than it finds, or what it finds is not known
  Strength strength = Strength::kPlain;
  bool wide = true;                         // its scope is the device or more, not its block
  bool acquires = false, releases = false;  // it is a fence too: for what comes after it, of what came before it
  Pc pc = 0;
  std::uint64_t block = 0;  // linear
  unsigned thread = 0;      // of its block
};

}  // namespace warpfold::isa
