// SPDX-License-Identifier: Apache-2.0
// What warps wait for, instruction by instruction: the part of the issue stage that only those need who watch it.
#include <algorithm>
#include <array>
#include <string>

#include "warpfold/core/issue/issue_stage.h"

namespace warpfold {

using divergence::WarpId;

namespace {

// Longer than the turns of any scheduling that comes round to every warp.
constexpr Cycle kStarvingCycles = 500'000;

}  // namespace

void IssueStage::watched_by(PcProfile* profile, CoreWatch* watch) {
  profile_ = profile;
  watch_ = watch;
  watched_ = profile != nullptr || watch != nullptr;
}

// In passes a warp's turn is the pass, whatever cycles of the pipes are charged to it.
void IssueStage::tell_issued(const Instruction& instruction, Cycle cycles) {
  if (profile_ != nullptr) profile_->issued(instruction, cycles);
  if (watch_ == nullptr) return;
  watch_->issued(instruction, clock().current(), passes_ ? params_.issue_interval_cycles : cycles);
}

// Each part holds the port, whose cycles are counted once: `more` by this part than by those before it.
void IssueStage::tell_part(const Instruction& instruction, Cycle holds, Cycle more) {
  if (profile_ != nullptr) profile_->issued(instruction, more);
  if (watch_ != nullptr) watch_->issued(instruction, clock().current(), holds);
}

void IssueStage::tell_waits(Port& port, Cycle now) {
  if (profile_ != nullptr) profile_waits(port, now);
  if (watch_ == nullptr) return;
  for (WarpId id = port.slots.next(0); id != divergence::kNoWarp; id = port.slots.next(id + 1)) {
    if (warps_.live(id)) watch_->waits(id, warps_.warp(id).pc, wait_of(port, id), now);
  }
}

IssueSlots IssueStage::slots(Cycle until) const {
  std::uint64_t issued = 0;
  for (const Counter* bucket : buckets_) issued += bucket->value();
  IssueSlots slots{issued, stall_.value(), w0_fetch_.value(), w0_mem_.value(), w0_idle_.value()};
  const std::array<const Counter*, kIssueSlotNames.size()> idle{nullptr, &stall_, &w0_fetch_, &w0_mem_, &w0_idle_};
  for (const Port& port : ports_) {
    if (until <= port.charged_until) {
      slots.front() -= port.charged_until - until;  // of its last issue
      continue;
    }
    const auto why = std::find(idle.begin(), idle.end(), port.idle) - idle.begin();
    slots.at(static_cast<std::size_t>(why)) += until - port.charged_until;
  }
  return slots;
}

// Between two visits of a port nothing changes for its warps: what they waited for at the last one holds up to now.
void IssueStage::profile_waits(Port& port, Cycle now) {
  for (const auto& [pc, why] : port.waiting) profile_->waited(pc, why, now - port.waiting_since);
  port.waiting.clear();
  port.waiting_since = now;
  if (port.charged_until > now) return;  // it issues
  for (WarpId id = port.slots.next(0); id != divergence::kNoWarp; id = port.slots.next(id + 1)) {
    if (warps_.live(id)) port.waiting.emplace_back(warps_.warp(id).pc, wait_of(port, id));
  }
}

Wait IssueStage::wait_of(const Port& port, WarpId id) const {
  const Slot& slot = slots_[id];
  if (slot.ready && port.charged_until > clock().current()) return Wait::kTurn;
  if (slot.ready) return port.idle == &stall_ ? Wait::kUnit : Wait::kMechanism;
  if (warps_.waits_for_mechanism(id) || slot.held_until != 0) return Wait::kMechanism;
  if (warps_.waits(id)) return Wait::kBarrier;
  if (slot.fetching) return Wait::kFetch;
  return slot.memory_in_flight > 0 ? Wait::kMemory : Wait::kExecution;
}

bool IssueStage::starves(WarpId id) const {
  return slots_[id].ready && clock().current() - slots_[id].issued_at > kStarvingCycles;
}

std::string IssueStage::waits_for(WarpId id) const {
  const Slot& slot = slots_[id];
  if (!warps_.live(id)) return "";
  if (scoreboard_.busy(id, warps_.warp(id))) return "an instruction in flight";
  if (slot.fetching) return "its next instruction";
  if (starves(id)) return "a turn, which others always take";
  return warps_.may_issue(id) ? "the issue port" : "a barrier";
}

}  // namespace warpfold
