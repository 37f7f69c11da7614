// SPDX-License-Identifier: Apache-2.0
// What RTL has to do whatever its policy is, for `--rtl-check contract`. Each function returns the rule that a result
// breaks, or nothing.
#pragma once

#include <string>

#include "warpfold/compaction/compacted_warp.h"
#include "warpfold/divergence/packing/lanes_on_unit.h"
#include "warpfold/divergence/parts/warp/context_sorter.h"

namespace warpfold::cosim {

// A compactor: each thread of a request leaves exactly once, in its lane and in its row; no warp is empty; the last one
// says that it is. A request that does not regroup leaves in whole rows. Takes the warp's threads off what is `left`.
std::string broken_by(divergence::CompactionRequest& left, const CompactedWarp& warp);
// The warp as the machine wants it: its pc, and whether all its threads come from one row.
void complete(CompactedWarp& warp, isa::Pc pc);

// A sorter: each thread stays at its place and is in one context; those that run first are deeper or, of as deep ones,
// come first in the code; empty contexts are last. Contexts at one place may become one, as deep as the deepest of
// them.
std::string broken_by(const divergence::ContextTriple& contexts, const divergence::ContextTriple& sorted);

// A swizzle control: each active lane goes through the unit once and no other does; each cycle has one, and the last
// one says that it is. Without a crossbar (`swizzles`) lanes stay in their place of the quad.
class PackingContract {
 public:
  PackingContract(const divergence::LanesOnUnit& lanes, bool swizzles) : lanes_(lanes), swizzles_(swizzles) {}
  // Output lane n of the cycle's settings comes from `sources[n]`.
  std::string broken_by(const std::vector<divergence::LaneSource>& sources, bool last);

 private:
  divergence::LanesOnUnit lanes_;
  bool swizzles_;
  isa::LaneMask done_ = 0;
};

}  // namespace warpfold::cosim
