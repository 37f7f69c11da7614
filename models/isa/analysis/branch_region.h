// SPDX-License-Identifier: Apache-2.0
// What lies between a branch and the point where its threads meet again.
#pragma once

#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

struct BranchRegion {
  std::vector<Pc> inside;  // what threads may execute on their way there, by pc
  bool loop = false;       // among it the branch itself: they may come to it again
};

// Of a branch of the kernel, up to its immediate post-dominator.
BranchRegion region_of(const Kernel& kernel, Pc branch);

}  // namespace warpfold::isa
