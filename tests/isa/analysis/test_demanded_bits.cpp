// SPDX-License-Identifier: Apache-2.0
// High words that nothing asks for: the instructions that ask for none, and kernels whose registers are counted by
// hand.
#include <gtest/gtest.h>

#include "tests/isa/op_harness.h"
#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/analysis/demanded_bits.h"

namespace warpfold::isa {
namespace demanded_bits_test {

// Every instruction of the table that is said to need low words only gives the same low word whatever the high ones
// are.
TEST(DemandedBits, LowWordsOfResultsComeFromLowWords) {
  std::mt19937_64 random(7);
  unsigned wide = 0;
  for (const std::string& text : op_names()) {
    const Opcode opcode(text);
    if (!keeps_low_words(opcode.name, opcode.modifiers)) continue;
    const OpInfo info = opcode.info();
    std::vector<Operands> sets = operand_sets(info, 200, 200), others = sets;
    for (Operands& operands : others) {
      for (unsigned k = 0; k < info.s_count; ++k) {
        if (info.s[k].bits == 64) operands[k] ^= random() << 32;
      }
    }
    const std::vector<Results> results = run_batch(info, sets), same = run_batch(info, others);
    for (std::size_t n = 0; n < sets.size(); ++n) {
      ASSERT_EQ(low_bits(results[n][0], 32), low_bits(same[n][0], 32)) << text;
    }
    wide += info.s[0].bits == 64 ? 1 : 0;
  }
  EXPECT_GT(wide, 30U);
}

TEST(DemandedBits, InstructionsThatAskForHighWords) {
  const std::pair<const char*, bool> expected[] = {
      {"add.s64", true},         {"sub.u64", true},     {"mul.lo.s64", true},       {"mad.lo.s64", true},
      {"mul.wide.u32", true},    {"shl.b64", true},     {"and.b64", true},          {"selp.b64", true},
      {"mov.u64", true},         {"cvt.u32.u64", true}, {"cvt.s64.s32", true},      {"cvta.to.global.u64", true},
      {"shr.u64", false},        {"shr.s64", false},    {"mul.hi.u64", false},      {"div.s64", false},
      {"rem.u64", false},        {"min.s64", false},    {"setp.lt.s64", false},     {"add.f64", false},
      {"cvt.rn.f32.s64", false}, {"popc.b64", false},   {"cvt.sat.s32.s64", false}, {"unpack.b64.b32", false}};
  for (const auto& [text, low] : expected) {
    const Opcode opcode(text);
    EXPECT_TRUE(find_op(opcode.name, opcode.modifiers).has_value()) << text;
    EXPECT_EQ(keeps_low_words(opcode.name, opcode.modifiers), low) << text;
  }
}

std::string with_parameters(const std::string& body) {
  return with_header(
      ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<10>;\n" +
      body + "\nret;\n}\n");
}

unsigned registers_of(const std::string& body, unsigned address_bits) {
  PtxFixture fixture(with_parameters(body), {.address_bits = address_bits});
  return fixture.kernel().registers;
}

// %rd1 and %rd2, then %rd1 and %rd3, are needed together: two pairs, or two words.
TEST(DemandedBits, AddressesTakeOneRegister) {
  const std::string body =
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\ncvta.to.global.u64 %rd3, %rd2;\n"
      "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd3+4], %r1;";
  EXPECT_EQ(registers_of(body, 64), 4U);
  EXPECT_EQ(registers_of(body, 32), 2U);
}

// As clang indexes: base + 4 * i, with i widened. %r1, the base and the scaled index.
TEST(DemandedBits, DemandPassesThroughSums) {
  const std::string body =
      "mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "shl.b64 %rd4, %rd2, 1;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r2, [%rd3];\nst.global.u32 [%rd5], %r2;";
  EXPECT_EQ(registers_of(body, 64), 6U) << "three pairs: %rd1, %rd3, %rd4";
  EXPECT_EQ(registers_of(body, 32), 3U);
}

// The sum is stored: both of its words are results, and so are both of its sources'.
TEST(DemandedBits, StoredValuesKeepTheirHighWords) {
  const std::string body =
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u64 [%rd1], %rd3;";
  EXPECT_EQ(registers_of(body, 64), 4U);
  EXPECT_EQ(registers_of(body, 32), 4U);
}

// %rd2 is compared, %rd1 only points: two words and one, before and after the pair is taken apart by alignment.
TEST(DemandedBits, ComparedValuesKeepTheirHighWords) {
  const std::string body =
      "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nsetp.lt.u64 %p1, %rd2, 5;\n@%p1 st.global.u32 [%rd1], 1;";
  EXPECT_EQ(registers_of(body, 64), 4U);
  EXPECT_EQ(registers_of(body, 32), 4U) << "a pair is aligned";
  const std::string pair_first =
      "ld.param.u64 %rd2, [b];\nld.param.u64 %rd1, [a];\nsetp.lt.u64 %p1, %rd2, 5;\n@%p1 st.global.u32 [%rd1], 1;";
  EXPECT_EQ(registers_of(pair_first, 32), 3U);
}

// A loop's pointer feeds itself: demand must not start from nothing.
TEST(DemandedBits, LoopsOfAddressesDemandNothing) {
  const std::string body =
      "ld.param.u64 %rd1, [a];\nmov.u32 %r1, 9;\nLOOP:\nld.global.u32 %r2, [%rd1];\nadd.s64 %rd1, %rd1, 4;\n"
      "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;";
  EXPECT_EQ(registers_of(body, 64), 4U);
  EXPECT_EQ(registers_of(body, 32), 3U);
}

// What banks and scoreboards see: one register each, and the instruction counts as one of 32 bits.
TEST(DemandedBits, InstructionsTouchLowWordsOnly) {
  const std::string body = "ld.param.u64 %rd1, [a];\nadd.s64 %rd2, %rd1, 8;\nst.global.u32 [%rd2], 1;";
  PtxFixture narrow(with_parameters(body), {.address_bits = 32}), wide(with_parameters(body));
  const MicroOp &one = narrow.kernel().ops[1], &two = wide.kernel().ops[1];
  EXPECT_EQ(one.register_reads, 1);
  EXPECT_EQ(one.register_writes, 1);
  EXPECT_EQ(one.bits, 32);
  EXPECT_EQ(two.register_reads, 2);
  EXPECT_EQ(two.register_writes, 2);
  EXPECT_EQ(two.bits, 64);
}

}  // namespace demanded_bits_test
}  // namespace warpfold::isa
