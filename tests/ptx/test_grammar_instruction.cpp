// SPDX-License-Identifier: Apache-2.0
// Every form of operand and instruction, and what is said when one is misshapen.
#include <gtest/gtest.h>

#include <bit>

#include "tests/ptx/ptx_text.h"

namespace warpfold::ptx {
namespace grammar_instruction_test {

using test::error_in_kernel;
using test::parse_instruction;
using test::parse_operand;

using Strings = std::vector<std::string>;

TEST(InstructionGrammar, SplitsTheOpcodeAtDots) {
  const Instruction load = parse_instruction("  ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];");
  EXPECT_EQ(load.name, "ld");
  EXPECT_EQ(load.modifiers, (Strings{"global", "v4", "f32"}));
  EXPECT_EQ(load.operands.size(), 2U);
  EXPECT_EQ(load.where.line, 6U);
  EXPECT_EQ(load.where.column, 3U);
  EXPECT_FALSE(load.guard.present);
  EXPECT_TRUE(parse_instruction("ret;").modifiers.empty());
  EXPECT_EQ(parse_instruction("ld.global.L2::128B.u32 %r1, [%rd1];").modifiers, (Strings{"global", "L2::128B", "u32"}));
  EXPECT_EQ(parse_instruction("tex.1d.v4.u32.s32 _;").modifiers, (Strings{"1d", "v4", "u32", "s32"}));
}

TEST(InstructionGrammar, AnAddressMayBeUnified) {
  const Instruction load = parse_instruction("ld.global.u32 %r1, [%rd1 + 8].unified;");
  EXPECT_EQ(load.modifiers, (Strings{"unified", "global", "u32"}));
  EXPECT_EQ(load.operands[1].kind, OperandKind::kAddress);
  EXPECT_EQ(load.operands[1].offset, 8);
  EXPECT_EQ(parse_instruction("atom.global.add.u32 %r1, [%rd1] .unified, %r2;").operands.size(), 3U);
}

TEST(InstructionGrammar, ReadsGuards) {
  const Function kernel = test::parse_kernel("@%p1 ret;\n @!%p2 ret;\n@ ! %p3 ret;");
  const std::vector<Instruction>& code = kernel.instructions;
  ASSERT_EQ(code.size(), 3U);
  EXPECT_TRUE(code[0].guard.present);
  EXPECT_FALSE(code[0].guard.negated);
  EXPECT_EQ(kernel.registers[code[0].guard.reg].name, "%p1");
  EXPECT_TRUE(code[1].guard.negated);
  EXPECT_EQ(code[1].where.column, 2U);
  EXPECT_EQ(kernel.registers[code[1].guard.reg].name, "%p2");
  EXPECT_TRUE(code[2].guard.negated);
}

TEST(InstructionGrammar, ReadsIntegers) {
  const struct {
    const char* text;
    std::uint64_t bits;
    bool negative;
    bool is_unsigned;
  } cases[] = {{"0", 0, false, false},
               {"7", 7, false, false},
               {"-7", ~std::uint64_t{6}, true, false},
               {"0x1F", 31, false, false},
               {"0Xffffffffffffffff", ~std::uint64_t{0}, false, false},
               {"017", 15, false, false},
               {"0b101", 5, false, false},
               {"42U", 42, false, true},
               {"0x10U", 16, false, true},
               {"18446744073709551615", ~std::uint64_t{0}, false, false},
               {"-9223372036854775808", std::uint64_t{1} << 63, true, false}};
  for (const auto& expected : cases) {
    const Operand operand = parse_operand(expected.text);
    EXPECT_EQ(operand.kind, OperandKind::kInteger) << expected.text;
    EXPECT_EQ(operand.bits, expected.bits) << expected.text;
    EXPECT_EQ(operand.negative, expected.negative) << expected.text;
    EXPECT_EQ(operand.is_unsigned, expected.is_unsigned) << expected.text;
  }
}

TEST(InstructionGrammar, RefusesWhatIsNoInteger) {
  for (const char* text :
       {"09", "0x", "0xg", "0b2", "12ab", "18446744073709551616", "0f123", "0f123456789", "0d3F800000", "1.5x", "1e"}) {
    EXPECT_EQ(error_in_kernel("op " + std::string(text) + ";").substr(0, 34), "t.ptx:6:4: expected ',' or ';', ne")
        << text;
  }
}

TEST(InstructionGrammar, ReadsFloatingPoint) {
  EXPECT_EQ(parse_operand("0f3F800000").kind, OperandKind::kFloat32);
  EXPECT_EQ(parse_operand("0f3F800000").bits, 0x3F800000U);
  EXPECT_EQ(parse_operand("-0F3f800000").bits, 0xBF800000U);
  EXPECT_EQ(parse_operand("0d3FF0000000000000").kind, OperandKind::kFloat64);
  EXPECT_EQ(parse_operand("0d3FF0000000000000").bits, 0x3FF0000000000000U);
  EXPECT_EQ(parse_operand("1.5").bits, std::bit_cast<std::uint64_t>(1.5));
  EXPECT_EQ(parse_operand("-.5e1").bits, std::bit_cast<std::uint64_t>(-5.0));
  EXPECT_EQ(parse_operand("2.").bits, std::bit_cast<std::uint64_t>(2.0));
  EXPECT_EQ(parse_operand("-1e-3").bits, std::bit_cast<std::uint64_t>(-1e-3));
  EXPECT_EQ(parse_operand("1.7976931348623157E+308").bits, 0x7FEFFFFFFFFFFFFFU);
  EXPECT_EQ(parse_operand("-0d0000000000000000").bits, 0x8000000000000000U);
}

TEST(InstructionGrammar, ReadsAddresses) {
  const struct {
    const char* text;
    Refers refers;
    const char* name;
    std::int64_t offset;
  } cases[] = {{"[%rd1]", Refers::kRegister, "%rd1", 0},
               {"[ %rd1 + 8 ]", Refers::kRegister, "%rd1", 8},
               {"[%rd1+-8]", Refers::kRegister, "%rd1", -8},
               {"[%rd1-8]", Refers::kRegister, "%rd1", -8},
               {"[%rd1+4*3+1]", Refers::kRegister, "%rd1", 13},
               {"[tile]", Refers::kLocalVariable, "tile", 0},
               {"[tile+0x10]", Refers::kLocalVariable, "tile", 16},
               {"[k_param_0]", Refers::kParameter, "k_param_0", 0},
               {"[1024]", Refers::kNothing, "", 1024},
               {"[-4]", Refers::kNothing, "", -4}};
  for (const auto& expected : cases) {
    const Operand operand = parse_operand(expected.text);
    EXPECT_EQ(operand.kind, OperandKind::kAddress) << expected.text;
    EXPECT_EQ(operand.refers, expected.refers) << expected.text;
    EXPECT_EQ(operand.name, expected.name) << expected.text;
    EXPECT_EQ(operand.offset, expected.offset) << expected.text;
    EXPECT_TRUE(operand.elements.empty()) << expected.text;
  }
}

TEST(InstructionGrammar, ReadsCompositeOperands) {
  const Operand vector = parse_operand("{%r1, _, 3}");
  EXPECT_EQ(vector.kind, OperandKind::kVector);
  ASSERT_EQ(vector.elements.size(), 3U);
  EXPECT_EQ(vector.elements[0].name, "%r1");
  EXPECT_EQ(vector.elements[1].kind, OperandKind::kSink);
  EXPECT_EQ(vector.elements[2].bits, 3U);

  const Operand pair = parse_operand("%p1|%p2");
  EXPECT_EQ(pair.kind, OperandKind::kPair);
  ASSERT_EQ(pair.elements.size(), 2U);
  EXPECT_EQ(pair.elements[0].name, "%p1");
  EXPECT_EQ(pair.elements[1].name, "%p2");
  EXPECT_EQ(parse_operand("_|%p2").elements[0].kind, OperandKind::kSink);

  const Operand negated = parse_operand("!%p3");
  EXPECT_EQ(negated.kind, OperandKind::kRegister);
  EXPECT_TRUE(negated.negated);
  EXPECT_EQ(negated.name, "%p3");
  EXPECT_FALSE(parse_operand("%p3").negated);

  const Operand tuple = parse_operand("[tile, {%f1, %f2}]");
  EXPECT_EQ(tuple.kind, OperandKind::kTuple);
  ASSERT_EQ(tuple.elements.size(), 2U);
  EXPECT_EQ(tuple.elements[0].kind, OperandKind::kSymbol);
  EXPECT_EQ(tuple.elements[0].name, "tile");
  EXPECT_EQ(tuple.elements[1].kind, OperandKind::kVector);
  EXPECT_EQ(tuple.elements[1].elements[1].name, "%f2");

  EXPECT_EQ(parse_operand("()").kind, OperandKind::kList);
  EXPECT_TRUE(parse_operand("()").elements.empty());
  EXPECT_EQ(parse_operand("(tile,%r1)").elements.size(), 2U);
  EXPECT_EQ(parse_operand("_").kind, OperandKind::kSink);
}

TEST(InstructionGrammar, PlacesOperands) {
  const Instruction add = parse_instruction("add.s32 %r1,\n   -5, {%r2};");
  EXPECT_EQ(add.operands[0].where.column, 9U);
  EXPECT_EQ(add.operands[1].where.line, 7U);
  EXPECT_EQ(add.operands[1].where.column, 4U);
  EXPECT_EQ(add.operands[2].where.column, 8U);
  EXPECT_EQ(add.operands[2].elements[0].where.column, 9U);
}

TEST(InstructionGrammar, SaysWhatItExpected) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"add.s32 %r1, %r2, %r3\nret;", "t.ptx:7:1: expected ',' or ';', near 'ret'"},
      {"add.s32 %r1 %r2;", "t.ptx:6:13: expected ',' or ';', near '%r2'"},
      {"add.s32 %r1, , %r2;", "t.ptx:6:14: expected an operand, near ','"},
      {"add. %r1;", "t.ptx:6:6: expected a modifier, near '%r1'"},
      {"ld.u32 %r1, [%rd1+];", "t.ptx:6:19: expected an integer, near ']'"},
      {"ld.u32 %r1, [%rd1+%rd2];", "t.ptx:6:19: expected an integer, near '%rd2'"},
      {"ld.u32 %r1, [%rd1+1.5];", "t.ptx:6:19: expected an integer, near '1'"},
      {"ld.u32 %r1, [];", "t.ptx:6:14: expected an address, near ']'"},
      {"ld.u32 %r1, [%rd1;", "t.ptx:6:18: expected ',' or ']', near ';'"},
      {"ld.u32 %r1, [%rd1].uniform;", "t.ptx:6:19: expected ',' or ';', near '.uniform'"},
      {"mov.b64 {%r1, %r2, %rd1;", "t.ptx:6:24: expected ',' or '}', near ';'"},
      {"mov.b64 {}, %rd1;", "t.ptx:6:10: expected an operand, near '}'"},
      {"call k, (%r1;", "t.ptx:6:13: expected ',' or ')', near ';'"},
      {"setp.eq.s32 %p1|, %r1, 0;", "t.ptx:6:17: expected an operand, near ','"},
      {"and.pred %p1, !, %p2;", "t.ptx:6:16: expected a predicate, near ','"},
      {"@%p1 ;", "t.ptx:6:6: expected an instruction, near ';'"},
      {"@1 ret;", "t.ptx:6:2: expected a predicate register, near '1'"},
      {"mov.f32 %f1, %v.;", "t.ptx:6:17: expected a component such as .x, near ';'"},
      {"7;", "t.ptx:6:1: expected an instruction, near '7'"},
      {"ret", "t.ptx:7:1: expected ',' or ';', near '}'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_in_kernel(expected.text), expected.error) << expected.text;
}

}  // namespace grammar_instruction_test
}  // namespace warpfold::ptx
