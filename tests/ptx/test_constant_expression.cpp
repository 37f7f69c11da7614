// SPDX-License-Identifier: Apache-2.0
// Values of constant expressions, and every place where one may stand.
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "tests/ptx/ptx_text.h"
#include "warpfold/ptx/constant_expression.h"

namespace warpfold::ptx {
namespace constant_expression_test {

using test::error_in_kernel;
using test::error_of;
using test::kHead;
using test::parse_operand;

std::int64_t value_of(std::string_view text) {
  const Operand operand = parse_operand(text);
  EXPECT_EQ(operand.kind, OperandKind::kInteger) << text;
  return static_cast<std::int64_t>(operand.bits);
}

TEST(ConstantExpression, Integers) {
  const struct {
    const char* text;
    std::int64_t value;
  } cases[] = {
      {"(5)", 5},
      {"+5", 5},
      {"- -5", 5},
      {"-~5", 6},
      {"~0", -1},
      {"!0", 1},
      {"!7", 0},
      {"2*3+4", 10},
      {"4+2*3", 10},
      {"(4+2)*3", 18},
      {"10-4-3", 3},
      {"-9223372036854775809", 0x7FFFFFFFFFFFFFFF},
      {"-7/2", -3},
      {"7 % 4", 3},
      {"-7 % 4", 1},  // of 2^64 - 7
      {"1+2<<3", 24},
      {"1<<65", 2},
      {"-8>>1", -4},
      {"(-8>>1U)/2", -2},
      {"1|2==2", 1},
      {"6&3^5", 7},
      {"6 ^ 3 | 8", 13},
      {"1<2", 1},
      {"2<=1", 0},
      {"3>2", 1},
      {"2>=3", 0},
      {"1!=1", 0},
      {"2&&0", 0},
      {"2&&4", 1},
      {"0||4", 1},
      {"0||0", 0},
      {"1?2:3", 2},
      {"0?2:0?3:4", 4},
      {"(1?-1:0U)/2", 0},
      {"(-1)/2", 0},
      {"(.u64)(-1)/2", 0x7FFFFFFFFFFFFFFF},
      {"(.s64)0xFFFFFFFFFFFFFFFF/2", 0},
      {"0xFFFFFFFFFFFFFFFF/2", 0x7FFFFFFFFFFFFFFF},
      {"(~0)/2", 0x7FFFFFFFFFFFFFFF},
      {"5U-6<0", 0},
      {"5-6<0", 1},
      {"0-1<0U", 0},
      {"(1<<63)/-1", std::numeric_limits<std::int64_t>::min()},
      {"1.5<2.5", 1},
      {"1.5==2.5", 0},
  };
  for (const auto& expected : cases) EXPECT_EQ(value_of(expected.text), expected.value) << expected.text;
}

TEST(ConstantExpression, DoublePrecision) {
  const auto value = [](std::string_view text) { return std::bit_cast<double>(parse_operand(text).bits); };
  EXPECT_EQ(value("1.0/4.0+2.0"), 2.25);
  EXPECT_EQ(value("-(1.5*2.0)-0.5"), -3.5);
  EXPECT_EQ(parse_operand("-(1.5)").kind, OperandKind::kFloat64);
}

TEST(ConstantExpression, WhereverANumberMayStand) {
  const Module module = test::parse_module(
      ".global .u32 a[2*2][1+1] = {{1+1, 2*3}, {(8)}};\n.global .u64 p = a+4*2;\n.const .f64 d = 1.0/4.0;\n"
      ".global .b8 m = ~1;");
  EXPECT_EQ(module.variables[0].dimensions, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_EQ(module.variables[0].initialiser.at(1).bits, 6U);
  EXPECT_EQ(module.variables[0].initialiser.at(2).bits, 8U);
  EXPECT_EQ(module.variables[1].initialiser.at(0).offset, 8);
  EXPECT_EQ(std::bit_cast<double>(module.variables[2].initialiser.at(0).bits), 0.25);
  EXPECT_EQ(module.variables[3].initialiser.at(0).bits, 0xFEU);
  EXPECT_EQ(parse_operand("[%rd1+(8-2*4)]").offset, 0);
  EXPECT_EQ(parse_operand("[%rd1+1<<3]").offset, 8);
  EXPECT_EQ(parse_operand("[%rd1+8-4]").offset, 4);
  EXPECT_EQ(parse_operand("[%rd1+-4]").offset, -4);
  EXPECT_EQ(parse_operand("[%rd1-4]").offset, -4);
  EXPECT_EQ(parse_operand("[4*2]").offset, 8);
  EXPECT_EQ(parse_operand("tile+4*2").offset, 8);
  EXPECT_EQ(parse_operand("{1+2, (3)}").elements.at(0).bits, 3U);
  const Instruction call = test::parse_kernel(".reg .b64 f; call (5), f, ((2+3)*2, 1);").instructions.at(0);
  EXPECT_EQ(call.operands.at(0).kind, OperandKind::kList);
  EXPECT_EQ(call.operands.at(2).elements.at(0).bits, 10U);
}

TEST(ConstantExpression, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"mov.b32 %r1, 4/0;", "t.ptx:6:16: expected a divisor other than 0, near '0'"},
      {"mov.b32 %r1, 4 % (1-1);", "t.ptx:6:18: expected a divisor other than 0, near '('"},
      {"mov.b32 %r1, 1.5+2;",
       "t.ptx:6:18: expected two integers or two numbers of double precision around the operator, near '2'"},
      {"mov.b32 %r1, 0f3F800000+0f3F800000;",
       "t.ptx:6:25: expected two integers or two numbers of double precision around the operator, near '0f3F800000'"},
      {"mov.b32 %r1, 1.5<<2.0;", "t.ptx:6:19: expected integers around the operator, near '2'"},
      {"mov.b32 %r1, ~1.5;", "t.ptx:6:15: expected an integer, near '1'"},
      {"mov.b32 %r1, (.s64)1.5;", "t.ptx:6:23: expected an integer, near ';'"},
      {"mov.b32 %r1, 1.5?2:3;", "t.ptx:6:17: expected an integer, near '?'"},
      {"mov.b32 %r1, 1+;", "t.ptx:6:15: expected ',' or ';', near '+'"},
      {"mov.b32 %r1, 1+%r2;", "t.ptx:6:15: expected ',' or ';', near '+'"},
      {"mov.b32 %r1, 1?2;", "t.ptx:6:15: expected ',' or ';', near '?'"},
      {"ld.global.b32 %r1, [%rd1+1.5];", "t.ptx:6:26: expected an integer, near '1'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_in_kernel(expected.text), expected.error) << expected.text;
  EXPECT_EQ(error_of(kHead + ".global .b8 x[2-3];"), "t.ptx:4:15: expected an array size, near '2'");
  EXPECT_NE(error_in_kernel("mov.b32 %r1, " + std::string(100000, '-') + "1;").find("with less in it"),
            std::string::npos);
  EXPECT_NE(error_in_kernel("mov.b32 %r1, " + std::string(100000, '(') + "1;").find("with less in it"),
            std::string::npos);
}

}  // namespace constant_expression_test
}  // namespace warpfold::ptx
