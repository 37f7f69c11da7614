// SPDX-License-Identifier: Apache-2.0
// Which virtual registers hold a value that is still needed, at the borders of each basic block.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

using RegisterSet = boost::dynamic_bitset<>;

struct Liveness {
  std::vector<RegisterSet> in, out;  // by block
};

// A register is live where some path leads to a read of it before a write. A guarded write ends no live range: threads
// whose guard is false keep the old value.
Liveness find_liveness(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers);

}  // namespace warpfold::isa
