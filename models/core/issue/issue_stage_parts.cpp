// SPDX-License-Identifier: Apache-2.0
// Several parts in a cycle: the part of the issue stage that mechanisms have which fill a warp's idle lanes with
// another warp's instruction.
#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/core/issue/issue_stage.h"

namespace warpfold {

using divergence::kNoWarp;
using divergence::WarpId;

void IssueStage::declare_parts(StatGroup& stats) {
  issues_ = &stats.counter("issues", "issues", "of schedulers; the parts of one cycle are one");
  joint_issues_ = &stats.counter("joint_issues", "issues", "of several parts");
  joint_parts_ = &stats.counter("joint_parts", "warp instructions", "issued beside another, in other lanes");
  stats.ratio("joint_simd_efficiency", "active lanes per issue, of the warp's width: parts of a cycle count as one",
              "thread_instructions", "issues", params_.warp_size);
}

void IssueStage::issue_parts(Port& port, WarpId first, Cycle now) {
  parts_ = {};
  parts_.issued.first = first;
  pass_ = port.ready;  // whoever becomes ready by what follows issues later
  for (WarpId id = first; id != kNoWarp; id = next_part(port, now)) {
    pass_.erase(id);
    issue(port, id, now);
  }
  *bucket_of_[static_cast<unsigned>(std::popcount(parts_.issued.lanes))] += parts_.held;
  ++*issues_;
  if (parts_.issued.count == 1) return;
  ++*joint_issues_;
  *joint_parts_ += parts_.issued.count - 1;
}

WarpId IssueStage::next_part(Port& port, Cycle now) {
  withdraw_joined(port);
  while (!held_up(port)) {
    pass_ &= port.ready;  // what has been issued may have taken threads along
    if (pass_.empty()) break;
    const WarpId id = warps_.partner(parts_.issued, pass_, now);
    if (id == kNoWarp) break;
    check(pass_.contains(id), "a part is a ready warp that has not been named before");
    check((warps_.warp(id).mask & parts_.issued.lanes) == 0, "parts of a cycle have no lane in common");
    if (fits_beside(port, id, now)) return id;
    pass_.erase(id);
  }
  return kNoWarp;
}

bool IssueStage::fits_beside(const Port& port, WarpId id, Cycle now) {
  const unsigned group = slots_[id].group;
  if (group == ExecutionUnits::kMemory && blocked_) return false;
  if (parts_.memory && decoded(warps_.warp(id).pc).memory) return false;
  return (parts_.groups >> group & 1) != 0 || units_.free_at(port.index, group) <= now;
}

void IssueStage::dispatch_part(Port& port, Instruction& instruction, const Decoded& how) {
  const unsigned group = how.group, bit = 1U << group;
  instruction.unit = units_.number(port.index, group);
  instruction.beside = (parts_.groups & bit) != 0;
  send(port, instruction, how);

  const Cycle unit_until = instruction.issued_at + instruction.hold_cycles;
  units_.hold(port.index, group,
              instruction.beside ? std::max(unit_until, units_.free_at(port.index, group)) : unit_until);
  if (units_.shared(group) && !instruction.beside) port.took_shared = ++takes_;
  const Cycle holds = std::max(instruction.port_cycles, params_.issue_interval_cycles);
  const Cycle more = holds > parts_.held ? holds - parts_.held : 0;
  parts_.held += more;
  port.free_at = port.charged_until = instruction.issued_at + parts_.held;

  parts_.groups |= bit;
  parts_.memory |= how.memory;
  parts_.issued.lanes |= instruction.active;
  ++parts_.issued.count;
  if (watched_) [[unlikely]]
    tell_part(instruction, holds, more);
}

}  // namespace warpfold
