// SPDX-License-Identifier: Apache-2.0
// The slices of a core, from what it is told: one after the other on every thread, and cut at the window.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/gpu/trace_events.h"
#include "warpfold/gpu/record/core_slices.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold {
namespace core_slices_test {

constexpr Cycle kStart = 1000;  // of the launch, on the core's clock
constexpr Cycle kEnd = 100;     // of the launch, in the run

class CoreSlicesTest : public testing::Test {
 protected:
  CoreSlicesTest()
      : path_(std::filesystem::path(testing::TempDir()) / ("warpfold_slices_" + std::to_string(getpid()))) {
    kernel_.opcodes = {"add.u32", "ld.global.u32"};
    kernel_.ops.resize(2);
    kernel_.ops[0].line = 12;
    kernel_.ops[1].text = 1;
    kernel_.ops[1].kind = isa::Kind::kLoad;
    kernel_.ops[1].space = isa::Space::kGlobal;
  }
  ~CoreSlicesTest() override { std::filesystem::remove(path_); }

  void start(Cycle first = 0, Cycle last = kNever) {
    file_ = std::make_unique<TraceEventFile>(path_);
    file_->name_process(7, "core", 0);
    scope_ = std::make_unique<TraceScope>(first, last);
    slices_ = std::make_unique<CoreSlices>(*file_, *scope_, params_, 7);
    scope_->launch_started(kStart, true);
    slices_->launch_started(kernel_);
  }
  void record(Cycle at, TraceEvent event, unsigned warp = 0, std::uint64_t block = 0, std::uint64_t other = 0) {
    slices_->record({kStart + at, event, 0, block, warp, 0, 0xf, other, nullptr, 2});
  }
  void issue(Cycle at, isa::Pc pc, unsigned warp = 0, Cycle cycles = 4) {
    record(at, TraceEvent::kIssue, warp);
    slices_->issued(instruction(at, pc, warp), kStart + at, cycles);
  }
  Instruction instruction(Cycle at, isa::Pc pc, unsigned warp = 0) const {
    Instruction issued;
    issued.warp = warp;
    issued.pc = pc;
    issued.op = &kernel_.ops[pc];
    issued.active = issued.executed = 0xf;
    issued.issued_at = kStart + at;
    return issued;
  }
  void waits(Cycle at, Wait why, isa::Pc pc = 0, unsigned warp = 0) { slices_->waits(warp, pc, why, kStart + at); }
  TraceEvents finish() {
    slices_->launch_ended(kEnd);
    file_->close();
    std::ifstream in(path_);
    std::ostringstream all;
    all << in.rdbuf();
    return TraceEvents(all.str());
  }
  // "name from-until", in the order of their beginnings on each thread.
  static std::vector<std::string> texts(const std::vector<TraceEvents::Slice>& slices) {
    std::vector<std::string> texts;
    for (const auto& slice : slices) texts.push_back(fmt::format("{} {}-{}", slice.name, slice.from, slice.until));
    return texts;
  }
  using Texts = std::vector<std::string>;

  const std::string path_;
  CoreParams params_;
  isa::Kernel kernel_;
  std::unique_ptr<TraceEventFile> file_;
  std::unique_ptr<TraceScope> scope_;
  std::unique_ptr<CoreSlices> slices_;
};

TEST_F(CoreSlicesTest, AWarpIssuesAndWaits) {
  start();
  record(5, TraceEvent::kWarpInsert, 0, 3);
  waits(5, Wait::kTurn);
  issue(8, 0);
  waits(8, Wait::kExecution, 1);
  waits(15, Wait::kExecution, 1);
  waits(20, Wait::kMechanism, 1);
  issue(22, 1);
  record(40, TraceEvent::kWarpRemove);
  const TraceEvents trace = finish();
  EXPECT_EQ(trace.problems(), Texts());
  EXPECT_EQ(texts(trace.slices()), (Texts{"warp of block 3 5-40", "turn 5-8", "add.u32 8-12", "execution 12-20",
                                          "mechanism 20-22", "ld.global.u32 22-26"}));
  const auto& issued = trace.slices()[2];
  EXPECT_EQ(issued.arguments, TraceEvents::Json::parse(R"({"pc":0,"ptx_line":12,"lanes":4,"mask":"0xf","stack":2})"));
}

// Its successor comes in the same cycle, or while the port is still held for the last one.
TEST_F(CoreSlicesTest, ASlotIsTakenAgain) {
  start();
  record(5, TraceEvent::kWarpInsert, 0, 3);
  issue(8, 0);
  record(10, TraceEvent::kWarpRemove);
  record(10, TraceEvent::kWarpInsert, 0, 4);
  waits(10, Wait::kExecution);
  issue(30, 0);
  const TraceEvents trace = finish();
  EXPECT_EQ(trace.problems(), Texts());
  EXPECT_EQ(texts(trace.slices()), (Texts{"warp of block 3 5-12", "add.u32 8-12", "warp of block 4 12-100",
                                          "execution 12-30", "add.u32 30-34"}));
}

TEST_F(CoreSlicesTest, WhatOverlapsHasAnIdOfItsOwn) {
  start();
  PayloadPool pool;
  auto& request = pool.acquire(tlm::TLM_READ_COMMAND, 0x80, 128);
  issue(8, 1, 0);
  issue(9, 1, 1);
  slices_->sent(request, kStart + 12);
  slices_->completed(instruction(8, 1, 0), kStart + 50);
  issue(50, 1, 2);
  slices_->answered(request, kStart + 60);
  record(61, TraceEvent::kCompact);
  record(64, TraceEvent::kCompacted);
  record(65, TraceEvent::kCompacted, 0, 0, 1);
  slices_->completed(instruction(77, 1, 5), kStart + 90);
  const TraceEvents trace = finish();
  EXPECT_EQ(trace.problems(), Texts());
  EXPECT_EQ(texts(trace.overlapping()),
            (Texts{"load 8-50", "load 9-100", "read request 12-60", "load 50-100", "compaction 61-66"}));
  EXPECT_EQ(trace.overlapping()[4].arguments["warps"], 2);
  request.release();
}

TEST_F(CoreSlicesTest, BlocksAndTheirBarriers) {
  start();
  for (const unsigned block : {4U, 5U}) record(block, TraceEvent::kBlockStart, 0, block);
  record(20, TraceEvent::kBarrierOpen, 0, 4);
  record(30, TraceEvent::kBlockEnd, 0, 4);
  record(31, TraceEvent::kBlockStart, 0, 6);
  record(50, TraceEvent::kBlockEnd, 0, 6);
  record(60, TraceEvent::kBlockEnd, 0, 5);
  const TraceEvents trace = finish();
  EXPECT_EQ(trace.problems(), Texts());
  EXPECT_EQ(texts(trace.slices()), (Texts{"block 4 4-31", "block 5 5-61", "block 6 31-51"}));
  EXPECT_EQ(texts(trace.instants()), (Texts{"barrier opens 20-20"}));
  EXPECT_EQ(trace.slices()[0].thread, trace.slices()[2].thread) << "the first free place";
  EXPECT_EQ(trace.instants()[0].thread, trace.slices()[0].thread);
}

TEST_F(CoreSlicesTest, OnlyWithinTheWindow) {
  start(20, 40);
  record(1, TraceEvent::kBlockStart, 0, 1);
  record(1, TraceEvent::kWarpInsert, 0, 1);
  record(1, TraceEvent::kWarpInsert, 1, 1);
  issue(3, 1);
  waits(7, Wait::kMemory, 1);
  waits(4, Wait::kFetch, 0, 1);
  issue(25, 1);
  waits(25, Wait::kMemory, 1);
  issue(38, 0, 1, 4);
  issue(45, 0);
  record(50, TraceEvent::kWarpRemove);
  slices_->completed(instruction(25, 1), kStart + 60);
  const TraceEvents trace = finish();
  EXPECT_EQ(trace.problems(), Texts());
  EXPECT_EQ(texts(trace.slices()),
            (Texts{"warp of block 1 20-40", "memory 20-25", "ld.global.u32 25-29", "warp of block 1 20-40",
                   "fetch 20-38", "add.u32 38-40", "memory 29-40", "block 1 20-40"}));
  EXPECT_EQ(texts(trace.overlapping()), (Texts{"load 25-40"}));
}

TEST_F(CoreSlicesTest, NothingOfALaunchThatIsNotShown) {
  start();
  scope_->launch_started(kStart, false);
  record(1, TraceEvent::kBlockStart, 0, 1);
  record(1, TraceEvent::kWarpInsert, 0, 1);
  waits(1, Wait::kTurn);
  issue(3, 1);
  record(4, TraceEvent::kCompact);
  record(5, TraceEvent::kBarrierOpen, 0, 1);
  record(50, TraceEvent::kWarpRemove);
  record(50, TraceEvent::kBlockEnd, 0, 1);
  const TraceEvents trace = finish();
  EXPECT_EQ(trace.problems(), Texts());
  EXPECT_TRUE(trace.slices().empty() && trace.overlapping().empty() && trace.instants().empty());
}

}  // namespace core_slices_test
}  // namespace warpfold
