// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/cycle_breakdown.h"

#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

bool is_unissued(const std::string& name) { return name == "stall" || name.starts_with("w0_"); }
bool is_of_cores_without_blocks(const std::string& name) { return name == "w0_idle" || name == "slot_no_block"; }

std::uint64_t sum(const std::vector<const Counter*>& counters) {
  std::uint64_t all = 0;
  for (const Counter* const counter : counters) all += counter->value();
  return all;
}

}  // namespace

CycleBreakdown::CycleBreakdown(StatRegistry& stats, const std::vector<StatGroup*>& cores, unsigned schedulers)
    : stats_(stats), schedulers_(schedulers) {
  StatGroup* const away = &stats_.group("");
  for (StatGroup* group : cores) {
    Core& core = cores_.emplace_back(Core{group});
    for (StatGroup::Entry& entry : group->entries()) {
      const std::string& name = entry.info.name;
      if (name.starts_with("slot_")) core.causes.push_back(&entry.counter);
      if (is_unissued(name)) core.unissued.push_back(&entry.counter);
      if (is_unissued(name) || name.starts_with("issue_w")) core.parts.push_back(&entry.counter);
      if (!is_of_cores_without_blocks(name)) continue;
      core.idle.push_back(&entry.counter);
      if (cores_.size() == 1) idle_.push_back(&away->counter(name, entry.info.unit, entry.info.meaning));
    }
    check(core.idle.size() == 2, "a core counts idle cycles, and those without a block among them");
    stats_.announce(*group);
  }
  check(!cores_.empty(), "a machine has cores");
  stats_.on_settle = [this] { settle(); };
}

CycleBreakdown::~CycleBreakdown() {
  settle();
  stats_.on_settle = nullptr;
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
  core.charged = sum(core.parts);
  return true;
}

void CycleBreakdown::launch_ended(Cycle cycles) {
  for (const unsigned number : taking_part_) {
    Core& core = cores_[number];
    check(sum(core.parts) - core.charged == cycles * schedulers_, "the cycle breakdown sums to cycles x schedulers");
    check(sum(core.causes) == sum(core.unissued), "each cycle without an issue has one cause");
    core.busy += cycles;
  }
  for (Counter* idle : idle_) *idle += cycles * schedulers_ * (cores_.size() - taking_part_.size());
  all_ += cycles;
}

void CycleBreakdown::settle() {
  for (Core& core : cores_) {
    const Cycle due = all_ - core.busy - core.settled;
    if (due == 0) continue;
    stats_.touch(*core.group);
    for (Counter* idle : core.idle) *idle += due * schedulers_;
    core.charged += due * schedulers_;
    core.settled += due;
  }
  for (Counter* idle : idle_) idle->reset();
}

}  // namespace warpfold
