// SPDX-License-Identifier: Apache-2.0
// Write-back alone: results leave at their cycle, those of one cycle in the order in which they came.
#include "tests/core/core_fixture.h"
#include "warpfold/core/write_back.h"

namespace warpfold {
namespace {

class WriteBackTest : public CoreTest {
 protected:
  WriteBackTest() {
    simd.socket.bind(write_back.simd_socket);
    memory.socket.bind(write_back.memory_socket);
    write_back.release_socket.bind(release.socket);
    write_back.commit_socket.bind(commit.socket);
    release.answer = [this](Instruction& instruction, tlm::tlm_phase&) {
      order.push_back('r');
      EXPECT_EQ(instruction.outcome, nullptr) << "the issue stage has reused it long since";
      return tlm::TLM_COMPLETED;
    };
    commit.answer = [this](Instruction&, tlm::tlm_phase&) {
      order.push_back('c');
      return tlm::TLM_COMPLETED;
    };
  }
  void send_at(Cycle now, Source<InstructionProtocol>& from, divergence::WarpId warp, Cycle done_at,
               bool early = false) {
    script.at(now, [this, &from, warp, done_at, early] {
      Instruction instruction = instruction_of(op, warp, 0);
      instruction.done_at = done_at;
      instruction.advances_at_issue = early;
      instruction.outcome = &outcome;
      from.send(instruction);
    });
  }
  std::vector<std::pair<Cycle, divergence::WarpId>> released() const {
    std::vector<std::pair<Cycle, divergence::WarpId>> list;
    for (const auto& [at, instruction] : release.seen) list.emplace_back(at, instruction.warp);
    return list;
  }
  using List = std::vector<std::pair<Cycle, divergence::WarpId>>;

  isa::MicroOp op;
  isa::Outcome outcome;
  Script script{"script", clock, 0};
  WriteBack write_back{"write_back", WritePort::kOwn, clock, 1};
  Source<InstructionProtocol> simd{"simd", clock}, memory{"memory", clock};
  Sink<InstructionProtocol> release{"release", clock}, commit{"commit", clock};
  std::string order;
};

TEST_F(WriteBackTest, InTheOrderOfCompletion) {
  send_at(0, simd, 1, 30);
  send_at(1, simd, 2, 10);
  send_at(2, memory, 3, 20);
  run(10);
  EXPECT_TRUE(release.seen.empty()) << "not before cycle 10";
  EXPECT_FALSE(write_back.idle());
  run(1);
  EXPECT_EQ(released(), (List{{10, 2}}));
  run(40);
  EXPECT_EQ(released(), (List{{10, 2}, {20, 3}, {30, 1}}));
  EXPECT_TRUE(write_back.idle());
  EXPECT_EQ(write_back.last_written(), 30u);
}

TEST_F(WriteBackTest, TiesInTheOrderOfArrival) {
  for (divergence::WarpId warp = 0; warp < 20; ++warp) send_at(warp, warp % 2 ? simd : memory, warp, 50);
  run(60);
  ASSERT_EQ(release.seen.size(), 20u);
  for (divergence::WarpId warp = 0; warp < 20; ++warp) {
    EXPECT_EQ(release.seen[warp].at, 50u);
    EXPECT_EQ(release.seen[warp].payload.warp, warp);
  }
}

TEST_F(WriteBackTest, RegistersAreFreedBeforeTheWarpGoesOn) {
  send_at(0, simd, 1, 5);
  send_at(0, simd, 2, 5);
  run(10);
  EXPECT_EQ(order, "rcrc");
}

TEST_F(WriteBackTest, WhatWentOnAtIssueIsNotCommittedAgain) {
  send_at(0, simd, 1, 5, true);
  run(10);
  EXPECT_EQ(order, "r");
}

// The box is in front of the write-back in the edge's order: what it sends for this cycle is written in it.
TEST_F(WriteBackTest, AResultDueAtOnceIsWrittenInTheSameCycle) {
  send_at(7, memory, 4, 7);
  run(20);
  EXPECT_EQ(released(), (List{{7, 4}}));
}

}  // namespace
}  // namespace warpfold
