// SPDX-License-Identifier: Apache-2.0
// Which virtual registers hold a value that is still needed, at the borders of each basic block.
#include "warpfold/isa/analysis/liveness.h"

namespace warpfold::isa {

Liveness find_liveness(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers) {
  const std::size_t count = cfg.blocks().size();
  std::vector<RegisterSet> used(count, RegisterSet(registers)), killed(count, RegisterSet(registers));
  for (std::size_t b = 0; b < count; ++b) {
    for (Pc pc = cfg.blocks()[b].begin; pc < cfg.blocks()[b].end; ++pc) {
      for (Register r : ops[pc].reads) {
        if (!killed[b][r]) used[b].set(r);
      }
      if (ops[pc].guard != kNoRegister) continue;
      for (Register r : ops[pc].writes) killed[b].set(r);
    }
  }
  Liveness live{std::vector<RegisterSet>(count, RegisterSet(registers)),
                std::vector<RegisterSet>(count, RegisterSet(registers))};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = count; b-- > 0;) {  // blocks mostly lie in program order: backwards converges fast
      for (BlockIndex to : cfg.blocks()[b].successors) {
        if (to != cfg.exit()) live.out[b] |= live.in[to];
      }
      RegisterSet in = (live.out[b] - killed[b]) | used[b];
      if (in != live.in[b]) {
        live.in[b] = std::move(in);
        changed = true;
      }
    }
  }
  return live;
}

}  // namespace warpfold::isa
