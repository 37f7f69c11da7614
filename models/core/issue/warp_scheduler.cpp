// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/issue/warp_scheduler.h"

#include "warpfold/common/error.h"

namespace warpfold {

using divergence::kNoWarp;
using divergence::WarpId;
using divergence::WarpSet;

WarpScheduler::WarpScheduler(sc_core::sc_module_name name, WarpPolicy policy, unsigned slots)
    : sc_module(name), policy_(policy), age_(slots, 0), last_(slots - 1) {}

tlm::tlm_sync_enum WarpScheduler::serve(unsigned /*port*/, SchedulerCall& call, tlm::tlm_phase& /*phase*/) {
  if (call.ready == nullptr) {
    age_[call.warp] = ++clock_;  // the youngest
  } else {
    call.warp = pick(*call.ready);
  }
  return tlm::TLM_COMPLETED;
}

[[gnu::always_inline]] inline WarpId WarpScheduler::pick(const WarpSet& ready) {
  WarpId choice = kNoWarp;
  if (policy_ == WarpPolicy::kLrr) {
    choice = ready.next(last_ + 1);
    if (choice == kNoWarp) choice = ready.next(0);
  } else {
    const bool greedy = last_age_ != 0 && age_[last_] == last_age_ && ready.contains(last_);
    choice = greedy ? last_ : oldest(ready);
    last_age_ = choice != kNoWarp ? age_[choice] : 0;
  }
  check(choice != kNoWarp, "a scheduler is asked to pick from no ready warp");
  last_ = choice;
  return choice;
}

WarpId WarpScheduler::oldest(const WarpSet& ready) const {
  WarpId oldest = kNoWarp;
  for (WarpId warp = ready.next(0); warp != kNoWarp; warp = ready.next(warp + 1)) {
    if (oldest == kNoWarp || age_[warp] < age_[oldest]) oldest = warp;
  }
  return oldest;
}

}  // namespace warpfold
