// SPDX-License-Identifier: Apache-2.0
// Sizes, alignment and initial values of variables.
#include <gtest/gtest.h>

#include <bit>
#include <utility>

#include "tests/ptx/ptx_text.h"
#include "warpfold/ptx/variables.h"

namespace warpfold::ptx {
namespace variables_test {

using test::error_of;
using test::kHead;

using Values = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // element, bits

Variable parse_variable(std::string_view text) { return test::parse_module(text).variables.at(0); }

Values values_of(std::string_view text) {
  Values values;
  for (const InitialValue& value : parse_variable(text).initialiser) values.emplace_back(value.element, value.bits);
  return values;
}

TEST(Variables, SpaceTypeAlignmentSize) {
  const Variable plain = parse_variable(".visible .global .align 16 .f64 x;");
  EXPECT_EQ(plain.space, Space::kGlobal);
  EXPECT_EQ(plain.linkage, Linkage::kVisible);
  EXPECT_EQ(plain.type, Type::kF64);
  EXPECT_EQ(plain.align, 16U);
  EXPECT_EQ(plain.name, "x");
  EXPECT_EQ(plain.elements, 1U);
  EXPECT_EQ(plain.bytes, 8U);
  EXPECT_FALSE(plain.is_array);
  EXPECT_FALSE(plain.has_initialiser);
  EXPECT_EQ(plain.where.line, 4U);
  EXPECT_EQ(plain.where.column, 33U);

  const Variable matrix = parse_variable(".const .v4 .f32 m[2][0x3];");
  EXPECT_EQ(matrix.space, Space::kConst);
  EXPECT_EQ(matrix.vector_width, 4U);
  EXPECT_EQ(matrix.dimensions, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(matrix.elements, 6U);
  EXPECT_EQ(matrix.bytes, 96U);
  EXPECT_EQ(matrix.align, 16U);  // a vector's natural alignment is its whole size
}

TEST(Variables, DynamicSharedMemoryHasNoSize) {
  const Variable dynamic = parse_variable(".extern .shared .align 4 .b8 dynamic[];");
  EXPECT_EQ(dynamic.linkage, Linkage::kExtern);
  EXPECT_EQ(dynamic.space, Space::kShared);
  EXPECT_TRUE(dynamic.unsized);
  EXPECT_TRUE(dynamic.is_array);
  EXPECT_EQ(dynamic.bytes, 0U);
}

TEST(Variables, OpaqueAndManagedOnes) {
  EXPECT_EQ(parse_variable(".global .texref t;").type, Type::kTexref);
  EXPECT_EQ(parse_variable(".global .texref t;").bytes, 8U);
  EXPECT_TRUE(parse_variable(".global .attribute(.managed) .u32 x;").managed);
  EXPECT_EQ(parse_variable(".const[2] .u32 x;").space, Space::kConst);
}

TEST(Variables, SeveralInOneStatement) {
  const Module module = test::parse_module(".global .u32 a = 1, b[2] = {2, 3}, c;");
  ASSERT_EQ(module.variables.size(), 3U);
  EXPECT_EQ(module.variables[0].initialiser.at(0).bits, 1U);
  EXPECT_EQ(module.variables[1].initialiser.at(1).bits, 3U);
  EXPECT_FALSE(module.variables[2].has_initialiser);
}

TEST(Initialisers, IntegersTakeTheTypesWidth) {
  EXPECT_EQ(values_of(".global .b8 x[4] = {255, -1, -128, 0x7f};"), (Values{{0, 255}, {1, 255}, {2, 128}, {3, 127}}));
  EXPECT_EQ(values_of(".global .u16 x = -32768;"), (Values{{0, 0x8000}}));
  EXPECT_EQ(values_of(".global .u64 x = -1;"), (Values{{0, ~std::uint64_t{0}}}));
  EXPECT_EQ(error_of(kHead + ".global .b8 x = 256;"),
            "t.ptx:4:17: initial value does not fit the variable's type, near '256'");
  EXPECT_EQ(error_of(kHead + ".global .b8 x = -129;"),
            "t.ptx:4:17: initial value does not fit the variable's type, near '-129'");
}

TEST(Initialisers, FloatingPoint) {
  EXPECT_EQ(values_of(".global .f32 x[3] = {0f3F800000, 0.5, -2};"),
            (Values{{0, 0x3F800000}, {1, 0x3F000000}, {2, 0xC0000000}}));
  EXPECT_EQ(values_of(".global .f64 x[3] = {0f3F800000, 0.1, 3};"),
            (Values{{0, 0x3FF0000000000000}, {1, std::bit_cast<std::uint64_t>(0.1)}, {2, 0x4008000000000000}}));
  EXPECT_EQ(values_of(".global .b32 x = 0f3F800000;"), (Values{{0, 0x3F800000}}));
  EXPECT_EQ(values_of(".global .f32 x = 0d3FF0000000000000;"), (Values{{0, 0x3F800000}}));
  EXPECT_EQ(error_of(kHead + ".global .b32 x = 0.5;"),
            "t.ptx:4:18: floating-point initial value in a variable of another type, near '0'");
}

TEST(Initialisers, ShortListsLeaveZeros) {
  const Variable variable = parse_variable(".global .u32 x[8] = {1, 2};");
  EXPECT_TRUE(variable.has_initialiser);
  EXPECT_EQ(variable.initialiser.size(), 2U);
  EXPECT_EQ(variable.bytes, 32U);
  EXPECT_TRUE(parse_variable(".global .u32 x[8] = {};").initialiser.empty());
}

TEST(Initialisers, NestedListsFillRows) {
  EXPECT_EQ(values_of(".global .u32 x[2][3] = {{1, 2}, {3}};"), (Values{{0, 1}, {1, 2}, {3, 3}}));
  EXPECT_EQ(values_of(".global .u32 x[2][3] = {1, 2, 3, 4};"), (Values{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(values_of(".global .u32 x[2][2][2] = {{{1}, {2}}, {{3}}};"), (Values{{0, 1}, {2, 2}, {4, 3}}));
  EXPECT_EQ(values_of(".global .v2 .u32 x[2] = {{1}, {2, 3}};"), (Values{{0, 1}, {2, 2}, {3, 3}}));
}

TEST(Initialisers, ListsGiveOpenArraysTheirSize) {
  const Variable text = parse_variable(".global .b8 x[] = {104, 105, 0};");
  EXPECT_FALSE(text.unsized);
  EXPECT_EQ(text.bytes, 3U);
  const Variable rows = parse_variable(".global .u16 x[][2] = {{1}, {2}, {3}};");
  EXPECT_EQ(rows.dimensions, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(rows.bytes, 12U);
}

TEST(Initialisers, Addresses) {
  const Module module = test::parse_module(
      ".global .u32 a[4];\n"
      ".global .u64 p[6] = {a, a+8, generic(a)+12, 0, a-4, generic(f)};\n"
      ".global .b8 q[2] = {0xFF(a), 0xFF00(generic(a)+1)};\n"
      ".func f() { ret; }");
  const std::vector<InitialValue>& pointers = module.variables.at(1).initialiser;
  ASSERT_EQ(pointers.size(), 6U);
  EXPECT_EQ(pointers[0].symbol, "a");
  EXPECT_EQ(pointers[0].offset, 0);
  EXPECT_FALSE(pointers[0].generic);
  EXPECT_EQ(pointers[1].offset, 8);
  EXPECT_TRUE(pointers[2].generic);
  EXPECT_EQ(pointers[2].offset, 12);
  EXPECT_TRUE(pointers[3].symbol.empty());
  EXPECT_EQ(pointers[3].bits, 0U);
  EXPECT_EQ(pointers[4].offset, -4);
  EXPECT_EQ(pointers[5].symbol, "f");
  EXPECT_EQ(pointers[5].element, 5U);
  const std::vector<InitialValue>& bytes = module.variables.at(2).initialiser;
  EXPECT_EQ(bytes.at(0).mask, 0xFFU);
  EXPECT_EQ(bytes.at(1).mask, 0xFF00U);
  EXPECT_TRUE(bytes.at(1).generic);
  EXPECT_EQ(bytes.at(1).offset, 1);
}

TEST(Variables, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {".global x;", "t.ptx:4:9: declaration without a type, near 'x'"},
      {".global .b80 x;", "t.ptx:4:9: expected a name, near '.b80'"},
      {".global .b8 ;", "t.ptx:4:13: expected a name, near ';'"},
      {".global .b8 x\n.global .b8 y;", "t.ptx:5:1: expected ',' or ';', near '.global'"},
      {".global .align 3 .b8 x;", "t.ptx:4:16: expected an alignment, a power of two up to 65536, near '3'"},
      {".global .align 0 .b8 x;", "t.ptx:4:16: expected an alignment, a power of two up to 65536, near '0'"},
      {".shared .align 131072 .b8 x;", "t.ptx:4:16: expected an alignment, a power of two up to 65536, near '131072'"},
      {".global .pred x;", "t.ptx:4:15: a predicate must be a register, near 'x'"},
      {".global .b8 x<3>;", "t.ptx:4:13: only registers are declared as name<count>, near 'x'"},
      {".global .b8 x[-1];", "t.ptx:4:15: expected an array size, near '-1'"},
      {".global .b8 x[3;", "t.ptx:4:16: expected ']', near ';'"},
      {".global .b8 x[1099511627777];", "t.ptx:4:13: array is too large, near 'x'"},
      {".global .b8 x[9999999999][9999999999];", "t.ptx:4:13: array is too large, near 'x'"},
      {".global .b8 x[18446744073709551616];", "t.ptx:4:15: expected an array size, near '18446744073709551616'"},
      // 2^40 · 2^24: 0 in 64 bits.
      {".global .b8 x[16777216][1099511627776];", "t.ptx:4:13: array is too large, near 'x'"},
      {".global .b8 x[][1099511627776][16777216];", "t.ptx:4:13: array is too large, near 'x'"},
      {".global .v4 .f64 x[68719476736];", "t.ptx:4:18: array is too large, near 'x'"},
      {".global .b8 x[2][];", "t.ptx:4:13: only the first size of an array may be left open, near 'x'"},
      {".global .b8 x[2][0];", "t.ptx:4:13: only the first size of an array may be left open, near 'x'"},
      {".local .b8 x[];", "t.ptx:4:12: a .local array needs a size, near 'x'"},
      {".shared .u32 x = 1;", "t.ptx:4:14: only .global and .const variables have initial values, near 'x'"},
      {".global .u32 x = ;", "t.ptx:4:18: expected an initial value, near ';'"},
      {".global .u32 x = y;", "t.ptx:4:18: undeclared name, near 'y'"},
      {".global .b8 x[2] = {1, 2, 3};", "t.ptx:4:27: more initial values than elements, near '3'"},
      {".global .b8 x[2][2] = {{1, 2, 3}};", "t.ptx:4:31: more initial values than elements, near '3'"},
      {".global .b8 x[1][2] = {{1}, {2}};", "t.ptx:4:29: more initial values than elements, near '{'"},
      {".global .b8 x[2] = {{1}};", "t.ptx:4:21: braces nested deeper than the variable's dimensions, near '{'"},
      {".global .b8 x[2][2] = {1, {2}};", "t.ptx:4:27: inner list starts in the middle of a row, near '{'"},
      {".global .b8 x[2] = {1 2};", "t.ptx:4:23: expected ',' or '}', near '2'"},
      {".global .b8 x[2] = {1,,2};", "t.ptx:4:23: expected an initial value, near ','"},
      {".global .b8 x[2] = {1, 2;", "t.ptx:4:20: initialiser is never closed, near '{'"},
      {".global .b8 x; .global .b8 x;", "t.ptx:4:28: x is already declared in line 4, near 'x'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_of(kHead + expected.text), expected.error) << expected.text;
  EXPECT_EQ(error_of(kHead + ".global .b8 x[1099511627776];"), "accepted");
}

}  // namespace variables_test
}  // namespace warpfold::ptx
