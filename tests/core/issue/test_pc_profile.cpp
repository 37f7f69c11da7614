// SPDX-License-Identifier: Apache-2.0
// What an instruction adds to the counts of its pc, and which launches become part of a kernel's.
#include <gtest/gtest.h>

#include "warpfold/core/issue/pc_profile.h"

namespace warpfold {
namespace pc_profile_test {

using isa::Kind;
using isa::LaneMask;

struct Profiled {
  PcProfile profile;
  isa::Kernel kernel;

  Profiled() {
    kernel.name = std::string("k");
    kernel.ops.resize(3);
    kernel.ops[1].kind = Kind::kBranch;
    kernel.ops[2].kind = Kind::kLoad;
    profile.launch_started(kernel);
  }
  Instruction of(isa::Pc pc, LaneMask active, LaneMask executed) const {
    Instruction instruction;
    instruction.pc = pc;
    instruction.op = &kernel.ops[pc];
    instruction.active = active;
    instruction.executed = executed;
    return instruction;
  }
  PcCounts counts(isa::Pc pc) {
    profile.launch_ended(10);
    return profile.kernels().at(0).counts.at(pc);
  }
};

TEST(PcProfile, LanesThatAreActiveExecuteOrAreLost) {
  Profiled one;
  one.profile.issued(one.of(0, 0xff, 0x3), 4);
  one.profile.issued(one.of(0, 0xffff'ffff, 0), 2);
  const PcCounts counts = one.counts(0);
  EXPECT_EQ(counts.issued, 2U);
  EXPECT_EQ(counts.lanes, 8U + 32);
  EXPECT_EQ(counts.executed, 2U);
  EXPECT_EQ(counts.lost, 24U);
  EXPECT_EQ(counts.issue_cycles, 6U);
  EXPECT_EQ(counts.accesses, 0U) << "no memory";
}

TEST(PcProfile, BranchesThatGoOneWayOrBoth) {
  Profiled one;
  for (const LaneMask taken : {0x0, 0xf, 0x8, 0x7}) {
    Instruction branch = one.of(1, 0xf, taken);
    branch.taken = taken;
    one.profile.issued(branch, 1);
  }
  const PcCounts counts = one.counts(1);
  EXPECT_EQ(counts.issued, 4U);
  EXPECT_EQ(counts.divergent, 2U);
  EXPECT_EQ(counts.taken, 0U + 4 + 1 + 3);
}

TEST(PcProfile, AccessesOfLanesThatExecute) {
  Profiled one;
  Instruction load = one.of(2, 0xf, 0xf);
  load.lines = 3;
  load.conflicts = 5;
  one.profile.issued(load, 1);
  one.profile.issued(one.of(2, 0xf, 0), 1);
  const PcCounts counts = one.counts(2);
  EXPECT_EQ(counts.issued, 2U);
  EXPECT_EQ(counts.accesses, 1U);
  EXPECT_EQ(counts.lines, 3U);
  EXPECT_EQ(counts.conflicts, 5U);
}

TEST(PcProfile, LaunchesOfAKernelAddUp) {
  Profiled one;
  for (int launch = 0; launch < 3; ++launch) {
    if (launch != 0) one.profile.launch_started(one.kernel);
    one.profile.issued(one.of(0, 1, 1), 1);
    one.profile.waited(0, Wait::kUnit, 7);
    one.profile.launch_ended(100);
  }
  ASSERT_EQ(one.profile.kernels().size(), 1U);
  const PcProfile::Kernel& kernel = one.profile.kernels()[0];
  EXPECT_EQ(kernel.launches, 3U);
  EXPECT_EQ(kernel.cycles, 300U);
  EXPECT_EQ(kernel.counts[0].issued, 3U);
  EXPECT_EQ(kernel.counts[0].waits[static_cast<std::size_t>(Wait::kUnit)], 21U);
}

TEST(PcProfile, ALaunchThatDoesNotEndCountsNothing) {
  Profiled one;
  one.profile.issued(one.of(0, 1, 1), 1);
  EXPECT_TRUE(one.profile.kernels().empty());
  one.profile.launch_started(one.kernel);
  one.profile.issued(one.of(0, 1, 1), 1);
  EXPECT_EQ(one.counts(0).issued, 1U);
}

// The program may have unloaded the one when the other comes, at the same place.
TEST(PcProfile, CodesOfOneNameAreKernelsOfTheirOwn) {
  Profiled one;
  one.profile.launch_ended(1);
  one.kernel.ops[0].line = 9;
  one.profile.launch_started(one.kernel);
  one.profile.launch_ended(1);
  EXPECT_EQ(one.profile.kernels().size(), 2U);
  one.kernel.file = std::string("another.ptx");
  one.profile.launch_started(one.kernel);
  one.profile.launch_ended(1);
  EXPECT_EQ(one.profile.kernels().size(), 3U);
}

}  // namespace pc_profile_test
}  // namespace warpfold
