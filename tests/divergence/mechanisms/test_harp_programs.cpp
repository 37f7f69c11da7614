// SPDX-License-Identifier: Apache-2.0
// HARP over random programs: what its tables are too small for costs merging, never a thread or an instruction.
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace harp_programs_test {

// A live thread is in a warp, in Ready-Lookup or at a reconvergence barrier.
void expect_all_accounted_for(FlowMachine& machine) {
  unsigned running = 0;
  for (const WarpId id : machine.core.warps())
    running += static_cast<unsigned>(std::popcount(machine.core.warp(id).mask));
  const Parked parked = machine.mechanism->parked();
  ASSERT_EQ(running + parked.inactive + parked.reconverging, machine.live());
}

// Tables of one entry miss, bypass and spill all the time, which may cost merging only.
TEST(HarpOverflow, CostsNoThreadAnInstruction) {
  const std::vector<std::vector<std::string>> settings{
      {"barrier_entries=1", "barrier_ways=1"},
      {"barrier_entries=2", "barrier_ways=2", "barrier_miss=warp", "ready_lookup_entries=1"},
      {"first_level_entries=1", "second_level_entries=1", "barrier_latency_cycles=3"},
      {"ready_lookup_entries=0", "barrier_entries=3", "barrier_ways=1", "lookup_departs_below=5"},
  };
  for (std::uint64_t seed = 1; seed <= 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    FlowSetup setup{"harp", settings[seed % settings.size()]};
    setup.max_rows = 4;
    setup.max_blocks = 2;
    setup.schedulers = 1 + static_cast<unsigned>(seed / 4 % 2);
    setup.spills_take_time = seed / 8 % 2 != 0;
    FlowMachine machine(setup, seed % 3 == 0 ? arbitrary_program(seed) : StructuredProgram(seed, true).make());
    std::mt19937_64 random(seed);
    machine.start(0, seed, 15);
    machine.start(1, seed + 1, 9);
    for (unsigned steps = 0; machine.live() > 0 && steps < 1'000'000; ++steps) {
      ASSERT_NO_THROW(machine.run_some(random, 1));
      ASSERT_NO_FATAL_FAILURE(expect_all_accounted_for(machine));
    }
    EXPECT_EQ(machine.live(), 0U);
    EXPECT_NO_THROW(machine.end());
  }
}

// Without misses static warps are whole again at the end.
TEST(HarpReconvergence, MakesWarpsWholeAgain) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Program program = StructuredProgram(seed, false).make();
    FlowMachine machine({"harp", {}}, program);
    std::mt19937_64 random(seed);
    machine.start(0, seed, 22);
    machine.run_some(random, 1'000'000);
    EXPECT_EQ(machine.issues_at(static_cast<Pc>(program.size() - 1)), 6U);
    EXPECT_EQ(machine.core.statistic("harp_barrier_misses"), 0U);
    EXPECT_EQ(machine.core.statistic("harp_barriers_reserved"), machine.core.statistic("harp_reborn_warps"));
  }
}

}  // namespace harp_programs_test
}  // namespace warpfold::divergence
