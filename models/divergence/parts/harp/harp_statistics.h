// SPDX-License-Identifier: Apache-2.0
// What HARP counts of its tables: how full they are, and how often they are too full.
#pragma once

#include <array>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/results/stats.h"

namespace warpfold::divergence {

// How full a table is: the mean is the sum over the cycles.
class Occupancy {
 public:
  Occupancy(StatGroup& stats, const std::string& table, const std::string& unit)
      : max_(stats.counter("harp_" + table + "_max", unit, "most " + unit + " in " + table + " of a scheduler",
                           Combine::kMax)),
        sum_(stats.counter("harp_" + table + "_cycles", unit + " × cycles",
                           unit + " in " + table + ", summed over cycles: by cycles it is the mean of a core")) {}

  void account(Cycle cycles) { sum_ += cycles * now_; }
  void restart() { now_ = 0; }
  // `used`: of one scheduler.
  void sample(unsigned used) {
    max_.raise_to(used);
    now_ += used;
  }

 private:
  Counter &max_, &sum_;
  std::uint64_t now_ = 0;  // of all schedulers
};

struct HarpCounters {
  explicit HarpCounters(StatGroup& s)
      : first(s, "first_level", "warps"),
        second(s, "second_level", "warps"),
        ready(s, "ready_lookup", "warps"),
        waiting(s, "waiting_lookup", "entries"),
        barriers(s, "barrier_table", "entries"),
        spills(s.counter("harp_second_level_spills", "warps", "that found Second-Level full and went to memory")),
        ready_entered(s.counter("harp_ready_lookup_entered", "warps", "of diverged threads that entered Ready-Lookup")),
        ready_merges(s.counter("harp_ready_lookup_merges", "threads", "diverged, that joined a warp of Ready-Lookup")),
        ready_full(s.counter("harp_ready_lookup_full", "warps", "of diverged threads that found Ready-Lookup full")),
        waiting_entered(s.counter("harp_waiting_lookup_entered", "warps", "that entered Waiting-Lookup alone")),
        waiting_merges(
            s.counter("harp_waiting_lookup_merges", "warps", "that merged with another that waits for memory")),
        waiting_full(s.counter("harp_waiting_lookup_full", "warps", "that found Waiting-Lookup full")),
        barriers_reserved(s.counter("harp_barriers_reserved", "entries", "of the barrier table that were taken")),
        barrier_misses(s.counter("harp_barrier_misses", "threads", "that found no room in the barrier table")),
        barriers_given_up(s.counter("harp_barriers_given_up", "threads × barriers",
                                    "given up by threads that reached a barrier of their block instead")),
        reborn(s.counter("harp_reborn_warps", "warps", "that all threads of a reconvergence barrier made")) {}

  void restart() {
    for (Occupancy* table : {&first, &second, &ready, &waiting, &barriers}) table->restart();
  }
  // What was in the tables since the last cycle that was accounted for.
  void account(Cycle now) {
    for (Occupancy* table : {&first, &second, &ready, &waiting, &barriers}) {
      table->account(now - last_);
      table->restart();
    }
    last_ = now;
  }

  Occupancy first, second, ready, waiting, barriers;
  Counter& spills;
  Counter &ready_entered, &ready_merges, &ready_full;
  Counter &waiting_entered, &waiting_merges, &waiting_full;
  Counter &barriers_reserved, &barrier_misses, &barriers_given_up, &reborn;

 private:
  Cycle last_ = 0;
};

}  // namespace warpfold::divergence
