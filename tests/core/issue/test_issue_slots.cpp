// SPDX-License-Identifier: Apache-2.0
// What cycles without an issue are charged to, by hand.
#include <map>

#include "tests/core/simt_core_fixture.h"
#include "warpfold/core/issue/slot_causes.h"

namespace warpfold {
namespace issue_slots_test {

class IssueSlots : public SimtCoreTest {
 protected:
  // Those that have some.
  std::map<std::string, std::uint64_t> causes() {
    expect_all_cycles_charged();
    std::map<std::string, std::uint64_t> found;
    for (const auto& [name, meaning] : kSlotCauseNames) {
      if (stat(name) != 0) found[name] = stat(name);
    }
    return found;
  }
};
using Causes = std::map<std::string, std::uint64_t>;

// A load of a warp, and what becomes of it; other warps are told apart by their number.
const std::string kLoad = kHeader + R"(
ld.param.u64 %rd1, [out];
ld.global.u32 %r1, [%rd1];
add.u32 %r2, %r1, 1;
ret;
})";

TEST_F(IssueSlots, LatenciesAreDependenciesAndMemory) {
  start(kLoad, 32, 1);
  dispatch_at(10, 0);
  run(2000);
  const Causes found = causes();
  EXPECT_EQ(found.at("slot_no_block"), 11U) << "before the block comes, and the cycle in which it has ended";
  // ld.param takes 36 cycles, of which 4 are its issue, the addition 24.
  EXPECT_GE(found.at("slot_dependency"), 32U + 20U);
  EXPECT_GE(found.at("slot_memory"), 300U) << "the memory's delay";
  EXPECT_EQ(found.size(), 3U);
}

// The second warp goes on to its barrier, the first loads.
const std::string kBarrier = kHeader + R"(
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@!%p1 bra MEET;
ld.global.u32 %r2, [%rd1];
add.u32 %r3, %r2, 1;
add.u32 %r3, %r3, 1;
add.u32 %r3, %r3, 1;
MEET:
bar.sync 0;
ret;
})";

TEST_F(IssueSlots, ABarrierIsBehindMemoryAndBeforeOtherDependencies) {
  start(kBarrier, 64, 1);
  dispatch_at(0, 0);
  run(2000);
  const Causes found = causes();
  EXPECT_GE(found.at("slot_memory"), 280U) << "while the first warp's load is under way";
  EXPECT_GE(found.at("slot_barrier"), 3U * 20U) << "while its additions are";
}

// One thread of each warp takes the long way; under TBC the block's warps wait for each other at the branch.
const std::string kBranch = kHeader + R"(
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 32;
@!%p1 bra COME;
add.u32 %r3, %r1, 1;
add.u32 %r3, %r3, 1;
add.u32 %r3, %r3, 1;
COME:
and.b32 %r4, %r1, 31;
setp.eq.u32 %p2, %r4, 0;
@%p2 bra DONE;
add.u32 %r3, %r3, 2;
DONE:
ret;
})";

TEST_F(IssueSlots, ThreadsWaitWhereTheirBlocksPathsMeet) {
  start(kBranch, 64, 1, "pdom");
  dispatch_at(0, 0);
  run(2000);
  EXPECT_FALSE(causes().contains("slot_reconvergence")) << "warps do not wait for each other";
}

TEST_F(IssueSlots, TheBlocksWaitIsTheMechanisms) {
  start(kBranch, 64, 1, "tbc");
  dispatch_at(0, 0);
  run(2000);
  const Causes found = causes();
  EXPECT_GE(found.at("slot_reconvergence"), 40U);
  EXPECT_GE(found.at("slot_compactor"), 1U);
}

// With a scoreboard of registers the branch could issue while the load is under way.
const std::string kDrain = kHeader + R"(
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
setp.lt.u32 %p1, %r1, 5;
ld.global.u32 %r2, [%rd1];
@!%p1 bra DONE;
add.u32 %r3, %r1, 1;
DONE:
ret;
})";

TEST_F(IssueSlots, DrainingIsTheMechanismsThatMovesThreads) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  start(kDrain, 32, 1, "tbc");
  dispatch_at(0, 0);
  run(2000);
  EXPECT_GE(causes().at("slot_draining"), 280U);
}

TEST_F(IssueSlots, WhoeverKeepsItsWarpsDrainsForItsExitAlone) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  start(kDrain, 32, 1, "pdom");
  dispatch_at(0, 0);
  run(2000);
  const Causes found = causes();
  EXPECT_FALSE(found.contains("slot_draining"));
  EXPECT_GE(found.at("slot_memory"), 280U);
}

}  // namespace issue_slots_test
}  // namespace warpfold
