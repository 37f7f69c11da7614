// SPDX-License-Identifier: Apache-2.0
// Write-back alone: results leave at their cycle, those of one cycle in the order in which they came.
#include "tests/core/core_fixture.h"
#include "warpfold/core/operands/write_back.h"

namespace warpfold {
namespace write_back_test {

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
      instruction.gone_on = early;
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

// The register file says when a result is written, and is asked once.
TEST_F(WriteBackTest, AResultThatSharesAPortWaitsForIt) {
  WriteBack sharing("sharing", WritePort::kShared, clock, 2);
  Sink<InstructionProtocol> ports("ports", clock);
  Source<InstructionProtocol> unit("unit", clock), nobody("nobody", clock);
  Sink<InstructionProtocol> freed("freed", clock), committed("committed", clock);
  unit.socket.bind(sharing.simd_socket);
  nobody.socket.bind(sharing.memory_socket);
  sharing.result_socket->bind(ports.socket);
  sharing.release_socket.bind(freed.socket);
  sharing.commit_socket.bind(committed.socket);
  ports.answer = [this](Instruction& instruction, tlm::tlm_phase&) {
    if (instruction.warp == 1 && instruction.result == 0) instruction.done_at = clock.current() + 3;
    instruction.result = Instruction::kNoResult;
    return tlm::TLM_COMPLETED;
  };
  for (divergence::WarpId warp = 1; warp <= 3; ++warp) {
    script.at(0, [this, &unit, warp] {
      Instruction instruction = instruction_of(op, warp, 0);
      instruction.done_at = warp < 3 ? 5 : 8;
      instruction.result = 0;
      unit.send(instruction);
    });
  }
  run(8);
  EXPECT_FALSE(sharing.idle());
  run(20);
  ASSERT_EQ(freed.seen.size(), 3u);
  EXPECT_EQ(freed.seen[0].payload.warp, 2u);
  EXPECT_EQ(freed.seen[0].at, 5u);
  EXPECT_EQ(freed.seen[1].payload.warp, 1u) << "in the order of arrival, with the third";
  EXPECT_EQ(freed.seen[1].at, 8u);
  EXPECT_EQ(freed.seen[2].payload.warp, 3u);
  EXPECT_EQ(committed.seen.size(), 3u);
  EXPECT_TRUE(sharing.idle());
}

}  // namespace write_back_test
}  // namespace warpfold
