// SPDX-License-Identifier: Apache-2.0
// What lies between a branch and the point where its threads meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// kLoop: some of its threads may come to it again before they meet those that have gone the other way, which have left
// the loop. kLateIf: all may; they could meet in the loop, but it can be left from the middle and the point where they
// are sure to meet lies behind it (TBC §4). kIf: all others.
enum class BranchKind : std::uint8_t { kIf, kLoop, kLateIf };

struct BranchRegion {
  BranchKind kind = BranchKind::kIf;
  std::vector<Pc> inside;  // what threads may execute on their way there, in order
};

// Of a branch of the kernel, up to its reconvergence point.
BranchRegion region_of(const Kernel& kernel, Pc branch);

}  // namespace warpfold::isa
