// SPDX-License-Identifier: Apache-2.0
// Under every mechanism and setting each thread of random programs executes what it would execute alone, whatever the
// order in which warps and compactor get their turns.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace {

struct Variant {
  const char* name;
  const char* mechanism;
  std::vector<std::string> parameters;
};
std::ostream& operator<<(std::ostream& out, const Variant& variant) { return out << variant.name; }

class RandomPrograms : public testing::TestWithParam<Variant> {
 protected:
  static constexpr std::uint64_t kSeeds = 700;
};

INSTANTIATE_TEST_SUITE_P(
    Every, RandomPrograms,
    testing::Values(Variant{"pdom", "pdom", {}}, Variant{"pdom_not_taken", "pdom", {"branch_order=not_taken_first"}},
                    Variant{"pdom_fewest", "pdom", {"branch_order=fewest_first"}}, Variant{"tbc", "tbc", {}},
                    Variant{"tbc_not_taken_rrb", "tbc", {"branch_order=not_taken_first", "block_priority=RRB"}},
                    Variant{"tbc_fewest_srr", "tbc", {"branch_order=fewest_first", "block_priority=SRR"}},
                    Variant{"tbc_by_row", "tbc", {"compactor=false"}}),
    [](const auto& suite) { return std::string(suite.param.name); });

// Blocks come and go in two slots, with partial last rows.
void run(const Variant& variant, std::uint64_t seed, const Program& program) {
  std::mt19937_64 random(seed * 77 + 5);
  FlowSetup setup{variant.mechanism, variant.parameters, 4, 4, 2};
  FlowMachine machine(setup, program);
  std::uint64_t next = 0;
  while (next < 4 || machine.live() > 0) {
    for (unsigned slot = 0; slot < 2 && next < 4; ++slot) {
      if (machine.live(slot) == 0) machine.start(slot, next++, 1 + static_cast<unsigned>(random() % 16));
    }
    machine.run_some(random, 20);
  }
  EXPECT_TRUE(machine.core.warps().empty() && machine.core.requests.empty()) << "something is left";
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

// No thread is lost, and none is late: at the end of a program without early exits the static warps are whole again.
TEST_P(RandomPrograms, MeetAgainAtTheEnd) {
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Program program = StructuredProgram(seed, false).make();
    FlowMachine machine({GetParam().mechanism, GetParam().parameters}, program);
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

}  // namespace
}  // namespace warpfold::divergence
