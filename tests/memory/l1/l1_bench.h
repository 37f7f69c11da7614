// SPDX-License-Identifier: Apache-2.0
// The first-level cache alone, between a scripted unit and a scripted memory. At 1 GHz; a load sent at cycle c to a
// memory that answers after d cycles is taken in at c + d + 1 and its data usable at c + d + 2.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/memory/machine.h"
#include "tests/memory/scripted.h"
#include "warpfold/memory/l1/l1_cache.h"

namespace warpfold::l1_cache_test {

using Answer = CacheAccess::Answer;
using Kind = CacheAccess::Kind;
using Step = test::ScriptedUnit::Step;

struct Bench {
  explicit Bench(const L1Params& params)
      : clocks("clocks"),
        clock(clocks.domain(1000)),
        cache("cache", params, clock, 0, stats, "l1d", {pool, 5, 2}),
        memory("memory", clock, 1),
        unit("unit", clock, 2) {
    unit.socket.bind(cache.cpu_socket);
    cache.memory_socket.bind(memory.socket);
  }
  void run(std::vector<Step> steps) {
    unit.steps = std::move(steps);
    unit.start();
    sc_core::sc_start();
  }
  std::uint64_t stat(const std::string& name) {
    for (const StatGroup::Entry& entry : stats.entries()) {
      if (entry.info.name == "l1d_" + name) return entry.counter.value();
    }
    ADD_FAILURE() << "no statistic " << name;
    return 0;
  }
  Answer answer(std::size_t step) const { return unit.outcomes[step].answer; }
  Cycle done(std::size_t step) const { return unit.outcomes[step].done; }

  test::Simulation simulation;
  StatGroup stats{"core0"};
  PayloadPool pool;
  ClockTree clocks;
  ClockDomain& clock;
  L1Cache cache;
  test::ScriptedTarget memory;
  test::ScriptedUnit unit;
};

constexpr Step load(Address line, Cycle from = 0) { return {Kind::kLoad, line, 64, from}; }
constexpr Step store(Address line, Cycle from = 0, std::uint32_t bytes = 32) {
  return {Kind::kStore, line, bytes, from};
}
constexpr Step atomic(Address line, Cycle from = 0) { return {Kind::kAtomic, line, 4, from}; }

}  // namespace warpfold::l1_cache_test
