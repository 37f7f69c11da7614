// SPDX-License-Identifier: Apache-2.0
// The register file alone: read cycles added by bank conflicts, collectors, results that share a port, and the way to
// the unit.
#include <optional>

#include "tests/core/core_fixture.h"
#include "warpfold/core/operands/register_file.h"

namespace warpfold {
namespace register_file_test {

using Words = std::vector<isa::Word>;

class RegisterFileTest : public CoreTest {
 protected:
  isa::MicroOp& op(Words reads, Words writes = {}, isa::Kind kind = isa::Kind::kCompute) {
    isa::MicroOp& added = kernel.ops.emplace_back();
    added.kind = kind;
    added.reads = std::move(reads);
    added.writes = std::move(writes);
    return added;
  }
  // After parameters and kernel are set: 16 registers, 4 predicates.
  void start() {
    kernel.registers = 16;
    kernel.predicates = 4;
    file.emplace("file", params, clock, 1, stats);
    source.socket.bind(file->issue_socket);
    file->simd_socket.bind(simd.socket);
    file->memory_socket.bind(memory.socket);
    if (file->result_socket != nullptr) {
      results.emplace("results", clock);
      results->socket.bind(*file->result_socket);
    }
    file->kernel_started(kernel);
    run(1);
  }
  Instruction send(isa::Pc pc, divergence::WarpId warp = 0, unsigned row = 0) {
    const auto threads = divergence::Warp::of_row(pc, static_cast<std::uint16_t>(row), 0xffff'ffff);
    Instruction instruction = instruction_of(kernel.ops[pc], warp, clock.current());
    instruction.pc = pc;
    instruction.done_at = instruction.issued_at + 20;
    instruction.threads = &threads;
    instruction.unit = unit;
    instruction.beside = beside;
    answer = source.send(instruction);
    return instruction;
  }
  unsigned waits(isa::Pc pc, divergence::WarpId warp = 0, unsigned row = 0) {
    return send(pc, warp, row).operand_cycles;
  }
  // Its result is there: how long it waits to be written.
  Cycle written_after(Instruction& instruction) {
    results->send(instruction);
    return instruction.done_at - clock.current();
  }

  isa::Kernel kernel;
  std::optional<RegisterFile> file;  // 4 banks
  Source<InstructionProtocol> source{"source", clock};
  Sink<InstructionProtocol> simd{"simd", clock}, memory{"memory", clock};
  std::optional<Source<InstructionProtocol>> results;  // from write-back
  tlm::tlm_sync_enum answer = tlm::TLM_COMPLETED;
  unsigned unit = 0;
  bool beside = false;
};

TEST_F(RegisterFileTest, OneReadPerBankAndCycle) {
  const std::vector<Words> reads{{}, {0, 1, 2, 3}, {1, 2, 7}, {0, 4, 8}, {3, 6, 7}, {0, 1, 4, 5}};
  const std::vector<unsigned> delays{0, 0, 0, 2, 1, 1};  // the last: two doubles, two banks with two reads each
  for (const Words& words : reads) op(words);
  start();
  for (isa::Pc pc = 0; pc < reads.size(); ++pc) {
    EXPECT_EQ(waits(pc), delays[pc]) << pc;
    EXPECT_EQ(simd.seen.back().payload.operand_cycles, delays[pc]);
    EXPECT_EQ(simd.seen.back().payload.done_at, clock.current() + 20 + delays[pc]);
    run(10);
  }
  EXPECT_EQ(stat("register_bank_conflicts"), 2u + 1 + 1);
  EXPECT_EQ(stat("register_reads"), 32u * (4 + 3 + 3 + 3 + 4));
}

// The second has its operands first; a unit takes an instruction a cycle, those that issued to it in their order.
TEST_F(RegisterFileTest, AUnitIsEnteredInTurn) {
  op({0, 4, 8});
  op({1});
  start();
  const Cycle issued = clock.current();
  EXPECT_EQ(send(0).operand_cycles, 2u);
  run(1);
  EXPECT_EQ(send(1).operand_cycles, 0u);
  EXPECT_EQ(simd.seen[0].payload.done_at, issued + 20 + 2);
  EXPECT_EQ(simd.seen[1].payload.done_at, issued + 20 + 3);
  run(10);
  send(1);
  EXPECT_EQ(simd.seen.back().payload.done_at, clock.current() + 20);  // nobody is before it
}

// Lanes of their own: each enters with its operands, and whoever comes next waits for the last of them.
TEST_F(RegisterFileTest, PartsOfACycleEnterTheirUnitTogether) {
  op({0, 4, 8});
  op({1});
  start();
  const Cycle issued = clock.current();
  send(0);
  beside = true;
  EXPECT_EQ(send(1, 1).operand_cycles, 0u);
  EXPECT_EQ(simd.seen[0].payload.done_at, issued + 20 + 2);
  EXPECT_EQ(simd.seen[1].payload.done_at, issued + 20);
  beside = false;
  run(1);
  send(1, 2, 2);
  EXPECT_EQ(simd.seen[2].payload.done_at, issued + 20 + 3) << "behind the first, which is there last";
}

TEST_F(RegisterFileTest, PartsWaitForWhoWasThereBefore) {
  op({0, 4, 8});
  op({1});
  start();
  const Cycle issued = clock.current();
  send(0);
  run(1);
  send(1, 1);
  beside = true;
  send(1, 2, 2);
  EXPECT_EQ(simd.seen[1].payload.done_at, issued + 20 + 3);
  EXPECT_EQ(simd.seen[2].payload.done_at, issued + 20 + 3) << "at the same time";
}

TEST_F(RegisterFileTest, UnitsDoNotWaitForEachOther) {
  op({0, 4, 8});
  op({1});
  start();
  send(0);
  run(1);
  unit = 1;
  send(1);
  EXPECT_EQ(simd.seen.back().payload.done_at, clock.current() + 20);
}

TEST_F(RegisterFileTest, PredicatesAreNotInTheBanks) {
  op({0, 16}, {17});  // word 16 is predicate 0
  op({16, 17}, {3});
  start();
  EXPECT_EQ(waits(0), 0u);
  EXPECT_EQ(waits(1), 0u);
  EXPECT_EQ(stat("register_reads"), 32u);
  EXPECT_EQ(stat("register_writes"), 32u);
}

TEST_F(RegisterFileTest, MemoryInstructionsGoToTheLoadStoreUnitAndItsNewsComesBack) {
  op({0, 4}, {}, isa::Kind::kStore);
  start();
  memory.answer = [](Instruction&, tlm::tlm_phase&) { return tlm::TLM_ACCEPTED; };
  send(0);
  EXPECT_EQ(answer, tlm::TLM_ACCEPTED) << "the unit's answer is the register file's";
  EXPECT_TRUE(simd.seen.empty());
  ASSERT_EQ(memory.seen.size(), 1u);
  EXPECT_EQ(memory.seen[0].payload.operand_cycles, 1u);
  Instruction nobody;
  memory.send_back(nobody, tlm::END_REQ);
  ASSERT_EQ(source.called.size(), 1u);
  EXPECT_EQ(source.called[0].phase, tlm::END_REQ);
}

TEST_F(RegisterFileTest, ANewKernelHasItsOwnConflicts) {
  op({0, 4, 8});
  start();
  EXPECT_EQ(waits(0), 2u);
  run(10);
  kernel.ops[0].reads = {0};
  file->kernel_started(kernel);
  EXPECT_EQ(waits(0), 0u);
}

TEST_F(RegisterFileTest, InstructionsMeetInTheBanks) {
  op({0, 4});
  op({1});
  start();
  EXPECT_EQ(waits(0), 1u);
  run(1);
  EXPECT_EQ(waits(0), 2u) << "behind the second read of the one before";
  EXPECT_EQ(waits(1), 0u) << "another bank";
  EXPECT_EQ(waits(1, 0, 3), 3u) << "bank 0, with the row";
  EXPECT_EQ(stat("register_bank_conflicts"), 1u + 2 + 3);
}

TEST_F(RegisterFileTest, SchedulersHaveFilesOfTheirOwn) {
  params.schedulers = 2;
  op({0});
  start();
  EXPECT_EQ(waits(0, 0), 0u);
  EXPECT_EQ(waits(0, 1), 0u);
  EXPECT_EQ(waits(0, 2), 1u) << "the first one's";
}

TEST_F(RegisterFileTest, OrShareTheCores) {
  params.schedulers = 2;
  params.register_file.per = RegisterFilePer::kCore;
  op({0});
  start();
  EXPECT_EQ(waits(0, 0), 0u);
  EXPECT_EQ(waits(0, 1), 1u);
}

// --- Collectors ---

TEST_F(RegisterFileTest, AnInstructionHoldsACollectorWhileItReads) {
  params.register_file.collectors = 2;
  op({0, 4, 8});
  op({1});
  start();
  EXPECT_FALSE(send(0).takes_last_collector) << "until cycle 4";
  unit = 1;
  EXPECT_TRUE(send(1).takes_last_collector) << "until cycle 2";
  run(1);
  EXPECT_TRUE(source.called.empty());
  run(1);
  ASSERT_EQ(source.called.size(), 1u);
  EXPECT_EQ(source.called[0].at, 2u);
  EXPECT_EQ(source.called[0].phase, tlm::END_REQ);
  EXPECT_TRUE(send(1).takes_last_collector);
  run(10);
  ASSERT_EQ(source.called.size(), 2u) << "says it once";
  EXPECT_EQ(source.called[1].at, 4u) << "both of them";
  EXPECT_FALSE(send(1).takes_last_collector);
}

TEST_F(RegisterFileTest, AnInstructionHoldsItsCollectorUntilItsUnitTakesIt) {
  params.register_file.collectors = 2;
  op({0, 4, 8});
  op({1});
  start();
  const Cycle issued = clock.current();
  send(0);  // enters after 2 cycles
  EXPECT_TRUE(send(1).takes_last_collector) << "the same unit, a cycle later";
  run(10);
  ASSERT_EQ(source.called.size(), 1u);
  EXPECT_EQ(source.called[0].at, issued + 3);
}

TEST_F(RegisterFileTest, ASchedulerWaitsForItsOwnCollectors) {
  params.schedulers = 2;
  params.register_file.collectors = 1;
  op({0, 4, 8});
  start();
  EXPECT_TRUE(send(0, 2).takes_last_collector);
  run(1);
  EXPECT_TRUE(send(0, 1).takes_last_collector);
  std::vector<divergence::WarpId> schedulers;
  source.on_call = [&] { schedulers.push_back(source.last.warp); };
  run(10);
  EXPECT_EQ(schedulers, (std::vector<divergence::WarpId>{0, 1}));
  ASSERT_EQ(source.called.size(), 2u);
  EXPECT_EQ(source.called[0].at, 4u) << "three reads, from cycle 1 on";
  EXPECT_EQ(source.called[1].at, 5u);
  EXPECT_EQ(stat("register_collector_waits"), 2u + 2) << "each in the two cycles behind its issue";
}

TEST_F(RegisterFileTest, WithoutACollectorNothingMayIssue) {
  params.register_file.collectors = 1;
  op({0, 4});
  start();
  send(0);
  EXPECT_THROW(send(0), InternalError);
}

TEST_F(RegisterFileTest, WithoutALimitItNeverTicks) {
  op({0, 4, 8});
  start();
  for (unsigned i = 0; i < 20; ++i) EXPECT_FALSE(send(0).takes_last_collector);
  run(200);
  EXPECT_TRUE(source.called.empty());
}

// --- Results ---

TEST_F(RegisterFileTest, ResultsHavePortsOfTheirOwn) {
  op({0}, {0});
  start();
  EXPECT_EQ(file->result_socket, nullptr);
  EXPECT_EQ(send(0).result, Instruction::kNoResult);
}

// Intra-warp §4.3: a single-ported file takes four cycles for three reads and a write.
TEST_F(RegisterFileTest, ASinglePortTakesFourCyclesForThreeReadsAndAWrite) {
  params.register_banks = 1;
  params.register_file.write_port = WritePort::kShared;
  op({1, 2, 3}, {0});
  start();
  Instruction first = send(0);
  EXPECT_EQ(first.operand_cycles, 2u) << "cycles 2, 3 and 4";
  run(4);
  EXPECT_EQ(written_after(first), 0u) << "cycle 5";
  Instruction second = send(0);
  EXPECT_EQ(second.operand_cycles, 2u) << "cycles 6, 7 and 8";
  run(1);
  EXPECT_EQ(written_after(second), 3u) << "the port is free in cycle 9";
  EXPECT_EQ(waits(0), 5u) << "asked for in cycle 6, read in 10, 11 and 12";
  EXPECT_EQ(stat("register_result_waits"), 3u);
}

TEST_F(RegisterFileTest, AResultGoesWhereItsThreadsWereAtIssue) {
  params.register_file.write_port = WritePort::kShared;
  op({}, {0});
  op({2});
  start();
  Instruction to_row_2 = send(0, 0, 2), to_row_3 = send(0, 0, 3);
  EXPECT_EQ(waits(1), 0u) << "bank 2";
  run(1);
  EXPECT_EQ(written_after(to_row_2), 1u) << "bank 2 too";
  EXPECT_EQ(written_after(to_row_3), 0u) << "bank 3";
  EXPECT_EQ(written_after(to_row_3), 0u) << "once";
}

// Lanes of a load that have their data are written by themselves, and nothing of the load is written before them.
TEST_F(RegisterFileTest, PartsOfALoadAskForTheirWrite) {
  params.register_file.write_port = WritePort::kShared;
  op({}, {0});
  op({4});  // the same bank
  start();
  Instruction load = send(0), part = load;
  part.partly = true;
  part.executed = 0xf;
  EXPECT_EQ(waits(1), 0u);
  run(1);
  EXPECT_EQ(written_after(part), 1u) << "behind the operand";
  EXPECT_EQ(part.result, Instruction::kNoResult) << "asks once";
  EXPECT_EQ(written_after(load), 1u) << "other lanes of the bank";
  EXPECT_NO_THROW(file->kernel_started(kernel));
}

TEST_F(RegisterFileTest, WhatExecutesNowhereWritesNothing) {
  params.register_file.write_port = WritePort::kShared;
  op({0}, {0});
  start();
  const auto threads = divergence::Warp::of_row(0, 0, 0xf);
  Instruction guarded_off = instruction_of(kernel.ops[0], 0, clock.current());
  guarded_off.active = 0xf;
  guarded_off.executed = 0;
  guarded_off.threads = &threads;
  source.send(guarded_off);
  EXPECT_EQ(guarded_off.result, Instruction::kNoResult);
  EXPECT_EQ(stat("register_reads"), 4u) << "its operands are read, its guard with them";
  EXPECT_EQ(stat("register_writes"), 0u);
}

TEST_F(RegisterFileTest, NoResultIsLostBetweenKernels) {
  params.register_file.write_port = WritePort::kShared;
  op({0}, {0});
  start();
  Instruction instruction = send(0);
  EXPECT_THROW(file->kernel_started(kernel), InternalError);
  written_after(instruction);
  EXPECT_NO_THROW(file->kernel_started(kernel));
}

}  // namespace register_file_test
}  // namespace warpfold
