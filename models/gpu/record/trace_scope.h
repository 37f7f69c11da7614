// SPDX-License-Identifier: Apache-2.0
// A time trace's clock, and the part of the run that it shows.
#pragma once

#include <algorithm>

#include "warpfold/common/clock/cycle.h"

namespace warpfold {

// A run's cycles are those of its timed launches, one launch after the other, as the statistic `cycles` counts them.
class TraceScope {
 public:
  TraceScope(Cycle first, Cycle last) : first_(first), last_(last) {}

  // From edge `start` of the core clock on, in which `shown` says whether anything of the launch is.
  void launch_started(Cycle start, bool shown) {
    start_ = start;
    shown_ = shown;
  }
  // All of its cycles are counted; the next launch begins at `end` of the run.
  void launch_ended(Cycle end) { base_ = end; }

  Cycle of_run(Cycle core_cycle) const { return base_ + core_cycle - start_; }
  Cycle of_core(Cycle run_cycle) const { return run_cycle - base_ + start_; }

  // The rest of the arguments are cycles of the run.
  Cycle launch_start() const { return base_; }
  Cycle first() const { return first_; }
  Cycle last() const { return last_; }
  bool shown() const { return shown_; }
  bool shows(Cycle at) const { return shown_ && at >= first_ && at < last_; }
  Cycle clip(Cycle at) const { return std::clamp(at, first_, last_); }
  // Nothing from `at` on is shown.
  void end_at(Cycle at) { last_ = std::clamp(at, first_, last_); }

 private:
  Cycle first_, last_;
  Cycle base_ = 0, start_ = 0;
  bool shown_ = false;
};

}  // namespace warpfold
