// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/cycle_breakdown.h"

#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

bool is_part(const std::string& name) {
  return name.starts_with("issue_w") || name == "stall" || name.starts_with("w0_");
}

}  // namespace

CycleBreakdown::CycleBreakdown(StatRegistry& stats, const std::vector<StatGroup*>& cores, unsigned schedulers)
    : stats_(stats), schedulers_(schedulers) {
  const StatInfo* idle = nullptr;
  for (StatGroup* group : cores) {
    Core& core = cores_.emplace_back(Core{group});
    for (StatGroup::Entry& entry : group->entries()) {
      if (is_part(entry.info.name)) core.parts.push_back(&entry.counter);
      if (entry.info.name != "w0_idle") continue;
      idle = &entry.info;
      core.idle = &entry.counter;
    }
    check(core.idle != nullptr, "a core counts idle cycles");
    stats_.announce(*group);
  }
  check(idle != nullptr, "a machine has cores");
  idle_ = &stats_.group("").counter(idle->name, idle->unit, idle->meaning);
  stats_.on_settle = [this] { settle(); };
}

CycleBreakdown::~CycleBreakdown() {
  settle();
  stats_.on_settle = nullptr;
}

std::uint64_t CycleBreakdown::charged(const Core& core) const {
  std::uint64_t all = 0;
  for (const Counter* const part : core.parts) all += part->value();
  return all;
}

void CycleBreakdown::launch_started() {
  taking_part_.clear();
  ++launch_;
}

bool CycleBreakdown::takes_part(unsigned number) {
  Core& core = cores_[number];
  if (std::exchange(core.launch, launch_) == launch_) return false;
  taking_part_.push_back(number);
  stats_.touch(*core.group);
  core.charged = charged(core);
  return true;
}

void CycleBreakdown::launch_ended(Cycle cycles) {
  for (const unsigned number : taking_part_) {
    Core& core = cores_[number];
    check(charged(core) - core.charged == cycles * schedulers_, "the cycle breakdown sums to cycles x schedulers");
    core.busy += cycles;
  }
  *idle_ += cycles * schedulers_ * (cores_.size() - taking_part_.size());
  all_ += cycles;
}

void CycleBreakdown::settle() {
  for (Core& core : cores_) {
    const Cycle due = all_ - core.busy - core.settled;
    if (due == 0) continue;
    stats_.touch(*core.group);
    *core.idle += due * schedulers_;
    core.charged += due * schedulers_;
    core.settled += due;
  }
  idle_->reset();
}

}  // namespace warpfold
