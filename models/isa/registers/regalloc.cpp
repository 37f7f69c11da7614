// SPDX-License-Identifier: Apache-2.0
// Linear-scan allocation of virtual registers onto the words that a thread really holds.
#include "warpfold/isa/registers/regalloc.h"

#include <algorithm>
#include <numeric>

#include "warpfold/isa/registers/live_ranges.h"

namespace warpfold::isa {

RegisterMap allocate_registers(const Cfg& cfg, std::span<const FlowOp> ops, std::span<const RegisterShape> registers) {
  const std::vector<Range> ranges = find_live_ranges(cfg, ops, registers.size());
  std::vector<Register> order(registers.size());
  std::iota(order.begin(), order.end(), Register{0});
  std::erase_if(order, [&](Register r) { return ranges[r].empty(); });
  std::stable_sort(order.begin(), order.end(),
                   [&](Register a, Register b) { return ranges[a].front().begin < ranges[b].front().begin; });
  WordPacker words, predicates;
  RegisterMap map;
  map.word.assign(registers.size(), 0);
  for (Register r : order) {
    WordPacker& in = registers[r].predicate ? predicates : words;
    map.word[r] = in.place(ranges[r], registers[r].predicate ? 1 : registers[r].held());
  }
  map.words = words.used();
  map.predicates = predicates.used();
  return map;
}

}  // namespace warpfold::isa
