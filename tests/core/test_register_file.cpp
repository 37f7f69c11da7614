// SPDX-License-Identifier: Apache-2.0
// The register file alone: read cycles added by bank conflicts, and the way to the unit.
#include "tests/core/core_fixture.h"
#include "warpfold/core/register_file.h"

namespace warpfold {
namespace {

class RegisterFileTest : public CoreTest {
 protected:
  RegisterFileTest() {
    source.socket.bind(file.issue_socket);
    file.simd_socket.bind(simd.socket);
    file.memory_socket.bind(memory.socket);
  }
  // A kernel of one instruction per list of words read; 16 registers, 4 predicates.
  void load(std::vector<std::vector<isa::Word>> reads, isa::Kind kind = isa::Kind::kCompute) {
    kernel.registers = 16;
    kernel.predicates = 4;
    for (const auto& words : reads) {
      kernel.ops.emplace_back().kind = kind;
      kernel.ops.back().reads = words;
    }
    file.kernel_started(kernel);
  }
  tlm::tlm_sync_enum send(isa::Pc pc) {
    run(1);
    Instruction instruction = instruction_of(kernel.ops[pc], 0, 0);
    instruction.pc = pc;
    return source.send(instruction);
  }
  unsigned extra(isa::Pc pc) {
    send(pc);
    return simd.seen.back().payload.operand_cycles;
  }

  isa::Kernel kernel;
  RegisterFile file{"file", params, stats};  // 4 banks
  Source<InstructionProtocol> source{"source", clock};
  Sink<InstructionProtocol> simd{"simd", clock}, memory{"memory", clock};
};

TEST_F(RegisterFileTest, OneReadPerBankAndCycle) {
  load({{}, {0, 1, 2, 3}, {1, 2, 7}, {0, 4, 8}, {3, 6, 7}, {0, 1, 4, 5}});
  EXPECT_EQ(extra(0), 0u);
  EXPECT_EQ(extra(1), 0u) << "four banks";
  EXPECT_EQ(extra(2), 0u) << "banks 1, 2, 3";
  EXPECT_EQ(extra(3), 2u) << "three registers of bank 0";
  EXPECT_EQ(extra(4), 1u) << "3 and 7 in bank 3";
  EXPECT_EQ(extra(5), 1u) << "two doubles, two banks with two reads each, side by side";
  EXPECT_EQ(stat("register_bank_conflicts"), 2u + 1 + 1);
}

TEST_F(RegisterFileTest, PredicatesAreNotInTheBanks) {
  load({{0, 16}, {16, 17}});  // word 16 is predicate 0
  EXPECT_EQ(extra(0), 0u);
  EXPECT_EQ(extra(1), 0u);
}

TEST_F(RegisterFileTest, MemoryInstructionsGoToTheLoadStoreUnitAndItsNewsComesBack) {
  load({{0, 4}}, isa::Kind::kStore);
  memory.answer = [](Instruction&, tlm::tlm_phase&) { return tlm::TLM_ACCEPTED; };
  EXPECT_EQ(send(0), tlm::TLM_ACCEPTED) << "the unit's answer is the register file's";
  EXPECT_TRUE(simd.seen.empty());
  ASSERT_EQ(memory.seen.size(), 1u);
  EXPECT_EQ(memory.seen[0].payload.operand_cycles, 1u);
  Instruction nobody;
  memory.send_back(nobody, tlm::END_REQ);
  ASSERT_EQ(source.called.size(), 1u);
  EXPECT_EQ(source.called[0].phase, tlm::END_REQ);
}

TEST_F(RegisterFileTest, ANewKernelHasItsOwnConflicts) {
  load({{0, 4, 8}});
  kernel.ops[0].reads = {0};
  file.kernel_started(kernel);
  EXPECT_EQ(extra(0), 0u);
}

}  // namespace
}  // namespace warpfold
