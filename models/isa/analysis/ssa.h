// SPDX-License-Identifier: Apache-2.0
// The values of a kernel's registers, told apart: which instruction or merge feeds which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

// Pruned SSA form (Cytron et al. 1991) of the reachable blocks, as a graph of nodes. An instruction is one node for all
// of its results; a guarded one also reads the old values of what it writes.
struct Ssa {
  using Node = std::uint32_t;
  // Nodes [0, ops.size()) are the instructions, node ops.size() what registers hold at the start, the rest the merges.
  Node initial = 0;
  std::vector<std::vector<Node>> users;   // by node: the nodes that read it
  std::vector<std::vector<Node>> merges;  // by block: the merges at its start
};

Ssa build_ssa(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers);

}  // namespace warpfold::isa
