// SPDX-License-Identifier: Apache-2.0
// The SIMD units alone: for how long an instruction holds its unit and when its result is written.
#include "tests/core/core_fixture.h"
#include "warpfold/core/operands/simd_units.h"

namespace warpfold {
namespace simd_units_test {

// An 8-wide ALU of 21 cycles, 2 special function units of 25, one double precision unit of 30.
class SimdUnitsTest : public CoreTest {
 protected:
  explicit SimdUnitsTest(divergence::Packing kind = divergence::Packing::kNone) : packing(kind) {
    params.fp64_latency_cycles = 30;
  }
  // An instruction issued at cycle 100, as its unit fills it in.
  Instruction send(isa::Unit unit, unsigned width, isa::LaneMask active) {
    isa::MicroOp op;
    op.unit = unit;
    Instruction instruction = instruction_of(op, 3, 100);
    instruction.width = width;
    instruction.active = instruction.executed = active;
    simd.enter(instruction);
    return instruction;
  }
  void expect(isa::Unit unit, unsigned width, unsigned hold, Cycle done_at) {
    const Instruction got = send(unit, width, 1);
    EXPECT_EQ(got.hold_cycles, hold);
    EXPECT_EQ(got.done_at, done_at);
  }

  divergence::LanePacking packing;  // as the core has it
  SimdUnits simd{params, packing, stats};
};

// hold = width / unit width; done = issue + latency + hold - 1.
TEST_F(SimdUnitsTest, Alu) {
  expect(isa::Unit::kAlu, 32, 4, 100 + 21 + 3);
  expect(isa::Unit::kAlu, 64, 8, 100 + 21 + 7);
  expect(isa::Unit::kAlu, 16, 2, 100 + 21 + 1);
  expect(isa::Unit::kAlu, 8, 1, 100 + 21);
  expect(isa::Unit::kAlu, 4, 1, 100 + 21);
  expect(isa::Unit::kControl, 32, 4, 100 + 21 + 3);
  EXPECT_EQ(stat("sfu_instructions"), 0u);
}

TEST_F(SimdUnitsTest, SpecialFunctions) {
  expect(isa::Unit::kSfu, 32, 16, 100 + 25 + 15);
  expect(isa::Unit::kSfu, 16, 8, 100 + 25 + 7);
  EXPECT_EQ(stat("sfu_instructions"), 2u);
  EXPECT_EQ(stat("fp64_instructions"), 0u);
}

TEST_F(SimdUnitsTest, DoublePrecision) {
  expect(isa::Unit::kFp64, 32, 32, 100 + 30 + 31);
  expect(isa::Unit::kFp64, 64, 64, 100 + 30 + 63);
  EXPECT_EQ(stat("fp64_instructions"), 2u);
}

// Where a machine tells operations of a unit apart: latency and interval of their own, lanes as ever.
TEST_F(SimdUnitsTest, OperationsWithTimesOfTheirOwn) {
  params.operations.int_mul = {OperationUnit::kOwn, 40, 10};
  params.operations.int_add.interval_cycles = 3;
  isa::MicroOp op;
  const auto times = [&](isa::Operation operation) {
    op.operation = operation;
    Instruction instruction = instruction_of(op, 3, 100);
    simd.enter(instruction);
    EXPECT_EQ(instruction.port_cycles, 4u) << "others may follow";
    return std::pair{instruction.hold_cycles, instruction.done_at - 100};
  };
  EXPECT_EQ(times(isa::Operation::kIntMul), (std::pair{10u, Cycle{40 + 3}}));
  EXPECT_EQ(times(isa::Operation::kIntAdd), (std::pair{4u, Cycle{21 + 3}})) << "longer than its interval";
  EXPECT_EQ(times(isa::Operation::kOther), (std::pair{4u, Cycle{21 + 3}}));
}

TEST_F(SimdUnitsTest, AnOperationInAnotherUnitTakesThatUnitsLanesAndLatency) {
  params.operations.dp_add.unit = OperationUnit::kSfu;
  params.operations.special.unit = OperationUnit::kSimd;
  isa::MicroOp op;
  op.unit = isa::Unit::kFp64;
  op.operation = isa::Operation::kDpAdd;
  Instruction addition = instruction_of(op, 3, 100);
  simd.enter(addition);
  EXPECT_EQ(addition.hold_cycles, 16u);
  EXPECT_EQ(addition.done_at, 100u + 25 + 15);
  op.unit = isa::Unit::kSfu;
  op.operation = isa::Operation::kSpecial;
  Instruction root = instruction_of(op, 3, 100);
  simd.enter(root);
  EXPECT_EQ(root.hold_cycles, 4u);
  EXPECT_EQ(root.done_at, 100u + 21 + 3);
  EXPECT_EQ(stat("sfu_instructions"), 1u);
  EXPECT_EQ(stat("fp64_instructions"), 0u);
}

TEST_F(SimdUnitsTest, APortWiderThanItsUnitsIsFreeSooner) {
  params.issue_width = 32;
  const Instruction got = send(isa::Unit::kAlu, 32, 0xffff'ffff);
  EXPECT_EQ(got.port_cycles, 1u);
  EXPECT_EQ(got.hold_cycles, 4u);
  EXPECT_EQ(got.done_at, 100u + 21 + 3);
}

// A unit of its own width packs lanes its own way, and the port is held as the ALU would hold it.
class PackedUnitsTest : public SimdUnitsTest {
 protected:
  PackedUnitsTest() : SimdUnitsTest(divergence::Packing::kScc) {}
  void expect_packed(isa::Unit unit, isa::LaneMask active, unsigned hold, unsigned port) {
    const Instruction got = send(unit, 32, active);
    EXPECT_EQ(got.hold_cycles, hold);
    EXPECT_EQ(got.port_cycles, port);
  }
};

TEST_F(PackedUnitsTest, EveryUnitByItsWidth) {
  expect_packed(isa::Unit::kAlu, 0x8421'8421, 1, 1);
  expect_packed(isa::Unit::kAlu, 0xffff'0001, 3, 3);
  expect_packed(isa::Unit::kSfu, 0x8421'8421, 4, 1);
  expect_packed(isa::Unit::kFp64, 0x8421'8421, 8, 1);
}

TEST_F(PackedUnitsTest, TypesRegroupLanes) {
  params.lanes_by_type = true;
  isa::MicroOp op;
  op.bits = 64;
  Instruction instruction = instruction_of(op, 3, 100);
  instruction.width = 32;
  instruction.active = instruction.executed = 0xffff;
  simd.enter(instruction);
  EXPECT_EQ(instruction.hold_cycles, 4u) << "16 lanes of 64 bits, four a cycle";
  EXPECT_EQ(instruction.port_cycles, 4u);
}

// The lanes' packing decides, and nothing else.
class OneCycle : public divergence::LanePacking {
 public:
  unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const override {
    EXPECT_EQ(mask, 0xf0u);
    EXPECT_EQ(width, 32u);
    EXPECT_EQ(unit_width, 8u);
    return 1;
  }
};

TEST_F(CoreTest, TheHoldIsThePackingsAnswer) {
  const OneCycle packing;
  SimdUnits simd(params, packing, stats);
  const isa::MicroOp op;
  Instruction instruction = instruction_of(op, 0, 0);
  instruction.active = 0xff;
  instruction.executed = 0xf0;
  simd.enter(instruction);
  EXPECT_EQ(instruction.hold_cycles, 1u);
  EXPECT_EQ(instruction.done_at, 21u);
}

}  // namespace simd_units_test
}  // namespace warpfold
