// SPDX-License-Identifier: Apache-2.0
// Registers and values: their numbering where registers hold low words only, and addresses that are too high.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/registers/place_registers.h"

namespace warpfold::isa {
namespace place_registers_test {

std::string with_pointer(const std::string& body) {
  return with_header(
      ".visible .global .align 8 .b8 out[64];\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
      ".reg .b64 %rd<8>;\n" +
      body + "\nret;\n}\n");
}

TEST(PlaceRegisters, OneNumberingWithoutLowWords) {
  PtxFixture fixture(with_pointer("mov.u64 %rd1, out;\nst.global.u32 [%rd1], 1;"));
  EXPECT_EQ(fixture.kernel().registers, 2U);
  EXPECT_EQ(fixture.kernel().high_words, 0U);
}

// One register of the machine, two words of the value; predicates lie behind either.
TEST(PlaceRegisters, ValuesKeepTheirHighWords) {
  PtxFixture fixture(with_pointer("mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u64 %rd1, out;\n"
                                  "@%p1 st.global.u32 [%rd1], 1;"),
                     {.address_bits = 32});
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.registers, 1U);
  EXPECT_EQ(kernel.high_words, 1U);
  const MicroOp& store = kernel.ops[3];
  EXPECT_EQ(store.reads, (std::vector<Word>{0, 1})) << "the register, and the first predicate behind the registers";
  EXPECT_EQ(store.base, 0);
  EXPECT_EQ(store.guard, 2) << "behind the value's two words";
  EXPECT_EQ(kernel.specials_begin(), 3U);
}

// Special registers lie behind them all: cuda_fuzz_7 has a kernel whose values need more predicates than are held.
TEST(PlaceRegisters, PredicatesAreAsManyAsEitherNeeds) {
  PlacedRegisters placed;
  placed.held.predicates = 1;
  placed.values.predicates = 3;
  EXPECT_EQ(placed.predicates(), 3U);
  placed.held.predicates = 4;
  EXPECT_EQ(placed.predicates(), 4U);
}

// A machine with registers of 32 bits would wrap to the variable; the model knows better.
TEST(PlaceRegisters, HighWordsOfAddressesFault) {
  for (const char* const beyond : {"add.s64 %rd1, %rd1, 4294967296;", "ld.global.u64 %rd1, [%rd1];"}) {
    PtxFixture fixture(with_pointer(fmt::format("mov.u64 %rd1, out;\n{}\nst.global.u32 [%rd1], 1;", beyond)),
                       {.address_bits = 32});
    const Address out = fixture.program.symbol("out")->address, high = out + 0x1'0000'0000;
    fixture.memory.write(out, &high, sizeof high);
    EXPECT_EQ(fixture.kernel().registers, 1U);
    const std::string error = error_of([&] { fixture.run(1); });
    EXPECT_NE(error.find(fmt::format("writes 4 bytes at {:#x}, outside every allocation", high)), std::string::npos)
        << error;
  }
}

// What lies below 2^32 again is fine, however it was reached.
TEST(PlaceRegisters, SumsMayGoBeyondAndComeBack) {
  PtxFixture fixture(with_pointer("mov.u64 %rd1, out;\nadd.s64 %rd1, %rd1, 4294967296;\n"
                                  "sub.s64 %rd1, %rd1, 4294967288;\nst.global.u32 [%rd1], 9;"),
                     {.address_bits = 32});
  fixture.run(1);
  EXPECT_EQ(fixture.read<std::uint32_t>("out", 2), 9U);
}

// Where cores run ahead, the result may be written behind what comes after it: no other value may be there, which the
// scoreboard, that sees held registers, would let go on. Once something has waited for it, its words are free.
TEST(PlaceRegisters, WhatMemorySendsSharesWordsWithNobodyUntilItIsAwaited) {
  PtxFixture fixture(with_pointer("mov.u64 %rd1, out;\natom.global.add.u32 %r1, [%rd1], 1;\nmov.u32 %r2, %tid.x;\n"
                                  "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra END;\nmov.u32 %r3, %ctaid.x;\n"
                                  "st.global.u32 [%rd1+4], %r3;\nEND:\nld.global.u32 %r4, [%rd1];\n"
                                  "mov.u32 %r5, %r4;\nmov.u32 %r6, %r5;\nst.global.u32 [%rd1+8], %r6;"),
                     {.address_bits = 32});
  const std::vector<MicroOp>& ops = fixture.kernel().ops;
  EXPECT_NE(ops[1].d[0], ops[2].d[0]) << "nobody reads it";
  EXPECT_NE(ops[1].d[0], ops[5].d[0]) << "on a later path";
  EXPECT_NE(ops[1].d[0], ops[7].d[0]) << "behind both paths";
  EXPECT_EQ(ops[7].d[0], ops[9].d[0]) << "%r5 has waited for %r4";
}

// Shared memory's is written late, too, behind accesses with lanes in several kinds of memory.
TEST(PlaceRegisters, WhatSharedMemorySendsIsAwaitedToo) {
  PtxFixture fixture(with_pointer(".shared .u32 place[2];\nmov.u64 %rd1, out;\nld.shared.v2.u32 {%r1, %r2}, [place];\n"
                                  "mov.u32 %r3, %tid.x;\nst.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+4], %r3;"),
                     {.address_bits = 32});
  const std::vector<MicroOp>& ops = fixture.kernel().ops;
  EXPECT_NE(ops[1].d[0], ops[2].d[0]) << "nobody reads it";
}

}  // namespace place_registers_test
}  // namespace warpfold::isa
