// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/warp_scheduler.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold {

using divergence::kNoWarp;
using divergence::WarpId;
using divergence::WarpSet;

WarpScheduler::WarpScheduler(sc_core::sc_module_name name, WarpPolicy policy, unsigned warps, unsigned blocks)
    : sc_module(name),
      policy_(policy),
      last_(warps - 1),
      age_(warps, 0),
      block_of_(warps, 0),
      warps_(blocks, WarpSet(warps)),
      block_age_(blocks, 0),
      chosen_(warps) {}

tlm::tlm_sync_enum WarpScheduler::serve(unsigned /*port*/, SchedulerCall& call, tlm::tlm_phase& /*phase*/) {
  if (call.kind == SchedulerCall::Kind::kPick) {
    call.warp = pick(call);
  } else if (call.kind == SchedulerCall::Kind::kEntered) {
    entered(call);
  } else {
    block_finished(call.block);
  }
  return tlm::TLM_COMPLETED;
}

[[gnu::always_inline]] inline WarpId WarpScheduler::pick(const SchedulerCall& call) {
  WarpId choice = kNoWarp;
  if (policy_ == WarpPolicy::kLrr) {
    choice = in_turn(*call.ready);
  } else if (policy_ == WarpPolicy::kGto) {
    choice = greedy_then_oldest(*call.ready);
  } else {
    choice = in_turn(of_first_block(call));
  }
  check(choice != kNoWarp, "a scheduler is asked to pick from no ready warp");
  last_ = choice;
  return choice;
}

[[gnu::always_inline]] inline WarpId WarpScheduler::in_turn(const WarpSet& ready) const {
  const WarpId next = ready.next(last_ + 1);
  return next != kNoWarp ? next : ready.next(0);
}

WarpId WarpScheduler::greedy_then_oldest(const WarpSet& ready) {
  WarpId choice = kNoWarp;
  if (last_age_ != 0 && age_[last_] == last_age_ && ready.contains(last_)) {
    choice = last_;
  } else {
    for (WarpId warp = ready.next(0); warp != kNoWarp; warp = ready.next(warp + 1)) {
      if (choice == kNoWarp || age_[warp] < age_[choice]) choice = warp;
    }
  }
  last_age_ = choice != kNoWarp ? age_[choice] : 0;
  return choice;
}

void WarpScheduler::entered(const SchedulerCall& call) {
  age_[call.warp] = ++clock_;  // the youngest
  if (!is_by_block(policy_)) return;
  warps_[block_of_[call.warp]].erase(call.warp);
  block_of_[call.warp] = call.block;
  warps_[call.block].insert(call.warp);
  if (std::find(blocks_.begin(), blocks_.end(), call.block) != blocks_.end()) return;
  if (blocks_.empty()) sticky_ = call.block;
  // The first of its warps may come here after those of later blocks.
  block_age_[call.block] = call.age;
  const auto later = [&](unsigned block) { return block_age_[block] > call.age; };
  blocks_.insert(std::find_if(blocks_.begin(), blocks_.end(), later), call.block);
}

void WarpScheduler::block_finished(unsigned block) {
  const auto place = std::find(blocks_.begin(), blocks_.end(), block);
  if (place == blocks_.end()) return;  // none of its warps came here
  const auto next = blocks_.erase(place);
  // The block that comes into this slot is the youngest: it does not inherit the priority.
  if (sticky_ == block && !blocks_.empty()) sticky_ = next != blocks_.end() ? *next : blocks_.front();
}

// Of `blocks_`: whose warps go first.
std::size_t WarpScheduler::first_block(Cycle now) {
  if (policy_ == WarpPolicy::kRrb) return now % blocks_.size();
  if (policy_ == WarpPolicy::kRrbIssue) {
    if (now != turn_at_) ++turn_;
    turn_at_ = now;
    return turn_ % blocks_.size();
  }
  if (policy_ == WarpPolicy::kSrr) {
    return static_cast<std::size_t>(std::find(blocks_.begin(), blocks_.end(), sticky_) - blocks_.begin());
  }
  return 0;
}

const WarpSet& WarpScheduler::of_first_block(const SchedulerCall& call) {
  const std::size_t first = first_block(call.now);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const unsigned block = blocks_[(first + i) % blocks_.size()];
    if (!call.ready->intersects(warps_[block])) continue;
    sticky_ = block;
    return chosen_.become_both(*call.ready, warps_[block]);
  }
  throw InternalError("a scheduler has a ready warp of no block");
}

}  // namespace warpfold
