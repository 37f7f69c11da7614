// SPDX-License-Identifier: Apache-2.0
// The branch unit alone, around a mechanism that writes down what it is told.
#include <fmt/format.h>

#include "tests/core/core_fixture.h"
#include "warpfold/common/error.h"
#include "warpfold/core/branch_unit.h"

namespace warpfold {
namespace {

using divergence::WarpId;
using isa::Kind;
using isa::LaneMask;
using Update = WarpUpdate::Kind;

constexpr LaneMask kAll = 0xffff'ffff;

// One warp per row; both sides of a branch stay where `on_branch` puts them.
class Recorder : public divergence::Mechanism {
 public:
  explicit Recorder(divergence::Core& owner) : core(owner) {}
  void kernel_started(const isa::Kernel& kernel) override { note("kernel {}", kernel.end()); }
  void block_started(const divergence::Block& block) override {
    note("block {} slot {} rows {}", block.id, block.slot, block.rows());
    for (unsigned row = 0; row < block.rows(); ++row) {
      core.insert(divergence::Warp::of_row(0, static_cast<std::uint16_t>(block.first_row + row), block.threads[row]));
    }
  }
  void block_finished(const divergence::Block& block) override { note("finished {}", block.id); }
  bool leaves_at(WarpId, isa::Pc) const override { return false; }
  bool mixes_paths() const override { return mixes; }
  void committed(WarpId warp, isa::Pc next) override {
    note("committed {} {}", warp, next);
    core.warp(warp).pc = next;
  }
  void branch_resolved(WarpId warp, const divergence::Branch& branch) override {
    note("branch {} pc {} taken {:x} target {} rpc {} lpc {} {}", warp, branch.pc, branch.taken, branch.target,
         branch.reconvergence, branch.likely, branch.may_diverge ? "may diverge" : "uniform");
    if (on_branch) on_branch(warp);
  }
  void exited(WarpId warp, LaneMask lanes, isa::Pc next) override {
    note("exited {} {:x} {}", warp, lanes, next);
    core.warp(warp).mask &= ~lanes;
    core.warp(warp).pc = next;
    if (core.warp(warp).mask == 0) core.remove(warp);
  }
  void compacted(unsigned slot, unsigned tag, const divergence::Warp& warp, bool last) override {
    note("compacted slot {} tag {} {:x} {}", slot, tag, warp.mask, last);
  }
  std::string waiting(unsigned) const override { return "none"; }

  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    calls.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  divergence::Core& core;
  std::vector<std::string> calls;
  std::function<void(WarpId)> on_branch;
  bool mixes = false;
};

class BranchUnitTest : public CoreTest {
 protected:
  BranchUnitTest() : unit("unit", params, context, {{}, make()}, clock, stats) {
    commit.socket.bind(unit.commit_socket);
    advance.socket.bind(unit.advance_socket);
    unit.warp_socket.bind(warps.socket);
    unit.compact_socket.bind(compactor.socket);
    compacted.socket.bind(unit.compacted_socket);
    unit.block_finished = [this](const divergence::Block& block) { recorder->note("core: block {} done", block.id); };
    run(1);
  }
  std::function<std::unique_ptr<divergence::Mechanism>(const divergence::Geometry&, divergence::Core&)> make() {
    return [this](const divergence::Geometry& geometry, divergence::Core& core) {
      EXPECT_EQ(geometry.max_warps, params.rows());
      auto made = std::make_unique<Recorder>(core);
      recorder = made.get();
      return made;
    };
  }
  void start_block(std::vector<LaneMask> rows, unsigned slot = 0, unsigned first_row = 0) {
    unit.start_block({slot, 40 + slot, 0, first_row, std::move(rows)});
    recorder->calls.clear();
    warps.seen.clear();
  }
  // The warp commits an instruction of its own lanes.
  void commits(WarpId warp, const isa::MicroOp& op, isa::Pc pc, LaneMask executed = kAll, LaneMask taken = 0) {
    Instruction instruction = instruction_of(op, warp, 0);
    instruction.pc = pc;
    instruction.active = unit.warp(warp).mask;
    instruction.executed = executed & instruction.active;
    instruction.taken = taken;
    commit.send(instruction);
  }
  static isa::MicroOp op_of(Kind kind) {
    isa::MicroOp op;
    op.kind = kind;
    return op;
  }
  std::vector<std::pair<Update, WarpId>> updates() const {
    std::vector<std::pair<Update, WarpId>> list;
    for (const auto& seen : warps.seen) list.emplace_back(seen.payload.kind, seen.payload.id);
    return list;
  }
  using Updates = std::vector<std::pair<Update, WarpId>>;
  using Calls = std::vector<std::string>;

  CoreContext context;
  Recorder* recorder = nullptr;
  BranchUnit unit;
  Source<InstructionProtocol> commit{"commit", clock}, advance{"advance", clock};
  Source<TypedProtocol<CompactedWarp>> compacted{"compacted", clock};
  Sink<WarpProtocol> warps{"warps", clock};
  Sink<TypedProtocol<divergence::CompactionRequest>> compactor{"compactor", clock};
  const isa::MicroOp plain = op_of(Kind::kCompute), exit_op = op_of(Kind::kExit), barrier = op_of(Kind::kBarrier);
};

TEST_F(BranchUnitTest, ABlockStartsItsWarpsInTheFirstFreeSlots) {
  unit.start_block({1, 9, 0, 4, {kAll, 0xff}});
  EXPECT_EQ(recorder->calls, (Calls{"block 9 slot 1 rows 2"}));
  EXPECT_EQ(updates(), (Updates{{Update::kInsert, 0}, {Update::kInsert, 1}}));
  EXPECT_EQ(warps.seen[1].payload.warp->mask, 0xffu);
  EXPECT_EQ(warps.seen[1].payload.warp->row[0], 5u);
  EXPECT_EQ(unit.block_of(1), 1u);
  EXPECT_TRUE(unit.live(1));
  EXPECT_FALSE(unit.live(2));
  unit.remove(0);
  EXPECT_FALSE(unit.live(0));
  EXPECT_EQ(unit.insert(divergence::Warp::of_row(3, 0, 1)), 0u);
}

TEST_F(BranchUnitTest, OnlyAsManyWarpsAsThereAreSlots) {
  for (unsigned i = 0; i < params.rows(); ++i) unit.insert(divergence::Warp::of_row(0, 0, 1));
  EXPECT_THROW(unit.insert(divergence::Warp::of_row(0, 0, 1)), InternalError);
  unit.remove(5);
  EXPECT_THROW(unit.remove(5), InternalError);
}

TEST_F(BranchUnitTest, TheMechanismLearnsTheKernelsEnd) {
  isa::Kernel kernel;
  kernel.ops.resize(17);
  isa::Launch launch;
  launch.kernel = &kernel;
  isa::ThreadStore threads(launch, 1, 32, 0, 1);
  DeviceMemory memory(1 << 16);
  isa::Executor executor(launch, threads, memory);
  unit.kernel_started(kernel, executor);
  EXPECT_EQ(recorder->calls, (Calls{"kernel 17"}));
}

TEST_F(BranchUnitTest, APlainInstructionMovesTheWarpOn) {
  start_block({kAll});
  commits(0, plain, 6);
  EXPECT_EQ(recorder->calls, (Calls{"committed 0 7"}));
  EXPECT_EQ(updates(), (Updates{{Update::kGoOn, 0}}));
  Instruction early = instruction_of(plain, 0, 0);  // the same by the other door
  early.pc = 7;
  advance.send(early);
  EXPECT_EQ(recorder->calls.back(), "committed 0 8");
  EXPECT_EQ(warps.seen.size(), 2u);
}

TEST_F(BranchUnitTest, Branches) {
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
  EXPECT_EQ(warps.seen.size(), 3u);
  branch.may_diverge = false;
  EXPECT_THROW(commits(0, branch, 8, kAll, 1), InternalError) << "proved uniform, yet it diverges";
  recorder->mixes = true;
  EXPECT_NO_THROW(commits(0, branch, 8, kAll, 1)) << "uniform among threads of a block that go round together";
}

// The mechanism may exchange the threads of a warp that goes on: its block is that of those it holds now.
TEST_F(BranchUnitTest, AWarpThatGoesOnMayHoldThreadsOfAnotherBlock) {
  start_block({kAll});
  start_block({kAll}, 1, 1);
  recorder->on_branch = [this](WarpId warp) { unit.warp(warp).row.fill(0); };
  isa::MicroOp branch = op_of(Kind::kBranch);
  branch.may_diverge = true;
  EXPECT_EQ(unit.block_of(1), 1u);
  commits(1, branch, 5, kAll, 1);
  EXPECT_EQ(unit.block_of(1), 0u);
}

TEST_F(BranchUnitTest, ANewWarpInTheSlotIsNotSentOnInPlaceOfTheOld) {
  start_block({kAll});
  recorder->on_branch = [this](WarpId warp) {
    unit.remove(warp);
    EXPECT_EQ(unit.insert(divergence::Warp::of_row(20, 0, 1)), warp);
  };
  isa::MicroOp branch = op_of(Kind::kBranch);
  branch.may_diverge = true;
  commits(0, branch, 5, kAll, 1);
  EXPECT_EQ(updates(), (Updates{{Update::kRemove, 0}, {Update::kInsert, 0}}));
  warps.seen.clear();
  recorder->on_branch = [this](WarpId warp) { unit.remove(warp); };
  commits(0, branch, 5, kAll, 1);
  EXPECT_EQ(updates(), (Updates{{Update::kRemove, 0}}));
}

TEST_F(BranchUnitTest, GuardedExits) {
  start_block({kAll});
  commits(0, exit_op, 3, 0);
  EXPECT_EQ(recorder->calls, (Calls{"committed 0 4"})) << "nobody left";
  commits(0, exit_op, 4, 0xffff);
  EXPECT_EQ(recorder->calls.back(), "exited 0 ffff 5");
  EXPECT_EQ(updates(), (Updates{{Update::kGoOn, 0}, {Update::kGoOn, 0}}));
  commits(0, exit_op, 5);
  EXPECT_EQ(updates().back(), (std::pair{Update::kRemove, WarpId{0}}));
}

TEST_F(BranchUnitTest, ABlockFinishesOnceWithItsLastThread) {
  start_block({kAll, 0x1});
  commits(1, exit_op, 3);
  EXPECT_EQ(recorder->calls, (Calls{"exited 1 1 4"}));
  commits(0, exit_op, 3, 0x7fff'ffff);
  commits(0, exit_op, 3, 0x8000'0000);
  EXPECT_EQ(recorder->calls, (Calls{"exited 1 1 4", "exited 0 7fffffff 4", "exited 0 80000000 4", "finished 40",
                                    "core: block 40 done"}));
}

TEST_F(BranchUnitTest, ABarrierCountsThreadsNotWarps) {
  // 32 + 4 threads in two rows; the mechanism has put them into three warps.
  start_block({kAll, 0xf});
  unit.warp(0).mask = 0xffff;
  unit.insert(divergence::Warp::of_row(0, 0, 0xffff'0000));
  warps.seen.clear();
  unit.warp(0).pc = unit.warp(1).pc = unit.warp(2).pc = 8;
  commits(2, barrier, 8);
  commits(0, barrier, 8);
  EXPECT_TRUE(unit.waits(0) && unit.waits(2) && !unit.waits(1));
  EXPECT_TRUE(warps.seen.empty());
  EXPECT_EQ(stat("barriers"), 0u);
  commits(1, barrier, 8);
  EXPECT_EQ(recorder->calls, (Calls{"committed 2 9", "committed 0 9", "committed 1 9"}));
  EXPECT_EQ(updates(), (Updates{{Update::kGoOn, 2}, {Update::kGoOn, 0}, {Update::kGoOn, 1}}));
  EXPECT_FALSE(unit.waits(0));
  EXPECT_EQ(stat("barriers"), 1u);
}

TEST_F(BranchUnitTest, AnExitCanOpenABarrier) {
  start_block({kAll, kAll});
  commits(0, barrier, 8);
  commits(1, exit_op, 3, 0xffff);
  EXPECT_TRUE(unit.waits(0));
  commits(1, exit_op, 4);
  EXPECT_FALSE(unit.waits(0));
  EXPECT_EQ(recorder->calls.back(), "committed 0 1") << "from where its pc stands";
}

TEST_F(BranchUnitTest, ABarrierThatNoLaneExecutesIsNone) {
  start_block({kAll, kAll});
  commits(0, barrier, 8, 0);
  EXPECT_FALSE(unit.waits(0));
  EXPECT_EQ(recorder->calls, (Calls{"committed 0 9"}));
  commits(1, barrier, 8);
  EXPECT_TRUE(unit.waits(1)) << "warp 0 has not arrived";
}

TEST_F(BranchUnitTest, BlocksHaveTheirOwnBarriers) {
  start_block({kAll}, 0, 0);
  start_block({kAll, kAll}, 1, 1);
  commits(1, barrier, 8);
  EXPECT_TRUE(unit.waits(1));
  commits(0, barrier, 8);
  EXPECT_FALSE(unit.waits(0));
  EXPECT_TRUE(unit.waits(1));
}

TEST_F(BranchUnitTest, CompactionGoesThroughTheCompactorAndBack) {
  start_block({kAll});
  unit.compact({.block_slot = 0, .block_id = 40, .first_row = 0, .pc = 12, .regroup = true, .threads = {0xf0}});
  ASSERT_EQ(compactor.seen.size(), 1u);
  EXPECT_EQ(compactor.seen[0].payload.pc, 12u);
  EXPECT_EQ(compactor.seen[0].payload.threads, (std::vector<LaneMask>{0xf0}));
  CompactedWarp back{0, divergence::Warp::of_row(12, 0, 0xf0), true};
  compacted.send(back);
  EXPECT_EQ(recorder->calls, (Calls{"compacted slot 0 tag 0 f0 true"}));
}

TEST_F(BranchUnitTest, ReportsWhoWaitsForWhat) {
  start_block({kAll, 0xff});
  isa::Kernel kernel;
  kernel.file = "k.ptx";
  kernel.ops.resize(3);
  kernel.ops[2].line = 77;
  unit.warp(0).pc = unit.warp(1).pc = 2;
  commits(1, barrier, 2);
  const auto waits_for = [](WarpId) { return std::string("Godot"); };
  EXPECT_EQ(
      unit.report(kernel, waits_for),
      (Calls{
          "core 0 block 40 warp 0 (32 threads at k.ptx:77) waits for Godot",
          "core 0 block 40 warp 1 (8 threads at k.ptx:77) waits for a barrier that 8 of 40 live threads have reached",
          "core 0 block 40, threads in no warp: none"}));
}

TEST_F(BranchUnitTest, TheDeepestStackIsKept) {
  unit.stack_depth(3);
  unit.stack_depth(7);
  unit.stack_depth(2);
  EXPECT_EQ(stat("max_stack_entries"), 7u);
}

class Listener : public TraceSink {
 public:
  void record(const TraceRecord& entry) override { records.push_back(entry); }
  std::vector<TraceRecord> records;
};

TEST_F(BranchUnitTest, TracesWhatHappens) {
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

}  // namespace
}  // namespace warpfold
