// SPDX-License-Identifier: Apache-2.0
// Which names need no declaration.
#include <gtest/gtest.h>

#include "tests/ptx/ptx_text.h"
#include "warpfold/ptx/special_registers.h"

namespace warpfold::ptx {
namespace special_registers_test {

TEST(SpecialRegisters, KnowsThoseOfTheIsa) {
  EXPECT_TRUE(is_special_register("%tid", "x"));
  EXPECT_TRUE(is_special_register("%nctaid", "w"));
  EXPECT_TRUE(is_special_register("%tid", ""));
  EXPECT_TRUE(is_special_register("%laneid", ""));
  EXPECT_TRUE(is_special_register("%clock64", ""));
  EXPECT_TRUE(is_special_register("%lanemask_lt", ""));
  EXPECT_TRUE(is_special_register("%envreg31", ""));
  EXPECT_TRUE(is_special_register("%pm7", ""));
  EXPECT_TRUE(is_special_register("%pm0_64", ""));
}

TEST(SpecialRegisters, KnowsNoOthers) {
  EXPECT_FALSE(is_special_register("%tid", "q"));
  EXPECT_FALSE(is_special_register("%laneid", "x"));
  EXPECT_FALSE(is_special_register("%r1", ""));
  EXPECT_FALSE(is_special_register("%envreg32", ""));
  EXPECT_FALSE(is_special_register("%envreg", ""));
  EXPECT_FALSE(is_special_register("%pm8", ""));
  EXPECT_FALSE(is_special_register("%pmx", ""));
  EXPECT_FALSE(is_special_register("WARP_SZ", "")) << "a number (test_constant_expression.cpp)";
}

TEST(SpecialRegisters, KeepTheirTextInOperands) {
  const Operand operand = test::parse_operand("%ctaid.y");
  EXPECT_EQ(operand.kind, OperandKind::kSpecialRegister);
  EXPECT_EQ(operand.name, "%ctaid.y");
  EXPECT_EQ(test::parse_operand("%laneid").name, "%laneid");
}

}  // namespace special_registers_test
}  // namespace warpfold::ptx
