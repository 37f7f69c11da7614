// SPDX-License-Identifier: Apache-2.0
// Under every mechanism and setting each thread of random programs executes what it would execute alone, whatever the
// order in which warps and compactor get their turns.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/mechanism_variants.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace random_programs_test {

class RandomPrograms : public testing::TestWithParam<MechanismVariant> {
 protected:
  static constexpr std::uint64_t kSeeds = 400;
};

INSTANTIATE_TEST_SUITE_P(Every, RandomPrograms, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

// So little room on the core that stacks are in memory most of the time.
std::vector<MechanismVariant> in_memory() {
  std::vector<MechanismVariant> variants;
  for (const char* const name : {"tbc", "tbc-lcp", "capri", "tstbc"})
    variants.push_back({name, {"mechanism.stack_entries=4"}});
  variants.push_back(
      {"token-stack", {"mechanism.spill=traffic", "mechanism.on_chip_tokens=1", "mechanism.spill_tokens=1"}});
  variants.push_back(
      {"token-stack", {"mechanism.spill=traffic", "mechanism.on_chip_tokens=3", "mechanism.spill_tokens=2"}});
  return variants;
}
INSTANTIATE_TEST_SUITE_P(InMemory, RandomPrograms, testing::ValuesIn(in_memory()),
                         [](const auto& suite) { return suite.param.name(); });

FlowSetup setup_of(const MechanismVariant& variant) { return {variant.mechanism, variant.parameters()}; }

// Blocks come and go in two slots, with partial last rows.
void run(const MechanismVariant& variant, std::uint64_t seed, const Program& program) {
  std::mt19937_64 random(seed * 77 + 5);
  FlowSetup setup = setup_of(variant);
  setup.max_rows = 4;
  setup.max_blocks = 2;
  setup.schedulers = 1 + static_cast<unsigned>(seed % 2);
  setup.spills_take_time = seed % 4 < 2;
  FlowMachine machine(setup, program);
  machine.traces = false;
  std::uint64_t next = 0;
  while (next < 4 || machine.live() > 0) {
    for (unsigned slot = 0; slot < 2 && next < 4; ++slot) {
      if (machine.live(slot) == 0) machine.start(slot, next++, 1 + static_cast<unsigned>(random() % 16));
    }
    machine.run_some(random, 20);
  }
  machine.end();
}

TEST_P(RandomPrograms, StructuredOnes) {
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_NO_THROW(run(GetParam(), seed, StructuredProgram(seed, true).make()));
  }
}

TEST_P(RandomPrograms, ArbitraryOnes) {
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    EXPECT_NO_THROW(run(GetParam(), seed, arbitrary_program(seed)));
  }
}

// Do both sides of a branch run at the same time, so that none waits for its turn?
bool runs_side_by_side(const MechanismVariant& variant) {
  const std::vector<std::string> sets = variant.parameters();
  const bool takes_turns = sets.empty() || !sets.front().starts_with("switch=");
  return variant.mechanism == "multipath" || (variant.mechanism == "its" && !takes_turns);
}

// A live thread is in a warp or parked in one way.
class Parking : public RandomPrograms {};
INSTANTIATE_TEST_SUITE_P(
    Every, Parking, testing::ValuesIn(variants_of({"dws", "its", "multipath", "pdom", "pdom-lcp", "tbc", "tbc-lcp"})),
    [](const auto& suite) { return suite.param.name(); });

TEST_P(Parking, EveryThreadIsAccountedFor) {
  std::uint64_t inactive = 0, reconverging = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds / 4 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    FlowMachine machine(setup_of(GetParam()), StructuredProgram(seed, true).make());
    machine.traces = false;
    std::mt19937_64 random(seed);
    for (machine.start(0, seed, 22); machine.live() > 0; machine.run_some(random, 1)) {
      unsigned running = 0;
      for (const WarpId id : machine.core.warps()) {
        running += static_cast<unsigned>(std::popcount(machine.core.warp(id).mask));
      }
      const Parked parked = machine.mechanism->parked();
      ASSERT_EQ(running + parked.inactive + parked.reconverging, machine.live());
      inactive += parked.inactive;
      reconverging += parked.reconverging;
    }
    EXPECT_EQ(machine.mechanism->parked().inactive + machine.mechanism->parked().reconverging, 0U);
  }
  // Under dws some do both: a full table leaves a side to the stack.
  if (GetParam().mechanism != "dws") {
    EXPECT_EQ(inactive == 0, runs_side_by_side(GetParam()));
  }
  EXPECT_GT(reconverging, 0U);
}

// No thread is lost, and none is late: at the end of a program without early exits the static warps are whole again.
class Reconverging : public RandomPrograms {};
INSTANTIATE_TEST_SUITE_P(Every, Reconverging,
                         testing::ValuesIn(variants_of({"capri", "dwf-wb", "dws", "its", "multipath", "pdom",
                                                        "pdom-lcp", "tbc", "tbc-lcp", "token-stack", "tstbc"})),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Reconverging, MeetAgainAtTheEnd) {
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Program program = StructuredProgram(seed, false).make();
    FlowMachine machine(setup_of(GetParam()), program);
    std::mt19937_64 random(seed);
    machine.start(0, seed, 22);
    EXPECT_NO_THROW(machine.run_some(random, ~0U));
    EXPECT_EQ(machine.issues_at(static_cast<Pc>(program.size() - 1)), 6U);
    for (const FlowMachine::Issue& issue : machine.trace) {
      if (issue.pc + 1 == program.size()) {
        const unsigned first = static_cast<unsigned>(std::stoul(issue.threads.substr(1)));
        EXPECT_EQ(first % 4, 0U) << issue.threads;
      }
    }
  }
}

}  // namespace random_programs_test
}  // namespace warpfold::divergence
