// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/core_usage.h"

namespace warpfold {

CoreUsage::CoreUsage(StatGroup& machine, const std::vector<StatGroup*>& cores)
    : few_cores_cycles_(machine.counter("few_cores_cycles", "cycles", "fewer than half of the cores held a block")) {
  for (StatGroup* core : cores)
    cores_.push_back({core->counter("core_busy_cycles", "cycles", "the core held a block")});
}

void CoreUsage::advance(Cycle to) {
  if (2 * busy_ < cores_.size()) few_cores_cycles_ += to - since_;
  since_ = to;
}

void CoreUsage::block_started(unsigned core, Cycle now) {
  Core& at = cores_[core];
  if (at.blocks++ != 0) return;
  advance(now);
  at.since = now;
  ++busy_;
}

void CoreUsage::block_finished(unsigned core, Cycle now) {
  Core& at = cores_[core];
  if (--at.blocks != 0) return;
  advance(now + 1);
  at.busy_cycles += now + 1 - at.since;
  --busy_;
}

void CoreUsage::launch_ended(Cycle end) { advance(end); }

}  // namespace warpfold
