// SPDX-License-Identifier: Apache-2.0
// Which cores have a part in a launch, and what its cycles go to on all cores. A core is charged by its own modules
// from its first block on; cores that get none are idle from start to end, which is counted for all of them at once: a
// launch costs the host nothing for a core that it leaves alone.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/results/stats.h"

namespace warpfold {

class CycleBreakdown {
 public:
  // After the cores have declared their counters. `schedulers`: of a core; each accounts for every cycle.
  CycleBreakdown(StatRegistry& stats, const std::vector<StatGroup*>& cores, unsigned schedulers);
  CycleBreakdown(const CycleBreakdown&) = delete;
  CycleBreakdown& operator=(const CycleBreakdown&) = delete;
  ~CycleBreakdown();

  void launch_started();
  // Before the core counts anything of the launch; false: it takes part already.
  bool takes_part(unsigned core);
  // Cores that take part have charged all of the launch's cycles by now.
  void launch_ended(Cycle cycles);

  const std::vector<unsigned>& taking_part() const { return taking_part_; }

 private:
  struct Core {
    StatGroup* group;
    std::vector<Counter*> idle{};            // w0_idle, and the part of it that a core without a block has
    std::vector<const Counter*> parts{};     // among which its cycles are divided
    std::vector<const Counter*> unissued{};  // those of them without an issue
    std::vector<const Counter*> causes{};    // among which these are divided once more
    std::uint64_t launch = 0;                // the last one that it took part in
    std::uint64_t charged = 0;               // to the parts, before that
    Cycle busy = 0;                          // of launches that it took part in
    Cycle settled = 0;                       // of the others, that stand in `idle`
  };

  void settle();

  StatRegistry& stats_;
  const unsigned schedulers_;
  std::vector<Core> cores_;
  std::vector<Counter*> idle_;  // of cores in launches that they took no part in, until it stands with them
  std::vector<unsigned> taking_part_;
  std::uint64_t launch_ = 0;
  Cycle all_ = 0;  // of launches that have ended
};

}  // namespace warpfold
