// SPDX-License-Identifier: Apache-2.0
// Which cores hold blocks in the course of a launch: how evenly its work is spread over them, and how long its tail is.
#pragma once

#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/results/stats.h"

namespace warpfold {

// Told of every block as it comes and goes, in the order of time.
class CoreUsage {
 public:
  // Counts for core i in cores[i], and for all of them in `machine`.
  CoreUsage(StatGroup& machine, const std::vector<StatGroup*>& cores);

  void launch_started(Cycle start) { since_ = start; }
  void block_started(unsigned core, Cycle now);
  void block_finished(unsigned core, Cycle now);  // which held it in this cycle, too
  void launch_ended(Cycle end);                   // the first cycle that is no longer the launch's

 private:
  struct Core {
    Counter& busy_cycles;
    unsigned blocks = 0;
    Cycle since = 0;  // the first of its blocks came
  };

  void advance(Cycle to);

  Counter& few_cores_cycles_;
  std::vector<Core> cores_;
  std::size_t busy_ = 0;  // cores with a block
  Cycle since_ = 0;       // up to here all is counted
};

}  // namespace warpfold
