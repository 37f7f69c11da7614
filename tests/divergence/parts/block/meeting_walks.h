// SPDX-License-Identifier: Apache-2.0
// What both readings of CAPRI and TSTBC are held to, under a policy with a switch `compact`.
#pragma once

#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {

// Every live thread is in a warp or parked, whatever happens.
inline void expect_all_threads_counted(const char* mechanism) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    FlowSetup setup{mechanism, {seed % 3 == 0 ? "compact=false" : "compact=true"}, 4, 4, 2};
    FlowMachine machine(setup, seed % 2 == 0 ? arbitrary_program(seed) : StructuredProgram(seed, true).make());
    std::mt19937_64 random(seed);
    machine.start(0, 0, 13);
    machine.start(1, 1, 16);
    while (machine.live() > 0) {
      machine.run_some(random, 1);
      unsigned in_warps = 0;
      for (const WarpId id : machine.core.warps())
        in_warps += static_cast<unsigned>(std::popcount(machine.core.warp(id).mask));
      const Parked parked = machine.mechanism->parked();
      ASSERT_EQ(parked.inactive + parked.reconverging + in_warps, machine.live()) << "seed " << seed;
      ASSERT_LE(parked.inactive, machine.live());
    }
    machine.end();
  }
}

// Loops whose trip counts differ by warp, by thread, or both: the hard case of warps at different depths.
inline void expect_loops_to_end(const char* mechanism) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const auto trips = [seed](std::uint64_t salt) {
      return [=](Who who, unsigned visit) {
        const unsigned of_warp = (who.thread / 4 * 7 + seed * salt) % 5;
        return visit < of_warp + (chance(seed, who.block * 64 + who.thread, salt, 0, 30) ? who.thread % 3 : 0);
      };
    };
    const auto start = [](Pc latch) {
      FlowOp op = step();
      op.resets = latch;
      return op;
    };
    // An outer loop around an if, an inner loop and a side that ends early.
    const Program program{start(9),
                          branch(4, by_thread(seed, 1, 40)),
                          step(),
                          jump(5),
                          step(),
                          start(7),
                          step(),
                          branch(6, trips(3)),
                          leave_if(by_thread(seed, 8, seed % 4 == 0 ? 5 : 0)),
                          branch(1, trips(5)),
                          step(),
                          leave()};
    FlowSetup setup{mechanism, {seed % 3 == 0 ? "compact=false" : "compact=true"}, 4, 4, 2};
    setup.schedulers = 1 + seed % 2;
    FlowMachine machine(setup, program);
    std::mt19937_64 random(seed);
    machine.start(0, 0, 16);
    machine.start(1, 1, 1 + static_cast<unsigned>(random() % 16));
    ASSERT_NO_THROW(machine.run_some(random, ~0U)) << "seed " << seed;
    ASSERT_NO_THROW(machine.end()) << "seed " << seed;
  }
}

}  // namespace warpfold::divergence
