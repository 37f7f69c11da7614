// SPDX-License-Identifier: Apache-2.0
// The warps of a core, around a mechanism that writes down what it is told.
#include "tests/core/warps_fixture.h"
#include "warpfold/common/error.h"

namespace warpfold {
namespace warps_test {

TEST_F(WarpsTest, ABlockStartsItsWarpsInTheFirstFreeSlots) {
  warps.start_block({1, 9, 0, 4, {kAll, 0xff}});
  EXPECT_EQ(recorder->calls, (Calls{"block 9 slot 1 rows 2"}));
  EXPECT_EQ(pipeline.updates, (Updates{{Update::kEntered, 0}, {Update::kEntered, 1}}));
  EXPECT_EQ(warps.warp(1).mask, 0xffu);
  EXPECT_EQ(warps.warp(1).row[0], 5u);
  EXPECT_EQ(warps.block_of(1), 1u);
  EXPECT_TRUE(warps.live(1));
  EXPECT_FALSE(warps.live(2));
  warps.remove(0);
  EXPECT_FALSE(warps.live(0));
  EXPECT_EQ(warps.insert(divergence::Warp::of_row(3, 0, 1)), 0u);
}

// Two schedulers; the third block goes where one has left.
TEST_F(WarpsTest, ABlocksWarpsAreOneSchedulersWhereBlocksAreDealt) {
  CoreParams dealt = params;
  dealt.schedulers = 2;
  dealt.placement.deal = Deal::kBlocks;
  StatRegistry registry;
  Recorder* other = nullptr;
  RecordingPipeline pipe(other);
  divergence::Configured configured;
  configured.make = [&other](const divergence::Geometry& geometry, divergence::Core& core) {
    EXPECT_TRUE(geometry.deals_blocks);
    auto made = std::make_unique<Recorder>(core);
    other = made.get();
    return made;
  };
  Warps two(dealt, context, configured, pipe, registry.group("core"));
  two.kernel_started(kernel, executor);
  for (unsigned slot : {0U, 1U}) two.start_block({slot, slot, slot, 2 * slot, {kAll, kAll}});
  EXPECT_EQ(pipe.updates,
            (Updates{{Update::kEntered, 0}, {Update::kEntered, 2}, {Update::kEntered, 1}, {Update::kEntered, 3}}));
  EXPECT_EQ(two.scheduler_of_row(1), 0U);
  EXPECT_EQ(two.scheduler_of_row(2), 1U);
  for (const WarpId warp : {1U, 3U}) {
    Instruction exit;
    const isa::MicroOp op = op_of(Kind::kExit);
    exit.warp = warp;
    exit.op = &op;
    exit.active = exit.executed = kAll;
    two.commit(exit);
  }
  pipe.updates.clear();
  two.start_block({1, 2, 2, 2, {kAll, kAll}});
  EXPECT_EQ(pipe.updates, (Updates{{Update::kEntered, 1}, {Update::kEntered, 3}}));
}

TEST_F(WarpsTest, OnlyAsManyWarpsAsThereAreSlots) {
  for (unsigned i = 0; i < params.rows(); ++i) warps.insert(divergence::Warp::of_row(0, 0, 1));
  EXPECT_THROW(warps.insert(divergence::Warp::of_row(0, 0, 1)), InternalError);
  warps.remove(5);
  EXPECT_THROW(warps.remove(5), InternalError);
}

TEST_F(WarpsTest, TheMechanismLearnsTheKernelsEnd) {
  kernel.ops.resize(17);
  warps.kernel_started(kernel, executor);
  EXPECT_EQ(recorder->calls, (Calls{"kernel 17"}));
}

TEST_F(WarpsTest, LanesThatHaveTheirDataLeaveAWarpForWhereItGoesOn) {
  start_block({kAll, kAll});
  EXPECT_EQ(warps.divide(0).lanes, 0u) << "nobody has";
  pipeline.lanes_loaded = 0xf;
  divergence::Divided went = warps.divide(0);
  EXPECT_EQ(went.lanes, 0xfu);
  EXPECT_EQ(went.next, 0u) << "it may issue from there";
  EXPECT_EQ(warps.warp(0).mask, kAll & ~LaneMask{0xf});
  isa::Outcome outcome;
  kernel.ops[0].kind = Kind::kFence;
  warps.issue(1, 0, 0, outcome);
  went = warps.divide(1);
  EXPECT_EQ(went.next, 1u) << "it stands at its load";
  pipeline.lanes_loaded = kAll;
  EXPECT_THROW(warps.divide(1), InternalError);
}

TEST_F(WarpsTest, APlainInstructionMovesTheWarpOn) {
  start_block({kAll});
  commits(0, plain, 6);
  EXPECT_EQ(recorder->calls, (Calls{"committed 0 7"}));
  EXPECT_EQ(pipeline.updates, (Updates{{Update::kGoesOn, 0}}));
  warps.go_on_early(0);  // the same by the other door
  EXPECT_EQ(recorder->calls.back(), "committed 0 8");
  EXPECT_EQ(pipeline.updates.size(), 2u);
}

TEST_F(WarpsTest, Branches) {
  start_block({kAll});
  isa::MicroOp branch = op_of(Kind::kBranch);
  branch.target = 20;
  branch.reconvergence = 30;
  branch.likely = 25;
  commits(0, branch, 5, kAll, kAll);
  branch.may_diverge = true;
  commits(0, branch, 6, kAll, 0xff);
  commits(0, branch, 7, 0, 0);
  EXPECT_EQ(recorder->calls, (Calls{"branch 0 pc 5 taken ffffffff target 20 rpc 30 lpc 25 uniform",
                                    "branch 0 pc 6 taken ff target 20 rpc 30 lpc 25 may diverge",
                                    "branch 0 pc 7 taken 0 target 20 rpc 30 lpc 25 may diverge"}));
  EXPECT_EQ(stat("branches"), 3u);
  EXPECT_EQ(stat("divergent_branches"), 1u);
  EXPECT_EQ(pipeline.updates.size(), 3u);
  branch.may_diverge = false;
  EXPECT_THROW(commits(0, branch, 8, kAll, 1), InternalError) << "proved uniform, yet it diverges";
}

class MixingWarpsTest : public WarpsTest {
 protected:
  MixingWarpsTest() : WarpsTest({.mixes_paths = true}) {}
};

TEST_F(MixingWarpsTest, AUniformBranchMayDivideAWarp) {
  start_block({kAll});
  isa::MicroOp branch = op_of(Kind::kBranch);
  EXPECT_NO_THROW(commits(0, branch, 8, kAll, 1)) << "uniform among threads of a block that go round together";
}

// The mechanism may exchange the threads of a warp that goes on: its block is that of those it holds now.
TEST_F(WarpsTest, AWarpThatGoesOnMayHoldThreadsOfAnotherBlock) {
  start_block({kAll});
  start_block({kAll}, 1, 1);
  recorder->on_branch = [this](WarpId warp) { warps.warp(warp).row.fill(0); };
  isa::MicroOp branch = op_of(Kind::kBranch);
  branch.may_diverge = true;
  EXPECT_EQ(warps.block_of(1), 1u);
  commits(1, branch, 5, kAll, 1);
  EXPECT_EQ(warps.block_of(1), 0u);
}

TEST_F(WarpsTest, ANewWarpInTheSlotIsNotSentOnInPlaceOfTheOld) {
  start_block({kAll});
  recorder->on_branch = [this](WarpId warp) {
    warps.remove(warp);
    EXPECT_EQ(warps.insert(divergence::Warp::of_row(20, 0, 1)), warp);
  };
  isa::MicroOp branch = op_of(Kind::kBranch);
  branch.may_diverge = true;
  commits(0, branch, 5, kAll, 1);
  EXPECT_EQ(pipeline.updates, (Updates{{Update::kLeft, 0}, {Update::kEntered, 0}}));
  pipeline.updates.clear();
  recorder->on_branch = [this](WarpId warp) { warps.remove(warp); };
  commits(0, branch, 5, kAll, 1);
  EXPECT_EQ(pipeline.updates, (Updates{{Update::kLeft, 0}}));
}

TEST_F(WarpsTest, GuardedExits) {
  start_block({kAll});
  commits(0, exit_op, 3, 0);
  EXPECT_EQ(recorder->calls, (Calls{"committed 0 4"})) << "nobody left";
  commits(0, exit_op, 4, 0xffff);
  EXPECT_EQ(recorder->calls.back(), "exited 0 ffff 5");
  EXPECT_EQ(pipeline.updates, (Updates{{Update::kGoesOn, 0}, {Update::kGoesOn, 0}}));
  commits(0, exit_op, 5);
  EXPECT_EQ(pipeline.updates.back(), (std::pair{Update::kLeft, WarpId{0}}));
}

TEST_F(WarpsTest, ABlockFinishesOnceWithItsLastThread) {
  start_block({kAll, 0x1});
  commits(1, exit_op, 3);
  EXPECT_EQ(recorder->calls, (Calls{"exited 1 1 4"}));
  commits(0, exit_op, 3, 0x7fff'ffff);
  commits(0, exit_op, 3, 0x8000'0000);
  EXPECT_EQ(recorder->calls, (Calls{"exited 1 1 4", "exited 0 7fffffff 4", "exited 0 80000000 4", "finished 40",
                                    "core: block 40 done"}));
}

TEST_F(WarpsTest, ABarrierCountsThreadsNotWarps) {
  // 32 + 4 threads in two rows; the mechanism has put them into three warps.
  start_block({kAll, 0xf});
  warps.warp(0).mask = 0xffff;
  warps.insert(divergence::Warp::of_row(0, 0, 0xffff'0000));
  pipeline.updates.clear();
  warps.warp(0).pc = warps.warp(1).pc = warps.warp(2).pc = 8;
  commits(2, barrier, 8);
  commits(0, barrier, 8);
  EXPECT_TRUE(warps.waits(0) && warps.waits(2) && !warps.waits(1));
  EXPECT_TRUE(pipeline.updates.empty());
  EXPECT_EQ(stat("barriers"), 0u);
  commits(1, barrier, 8);
  EXPECT_EQ(recorder->calls, (Calls{"committed 2 9", "committed 0 9", "committed 1 9"}));
  EXPECT_EQ(pipeline.updates, (Updates{{Update::kGoesOn, 2}, {Update::kGoesOn, 0}, {Update::kGoesOn, 1}}));
  EXPECT_FALSE(warps.waits(0));
  EXPECT_EQ(stat("barriers"), 1u);
}

TEST_F(WarpsTest, AnExitCanOpenABarrier) {
  start_block({kAll, kAll});
  commits(0, barrier, 8);
  commits(1, exit_op, 3, 0xffff);
  EXPECT_TRUE(warps.waits(0));
  commits(1, exit_op, 4);
  EXPECT_FALSE(warps.waits(0));
  EXPECT_EQ(recorder->calls.back(), "committed 0 1") << "from where its pc stands";
}

TEST_F(WarpsTest, ABarrierThatNoLaneExecutesIsNone) {
  start_block({kAll, kAll});
  commits(0, barrier, 8, 0);
  EXPECT_FALSE(warps.waits(0));
  EXPECT_EQ(recorder->calls, (Calls{"committed 0 9"}));
  commits(1, barrier, 8);
  EXPECT_TRUE(warps.waits(1)) << "warp 0 has not arrived";
}

TEST_F(WarpsTest, BlocksHaveTheirOwnBarriers) {
  start_block({kAll}, 0, 0);
  start_block({kAll, kAll}, 1, 1);
  commits(1, barrier, 8);
  EXPECT_TRUE(warps.waits(1));
  commits(0, barrier, 8);
  EXPECT_FALSE(warps.waits(0));
  EXPECT_TRUE(warps.waits(1));
}

TEST_F(WarpsTest, CompactionGoesThroughTheCompactorAndBack) {
  start_block({kAll});
  warps.compact({.block_slot = 0, .block_id = 40, .first_row = 0, .pc = 12, .regroup = true, .threads = {0xf0}});
  ASSERT_EQ(pipeline.compactions.size(), 1u);
  EXPECT_EQ(pipeline.compactions[0].pc, 12u);
  EXPECT_EQ(pipeline.compactions[0].threads, (std::vector<LaneMask>{0xf0}));
  warps.compacted({0, divergence::Warp::of_row(12, 0, 0xf0), true});
  EXPECT_EQ(recorder->calls, (Calls{"compacted slot 0 tag 0 f0 true"}));
}

TEST_F(WarpsTest, TheDeepestStackIsKept) {
  warps.stack_depth(3);
  warps.stack_depth(7);
  warps.stack_depth(2);
  EXPECT_EQ(stat("max_stack_entries"), 7u);
}

class Listener : public TraceSink {
 public:
  void record(const TraceRecord& entry) override { records.push_back(entry); }
  std::vector<TraceRecord> records;
};

TEST_F(WarpsTest, TracesWhatHappens) {
  Listener listener;
  context.trace = &listener;
  start_block({0xff}, 2, 6);
  commits(0, barrier, 0);
  commits(0, exit_op, 1);
  std::vector<TraceEvent> events;
  for (const TraceRecord& record : listener.records) {
    events.push_back(record.event);
    EXPECT_EQ(record.block, 42u);
  }
  EXPECT_EQ(events, (std::vector{TraceEvent::kBlockStart, TraceEvent::kWarpInsert, TraceEvent::kBarrierWait,
                                 TraceEvent::kBarrierOpen, TraceEvent::kWarpRemove, TraceEvent::kBlockEnd}));
  EXPECT_EQ(listener.records[1].mask, 0xffu);
}

// The pipeline has been told already that it may issue.
TEST_F(WarpsTest, AWarpThatMayIssueCanBeHeldUntilItIsReleased) {
  start_block({kAll});
  warps.hold(0, divergence::kUntilReleased);
  EXPECT_FALSE(warps.may_issue(0));
  EXPECT_EQ(recorder->calls.back(), fmt::format("held 0 for {}", divergence::kUntilReleased));
  warps.release(0);
  EXPECT_TRUE(warps.may_issue(0));
  EXPECT_EQ(pipeline.updates.back(), (std::pair{Update::kGoesOn, WarpId{0}}));
}

TEST_F(WarpsTest, PartsOfStructuresArePassedOnAndCounted) {
  using divergence::Spill;
  EXPECT_TRUE(warps.spill({Spill::Way::kOut, 2, 96, 32}));
  EXPECT_EQ(recorder->calls.back(), "spill of 2: 32 bytes at 96 out");
  pipeline.spills_at_once = false;
  EXPECT_FALSE(warps.spill({Spill::Way::kIn, 2, 96, 32}));
  warps.spilled(2);
  EXPECT_EQ(recorder->calls.back(), "spilled 2");
  EXPECT_EQ(stat("spilled_bytes"), 32u);
  EXPECT_EQ(stat("reloaded_bytes"), 32u);
}

}  // namespace warps_test
}  // namespace warpfold
