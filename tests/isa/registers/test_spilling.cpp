// SPDX-License-Identifier: Apache-2.0
// Spill code: loads and stores counted by hand, what is chosen, what it computes, and what cannot be spilled.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace spilling_test {

DecodeOptions capped(unsigned registers, unsigned address_bits = 64) {
  return {.address_bits = address_bits, .registers = {.per_thread = registers}};
}

std::string with_output(const std::string& body) {
  return with_header(
      ".visible .global .align 8 .b8 out[512];\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n"
      ".reg .b64 %rd<16>;\n" +
      body + "\nret;\n}\n");
}

// %r1 … %r4 are needed together, then added up one after the other: four words, each written and read once.
const char* const kFour =
    "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 10;\nmul.lo.u32 %r3, %r1, 3;\nxor.b32 %r4, %r3, 5;\n"
    "add.u32 %r5, %r4, %r3;\nadd.u32 %r5, %r5, %r2;\nadd.u32 %r5, %r5, %r1;\nst.global.u32 [out+4], %r5;";

TEST(Spilling, NothingBelowTheCap) {
  PtxFixture fixture(with_output(kFour), capped(4));
  EXPECT_EQ(fixture.kernel().registers, 4U);
  EXPECT_EQ(fixture.kernel().ops.size(), 9U);
  EXPECT_EQ(fixture.kernel().spill_loads + fixture.kernel().spill_stores + fixture.kernel().local_bytes, 0U);
}

// One word too many at the write of %r4: %r2, of two touches, goes: a store behind its write, a load before its read.
TEST(Spilling, OneValueIsStoredOnceAndLoadedOnce) {
  PtxFixture fixture(with_output(kFour), capped(3));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.registers, 3U);
  EXPECT_EQ(kernel.spill_stores, 1U);
  EXPECT_EQ(kernel.spill_loads, 1U);
  EXPECT_EQ(kernel.spill_bytes, 4U);
  EXPECT_EQ(kernel.local_bytes, 4U);
  ASSERT_EQ(kernel.ops.size(), 11U);
  const MicroOp &store = kernel.ops[2], &load = kernel.ops[6];
  EXPECT_TRUE(store.spill && load.spill);
  EXPECT_EQ(store.kind, Kind::kStore);
  EXPECT_EQ(store.space, Space::kLocal);
  EXPECT_EQ(store.base, kNoWord);
  EXPECT_EQ(load.kind, Kind::kLoad);
  EXPECT_EQ(load.offset, store.offset);
  EXPECT_EQ(load.line, kernel.ops[7].line) << "it belongs to the instruction that it serves";
  EXPECT_EQ(kernel.opcodes[load.text], "ld.local.b32 (spill code)");
}

TEST(Spilling, ResultsAreTheSame) {
  for (const unsigned cap : {4U, 3U, 2U}) {
    PtxFixture fixture(with_output(kFour), capped(cap));
    EXPECT_LE(fixture.kernel().registers, cap);
    fixture.run(7);  // the last thread's stay: 6, 16, 18, 23
    EXPECT_EQ(fixture.read<std::uint32_t>("out", 1), 63U) << cap;
  }
}

// The slots lie behind the kernel's own local memory, and a pair takes an aligned one of eight bytes.
TEST(Spilling, PairsTakeTwoWordsBehindLocalVariables) {
  PtxFixture fixture(with_output(".local .align 4 .b8 own[12];\nmov.u64 %rd1, 4294967298;\nmov.u64 %rd2, out;\n"
                                 "ld.global.u64 %rd3, [%rd2];\nst.local.u32 [own], 7;\nadd.s64 %rd4, %rd3, %rd2;\n"
                                 "st.global.u64 [%rd2], %rd4;\nst.global.u64 [%rd2+8], %rd1;"),
                     capped(4));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.registers, 4U);
  EXPECT_EQ(kernel.local_bytes, 24U);
  EXPECT_EQ(kernel.spill_bytes, 12U) << "with the gap before the slot";
  fixture.run(1);
  EXPECT_EQ(fixture.read<std::uint64_t>("out", 1), 4294967298U);
}

// %r1 is read in a loop, %r2 and %r3 only behind it: they go, although %r1 has as few instructions.
TEST(Spilling, LoopsKeepTheirRegisters) {
  PtxFixture fixture(
      with_output("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %nctaid.x;\nmov.u32 %r4, 0;\n"
                  "LOOP:\nadd.u32 %r4, %r4, %r1;\nsetp.lt.u32 %p1, %r4, 100;\n@%p1 bra LOOP;\n"
                  "add.u32 %r4, %r4, %r2;\nadd.u32 %r4, %r4, %r3;\nst.global.u32 [out], %r4;"),
      capped(2));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.registers, 2U);
  EXPECT_EQ(kernel.spill_stores, 2U);
  EXPECT_EQ(kernel.spill_loads, 2U);
  const auto branch =
      std::find_if(kernel.ops.begin(), kernel.ops.end(), [](const MicroOp& op) { return op.kind == Kind::kBranch; });
  EXPECT_TRUE(std::none_of(kernel.ops.begin() + branch->target, branch, [](const MicroOp& op) { return op.spill; }));
}

// Where the guard does not hold, the old value comes back from memory.
TEST(Spilling, GuardedWritesKeepTheOldValue) {
  PtxFixture fixture(
      with_output("mov.u32 %r1, 5;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\nsetp.eq.u32 %p1, %r2, 0;\n"
                  "@%p1 mov.u32 %r1, 8;\nadd.u32 %r4, %r2, %r3;\nadd.u32 %r4, %r4, %r2;\n"
                  "mul.lo.u32 %r4, %r4, %r3;\nadd.u32 %r4, %r4, %r1;\nshl.b32 %r2, %r2, 2;\n"
                  "cvt.u64.u32 %rd1, %r2;\nadd.s64 %rd1, %rd1, out;\nst.global.u32 [%rd1], %r4;"),
      capped(3, 32));
  EXPECT_EQ(fixture.kernel().spill_stores, 2U);
  EXPECT_EQ(fixture.kernel().spill_loads, 2U);
  fixture.run(2);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 0), 12U) << "(0 + 2 + 0) * 2 + 8";
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 1), 13U) << "(1 + 2 + 1) * 2 + 5";
}

// Branch targets and reconvergence points move with the code they name: to the loads of the instruction there.
TEST(Spilling, BranchesGoToTheLoads) {
  PtxFixture fixture(
      with_output("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %nctaid.x;\n"
                  "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra JOIN;\nadd.u32 %r1, %r1, 1;\nmul.lo.u32 %r1, %r1, %r1;\n"
                  "JOIN:\nadd.u32 %r4, %r2, %r3;\nadd.u32 %r4, %r4, %r1;\nst.global.u32 [out], %r4;"),
      capped(2));
  const Kernel& kernel = fixture.kernel();
  const auto branch =
      std::find_if(kernel.ops.begin(), kernel.ops.end(), [](const MicroOp& op) { return op.kind == Kind::kBranch; });
  EXPECT_EQ(branch->reconvergence, branch->target);
  EXPECT_TRUE(kernel.ops[branch->target].spill);
  EXPECT_LT(kernel.ops[branch->target - 1].line, kernel.ops[branch->target].line);
  EXPECT_TRUE(branch->may_diverge);
  fixture.run(3);
  EXPECT_EQ(fixture.read<std::uint32_t>("out"), 3U + 1U + 9U);
}

// A low word alone goes through memory, four bytes; the value's high word is as it was, so that -8 stays -8.
TEST(Spilling, AddressesSpillTheirLowWord) {
  const std::string body =
      "mov.u64 %rd1, out;\nmov.s32 %r1, -8;\ncvt.s64.s32 %rd2, %r1;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ntid.x;\n"
      "add.u32 %r4, %r2, %r3;\nmul.lo.u32 %r4, %r4, %r2;\nadd.u32 %r4, %r4, %r3;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "st.global.u32 [%rd3+16], %r4;";
  PtxFixture fixture(with_output(body), capped(3, 32));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.registers, 3U);
  EXPECT_EQ(kernel.spill_bytes, 8U);
  EXPECT_EQ(kernel.spill_loads, 2U);
  EXPECT_EQ(kernel.spill_stores, 2U);
  EXPECT_TRUE(std::all_of(kernel.ops.begin(), kernel.ops.end(),
                          [](const MicroOp& op) { return !op.spill || op.element_bytes == 4; }));
  fixture.run(1);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 2), 1U);
}

TEST(Spilling, CapBelowAnInstructionsNeed) {
  PtxFixture fixture(with_output(kFour), capped(1));
  EXPECT_EQ(error_of([&] { fixture.kernel(); }),
            "kernel 'k': t.ptx:14: add.u32 needs 2 registers, but a thread has 1: core.max_registers_per_thread = 1");
}

}  // namespace spilling_test
}  // namespace warpfold::isa
