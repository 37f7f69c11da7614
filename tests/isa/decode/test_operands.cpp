// SPDX-License-Identifier: Apache-2.0
// Which registers and constants an instruction takes (PTX ISA §9.4).
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace operands_test {

std::string error_with(const std::string& instruction) {
  std::string registers;
  for (const char* type : {"b16", "u16", "s16", "f16", "b32", "u32", "s32", "f16x2", "f32", "b64", "u64", "s64", "f64"})
    registers += std::string(".reg .") + type + " %" + type + "_<4>;\n";
  return decode_error(with_header(".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .v2 .f32 %v;\n" + registers +
                                  instruction + "\nret;\n}\n"));
}

TEST(Operands, KindsThatAgree) {
  for (const char* text : {
           "add.u32 %s32_1, %u32_1, %b32_1;",
           "add.s32 %u32_1, %b32_1, -1;",
           "mul.wide.u16 %b32_1, %s16_1, %u16_1;",
           "add.f32 %b32_1, %f32_1, 0f3F800000;",
           "add.f64 %f64_1, %b64_1, 1.5;",
           "add.f16 %b16_1, %f16_1, %b16_2;",
           "add.f16x2 %b32_1, %f16x2_1, %b32_2;",
           "fma.rn.f16x2 %f16x2_1, %f16x2_1, %f16x2_2, %b32_1;",
           "neg.f16x2 %f16x2_1, %f16x2_2;",
           "abs.f16 %f16_1, %f16_2;",
           "min.f16 %f16_1, %f16_2, %f16_3;",
           "setp.lt.f16 %p1, %f16_1, %f16_2;",
           "cvt.f32.f16 %f32_1, %f16_1;",
           "cvt.rn.f16.f32 %f16_1, %f32_1;",
           "mov.b16 %f16_1, 0x3C00;",
           "mov.b32 %f16x2_1, {%f16_1, %b16_1};",
           "mov.b32 {%f16_1, %s16_1}, %f16x2_1;",
           "mov.b32 %f32_1, %u32_1;",
           "mov.b32 %s32_1, 0f3F800000;",
           "mov.b64 %f64_1, {%f32_1, %u32_1};",
           "selp.b32 %f32_1, %u32_1, 0, %p1;",
           "selp.f32 %f32_1, %b32_1, 0f00000000, %p1;",
           "and.b32 %f32_1, %f32_2, 0x7fffffff;",
           "shl.b32 %s32_1, %u32_1, %s32_2;",
           "slct.b32.f32 %u32_1, %s32_1, %b32_1, %f32_1;",
           "set.lt.u32.f32 %s32_1, %f32_1, %b32_1;",
           "popc.b64 %s32_1, %f64_1;",
           "ld.global.u8 %u64_1, [%s64_1];",
           "ld.global.b32 %f64_1, [%u64_1];",
           "ld.global.f32 %b64_1, [%b64_1];",
           "ld.global.v2.f32 %v, [%b64_1];",
           "st.global.b8 [%b64_1], %f32_1;",
           "st.global.f32 [%b64_1], %b64_2;",
           "cvt.u64.u16 %s64_1, %u32_1;",
           "atom.global.exch.b32 %f32_1, [%b64_1], %f32_2;",
           "shfl.sync.idx.b32 %f32_1, %f32_2, 0, 31, -1;",
           "tex.1d.v4.f32.s32 {%f32_1, %b32_1, %f32_2, %f32_3}, [%u64_1, {%u32_1}];",
       }) {
    EXPECT_EQ(error_with(text), "") << text;
  }
}

TEST(Operands, KindsThatDoNotAgreeAreRefused) {
  for (const char* text : {
           "add.u32 %u32_1, %u32_1, 1.0;",
           "add.s64 %s64_1, %s64_1, 0d3FF0000000000000;",
           "mul.lo.u32 %u32_1, %f32_1, 2;",
           "add.s32 %f32_1, %s32_1, 2;",
           "add.f32 %f32_1, %f32_2, 1;",
           "fma.rn.f64 %f64_1, %f64_2, %f64_3, 0;",
           "add.f32 %u32_1, %f32_1, %f32_2;",
           "add.f32 %f32_1, %s32_1, %f32_2;",
           "add.f64 %f64_1, %u64_1, %f64_2;",
           "add.f16 %f16_1, %u16_1, %f16_2;",
           "add.f16x2 %f32_1, %b32_1, %b32_2;",
           "add.f16x2 %b32_1, %b32_2, 1.0;",
           "add.f32 %f32_1, %f16x2_1, %f32_2;",
           "mov.u32 %f32_1, 0;",
           "mov.f32 %u32_1, 0f00000000;",
           "setp.lt.s32 %p1, %f32_1, 0;",
           "setp.lt.f32 %p1, %f32_1, 0;",
           "cvt.rn.f32.u32 %f32_1, %f32_2;",
           "cvt.f64.f32 %f64_1, %f64_2;",
           "cvt.rn.f32.f64 %f64_1, %f64_2;",
           "ld.global.f32 %f64_1, [%b64_1];",
           "ld.global.f32 %u32_1, [%b64_1];",
           "ld.global.u32 %f32_1, [%b64_1];",
           "ld.global.u32 %v.x, [%b64_1];",
           "ld.global.u32 %u32_1, [%f64_1];",
           "st.global.f32 [%b64_1], %f64_1;",
           "st.global.u32 [%b64_1], 1.0;",
           "st.global.f32 [%b64_1], 1;",
           "atom.global.add.u32 %u32_1, [%b64_1], %f32_1;",
           "atom.global.add.f32 %f32_1, [%b64_1], 1;",
           "redux.sync.add.u32 %u32_1, %f32_1, -1;",
           "tex.1d.v4.u32.s32 {%f32_1, %u32_1, %u32_2, %u32_3}, [%u64_1, {%u32_1}];",
           "tex.1d.v4.f32.f32 {%f32_1, %f32_1, %f32_2, %f32_3}, [%u64_1, {%u32_1}];",
       }) {
    EXPECT_NE(error_with(text), "") << text;
  }
  EXPECT_EQ(error_with("mul.lo.u32 %u32_1, %f32_1, 2;"),
            "kernel 'k': t.ptx:21: unsupported instruction 'mul.lo.u32' (%f32_1 is declared as numbers of another kind "
            "than the operand)");
}

}  // namespace operands_test
}  // namespace warpfold::isa
