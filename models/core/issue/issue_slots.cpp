// SPDX-License-Identifier: Apache-2.0
// What a scheduler lacks when it issues nothing: the part of the issue stage that tells causes apart.
#include "warpfold/core/issue/issue_stage.h"

namespace warpfold {

using divergence::WarpId;

void IssueStage::kernel_ended(Cycle end) {
  for (Port& port : ports_) {
    check(port.charged_until <= end, "a kernel ends after its last issue");
    charge_idle(port, end);
  }
}

void IssueStage::charge_cycles(Port& port, Cycle until) {
  const Cycle cycles = until - port.charged_until;
  *port.idle += cycles;
  *causes_[static_cast<std::size_t>(port.cause)] += cycles;
  port.charged_until = until;
  const std::uint64_t live = warps_.live_threads(), at_barrier = warps_.threads_at_barriers();
  if (live == 0) return;
  const divergence::Parked parked = warps_.parked();
  const std::uint64_t elsewhere = at_barrier + parked.inactive + parked.reconverging;
  check(elsewhere <= live, "a thread waits in one way at a time");
  idle_dependency_ += cycles * (live - elsewhere);
  idle_barrier_ += cycles * at_barrier;
  idle_inactive_ += cycles * parked.inactive;
  idle_reconvergence_ += cycles * parked.reconverging;
}

// Of ready warps whose units are all busy.
SlotCause IssueStage::cause_of_stall(const Port& port) const {
  static constexpr std::array<SlotCause, ExecutionUnits::kGroups> kUnit{SlotCause::kSimd,      SlotCause::kSfu,
                                                                        SlotCause::kFp64,      SlotCause::kInteger,
                                                                        SlotCause::kLoadStore, SlotCause::kSimd};
  static constexpr std::array<SlotCause, kPipeUses> kPipe{SlotCause::kSimd, SlotCause::kSimd, SlotCause::kSfu,
                                                          SlotCause::kLoadStore};
  for (unsigned group = kGroups; group-- > 0;) {
    if (port.ready.intersects(ready_for_[group])) return passes_ ? kPipe.at(group) : kUnit.at(group);
  }
  return SlotCause::kLoadStore;
}

SlotCause IssueStage::cause_of_idle(const Port& port) {
  if (port.no_collector) return SlotCause::kCollector;
  if (held_up(port)) return SlotCause::kLoadStore;
  if (port.fetching > 0) return SlotCause::kFetch;
  if (port.draining > 0) return SlotCause::kDraining;
  if (spilling_ > 0) return SlotCause::kSpill;
  if (warps_.compacting() > 0) return SlotCause::kCompactor;
  for (const WarpId id : held_) {
    if (slots_[id].port == &port) return SlotCause::kMechanism;
  }
  if (port.memory_in_flight > 0) return SlotCause::kMemory;
  return cause_among_warps(port);
}

SlotCause IssueStage::cause_among_warps(const Port& port) {
  if (warps_.some_at_barrier(port.index)) return SlotCause::kBarrier;
  if (warps_.some_held(port.index)) return SlotCause::kReconvergence;
  if (warps_.changes_warps() && warps_.parked().reconverging > 0) return SlotCause::kReconvergence;
  if (warps_.live_of(port.index) > 0) return SlotCause::kDependency;
  if (warps_.threads_at_barriers() > 0) return SlotCause::kBarrier;
  if (warps_.parked().inactive > 0) return SlotCause::kInactive;
  return warps_.live_threads() > 0 ? SlotCause::kImbalance : SlotCause::kNoBlock;
}

}  // namespace warpfold
