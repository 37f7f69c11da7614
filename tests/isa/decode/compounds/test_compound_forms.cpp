// SPDX-License-Identifier: Apache-2.0
// Forms that are lowered to plainer ones: what they leave, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <bit>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace compound_forms_test {

// The word `out` after a kernel with `body`. Registers hold 0 or nothing that is used before it is written.
std::uint32_t word_after(const std::string& body) {
  PtxFixture ptx(
      with_header(".global .align 16 .b32 out[4];\n.global .align 32 .b32 from[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
                  ".global .align 32 .b32 to[8];\n.visible .entry k()\n{\n.reg .pred %p<8>;\n"
                  ".reg .b8 %b<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n"
                  ".reg .b64 %d<8>;\n.reg .b128 %q<4>;\n.shared .align 8 .b8 box[64];\n" +
                  body + "\nst.global.b32 [out], %r1;\nret;\n}\n"));
  ptx.run(1);
  return ptx.read<std::uint32_t>("out");
}
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(CompoundForms, MixedPrecision) {
  const std::string halves = "mov.b16 %h1, 0x4000; mov.b16 %h2, 0x4040; mov.f32 %f3, 0.125;\n";  // 2; 2.125, bf16 3
  EXPECT_EQ(word_after(halves + "add.f32.f16 %f1, %h1, %f3; mov.b32 %r1, %f1;"), bits(2.125F));
  EXPECT_EQ(word_after(halves + "sub.rn.f32.f16 %f1, %h2, %f3; mov.b32 %r1, %f1;"), bits(2.0F));
  EXPECT_EQ(word_after(halves + "sub.f32.bf16 %f1, %h2, %f3; mov.b32 %r1, %f1;"), bits(2.875F));
  EXPECT_EQ(word_after(halves + "fma.rn.f32.f16 %f1, %h1, %h2, %f3; mov.b32 %r1, %f1;"), bits(4.375F));
  EXPECT_EQ(word_after(halves + "fma.rn.sat.f32.f16 %f1, %h1, %h2, %f3; mov.b32 %r1, %f1;"), bits(1.0F));
  // 1 + 2^-30 rounds up, towards zero it does not.
  const std::string tiny = "mov.b16 %h1, 0x3c00; mov.f32 %f3, 0f30800000;\n";
  EXPECT_EQ(word_after(tiny + "add.rp.f32.f16 %f1, %h1, %f3; mov.b32 %r1, %f1;"), 0x3f800001U);
  EXPECT_EQ(word_after(tiny + "add.rz.f32.f16 %f1, %h1, %f3; mov.b32 %r1, %f1;"), 0x3f800000U);
}

TEST(CompoundForms, ConversionsOfFour) {
  // 1, -2, 17/16 and 3; random bits that add up to one with the 17/16's half, and with nothing else.
  const std::string numbers = "mov.f32 %f1, 1.0; mov.f32 %f2, -2.0; mov.f32 %f3, 0f3F880000; mov.f32 %f4, 3.0;\n";
  EXPECT_EQ(
      word_after(numbers + "mov.b32 %r2, 0x00000001; cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;"),
      0x38c03944U);
  EXPECT_EQ(
      word_after(numbers + "mov.b32 %r2, 0x00008000; cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;"),
      0x38c03844U);
  EXPECT_EQ(word_after(numbers + "mov.b32 %r2, 0; cvt.rs.satfinite.relu.e5m2x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;"),
            0x3c003c42U);
  EXPECT_EQ(word_after(numbers + "mov.b32 %r2, -1; cvt.rs.satfinite.e2m1x4.f32 %h1, {%f1, %f2, %f3, %f4}, %r2;\n"
                                 "cvt.u32.u16 %r1, %h1;"),
            0x2c35U);
  EXPECT_EQ(word_after(numbers + ".reg .v4 .f32 v; mov.v4.f32 v, {%f4, %f3, %f2, %f1}; mov.b32 %r2, 0;\n"
                                 "cvt.rs.relu.satfinite.e3m2x4.f32 %r1, v, %r2;"),
            0x120c000cU);
  for (const char* text :
       {"cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2}, %r2;", "cvt.rs.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;",
        "cvt.rs.satfinite.e4m3x2.f32 %rs1, %f1, %f2, %r2;", "cvt.rs.f16.f32 %rs1, %f1, %r2;",
        "cvt.rs.f16x2.f32 %r1, %f1, %f2;"}) {
    EXPECT_NE(decode_error(kernel_text(std::string(text) + " ret;")).find("unsupported instruction 'cvt.rs."),
              std::string::npos)
        << text;
  }
}

TEST(CompoundForms, TheGuardHoldsForAllOfIt) {
  const std::string before = "mov.b32 %r1, 7; mov.b16 %h1, 0x3c00; mov.f32 %f1, 5.0; setp.eq.u32 %p1, %r1, 8;\n";
  EXPECT_EQ(word_after(before + "@%p1 add.f32.f16 %f1, %h1, %f1; mov.b32 %r1, %f1;"), bits(5.0F));
  EXPECT_EQ(word_after(before + "@!%p1 add.f32.f16 %f1, %h1, %f1; mov.b32 %r1, %f1;"), bits(6.0F));
  EXPECT_EQ(word_after(before + "@%p1 mov.v2.b32 {%r1, %r2}, {1, 2};"), 7U);
  EXPECT_EQ(word_after(before + "@%p1 vadd.s32.s32.s32 %r1, %r1, %r1;"), 7U);
  EXPECT_EQ(word_after(before + "mov.u64 %d1, 3; mov.b128 %q1, {%d1, %d1}; mov.u64 %d2, 4; mov.b128 %q2, {%d2, %d2};\n"
                                "@%p1 mov.b128 %q2, %q1; mov.b128 {%d3, %d4}, %q2; cvt.u32.u64 %r1, %d4;"),
            4U);
}

TEST(CompoundForms, LogicWithAPredicate) {
  const std::string before = "mov.b32 %r2, 12; mov.b32 %r3, 10; mov.b32 %r4, 0; setp.eq.u32 %p2, %r4, 0;\n";
  const auto both = [&](const std::string& line) {
    return word_after(before + line + "\nselp.b32 %r2, 100, 0, %p1; add.u32 %r1, %r1, %r2;");
  };
  EXPECT_EQ(both("lop3.and.b32 %r1|%p1, %r2, %r3, %r4, 0xc0, %p2;"), 108U) << "12 & 10, not zero, and true";
  EXPECT_EQ(both("lop3.and.b32 %r1|%p1, %r2, %r3, %r4, 0xc0, !%p2;"), 8U);
  EXPECT_EQ(both("lop3.or.b32 %r1|%p1, %r2, %r4, %r4, 0xc0, !%p2;"), 0U);
  EXPECT_EQ(word_after(before + "mov.b32 %r1, 5; lop3.or.b32 _|%p1, %r2, %r3, %r4, 0xc0, !%p2;\n"
                                "@%p1 add.u32 %r1, %r1, 1;"),
            6U);
}

TEST(CompoundForms, ClustersAreOfOneBlock) {
  const std::string before = "mov.b32 %r2, 77; st.shared.b32 [box + 4], %r2; mov.b32 %r3, box; mov.b32 %r4, 0;\n";
  EXPECT_EQ(word_after(before + "mapa.shared::cluster.u32 %r3, %r3, %r4; ld.shared::cluster.b32 %r1, [%r3 + 4];"), 77U);
  EXPECT_EQ(word_after(before + "mapa.shared::cluster.u32 %r3, box, 0; ld.shared::cluster.b32 %r1, [%r3 + 4];"), 77U);
  EXPECT_EQ(word_after(before + "mov.u64 %d1, box; cvta.shared.u64 %d1, %d1; mapa.u64 %d2, %d1, %r4;\n"
                                "ld.b32 %r1, [%d2 + 4];"),
            77U);
  EXPECT_EQ(word_after(before + "mov.b32 %r1, 5; getctarank.shared::cluster.u32 %r1, box;"), 0U);
  EXPECT_EQ(word_after(before + "mov.b32 %r1, 5; mov.u64 %d1, box; getctarank.u64 %r1, %d1;"), 0U);
}

TEST(CompoundForms, VectorsAreMovedAtOnce) {
  EXPECT_EQ(word_after("mov.b32 %r2, 2; mov.b32 %r3, 30; mov.v2.b32 {%r2, %r3}, {%r3, %r2}; sub.u32 %r1, %r2, %r3;"),
            28U);
  EXPECT_EQ(word_after(".reg .v4 .u32 v; mov.v4.u32 v, %ntid; add.u32 %r1, v.x, v.y; add.u32 %r1, %r1, v.z;"), 3U);
  EXPECT_EQ(word_after(".reg .v4 .u32 v; mov.v4.u32 v, {1, 20, 300, 4000}; mov.v4.u32 {%r1, _, %r3, _}, v;\n"
                       "add.u32 %r1, %r1, %r3;"),
            301U);
  EXPECT_EQ(word_after("mov.b32 %r2, 0x44332211; mov.b32 {%b1, %b2, %b3, %b4}, %r2;\n"
                       "mov.b32 %r1, {%b4, %b3, %b2, %b1};"),
            0x11223344U);
  EXPECT_EQ(word_after("mov.b16 %h1, 0x2211; mov.b16 {%b1, %b2}, %h1; mov.b16 %h1, {%b2, %b1}; cvt.u32.u16 %r1, %h1;"),
            0x1122U);
}

TEST(CompoundForms, VectorRegistersAreTheirParts) {
  EXPECT_EQ(word_after(".reg .v2 .b16 v; mov.b16 v.x, 0x11; mov.b16 v.y, 0x22; mov.b32 %r1, v;"), 0x220011U);
  EXPECT_EQ(word_after(".reg .v2 .b32 v; mov.u64 %d1, 0x500000003; mov.b64 v, %d1; sub.u32 %r1, v.y, v.x;"), 2U);
}

TEST(CompoundForms, ModifiersInAnyOrder) {
  EXPECT_EQ(word_after("mov.f32 %f1, 6.0; mov.f32 %f2, 2.0; div.ftz.rn.f32 %f1, %f1, %f2; mov.b32 %r1, %f1;"),
            bits(3.0F));
  EXPECT_EQ(word_after("mov.f32 %f1, 6.0; add.sat.ftz.rz.f32 %f1, %f1, %f1; mov.b32 %r1, %f1;"), bits(1.0F));
  EXPECT_NE(decode_error(kernel_text("div.rn.approx.f32 %f1, %f1, %f2; ret;")), "");
}

TEST(CompoundForms, LocalVariablesOfTheModule) {
  PtxFixture ptx(
      with_header(".global .align 4 .b32 out;\n.local .align 4 .b32 %L1[4];\n.visible .entry k()\n{\n"
                  ".reg .b32 %r<5>;\nmov.u32 %r2, %L1;\nmov.b32 %r3, 5;\nst.local.b32 [%r2 + 8], %r3;\n"
                  "ld.local.b32 %r1, [%L1 + 8];\nst.global.b32 [out], %r1;\nret;\n}\n"));
  ptx.run(1);
  EXPECT_EQ(ptx.read<std::uint32_t>("out"), 5U);
}

TEST(CompoundForms, EightWordsAtOnce) {
  const std::string all = "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}";
  EXPECT_EQ(word_after("mov.u64 %d1, from; mov.u64 %d2, to; ld.global.v8.b32 " + all + ", [%d1];\n" +
                       "mov.b32 %r1, 9; st.global.v8.b32 [%d2], " + all + "; ld.global.b32 %r1, [to + 28];\n" +
                       "ld.global.b32 %r2, [to]; mad.lo.u32 %r1, %r2, 10, %r1;"),
            98U);
  EXPECT_EQ(word_after("mov.u64 %d1, from; ld.global.v8.b32 {_, _, _, _, _, _, %r1, _}, [%d1];"), 7U);
}

TEST(CompoundForms, Comparisons) {
  const std::string before = "mov.b16 %h1, -3; mov.b16 %h2, 4; mov.b32 %r3, 1; setp.eq.u32 %p3, %r3, 1;\n";
  EXPECT_EQ(word_after(before + "set.lt.u32.s16 %r1, %h1, %h2;"), ~0U);
  EXPECT_EQ(word_after(before + "set.lt.u32.u16 %r1, %h1, %h2;"), 0U);
  EXPECT_EQ(word_after(before + "set.eq.s32.b16 %r1, %h1, 0xfffd;"), ~0U);
  EXPECT_EQ(word_after(before + "set.lt.and.f32.s16 %f1, %h1, %h2, !%p3; mov.b32 %r1, %f1;"), 0U);
  EXPECT_EQ(word_after(before + "set.gt.f16.s32 %h1, %r3, 0; cvt.u32.u16 %r1, %h1;"), 0x3c00U);
  EXPECT_EQ(word_after(before + "set.gt.bf16.s32 %h1, %r3, 0; cvt.u32.u16 %r1, %h1;"), 0x3f80U);
  EXPECT_EQ(word_after(before + "mov.b16 %h1, 0x3c00; set.gt.u16.f16 %h2, %h1, 0; cvt.u32.u16 %r1, %h2;"), 0xffffU);
  EXPECT_EQ(word_after(before + "mov.b16 %h1, 0x3c00; set.gt.bf16.f16 %h2, %h1, 0; cvt.u32.u16 %r1, %h2;"), 0x3f80U);
  const std::string pairs = "mov.b32 %r2, 0x3c000001; mov.b32 %r3, 0x40000000; setp.eq.u32 %p3, %r2, %r2;\n";
  const std::string sum = "selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 10, 0, %p2; add.u32 %r1, %r1, %r2;";
  // 1 < 2 in the upper halves; in the lower ones a subnormal is not below 0, nor above it when flushed.
  EXPECT_EQ(word_after(pairs + "setp.lt.and.f16x2 %p1|%p2, %r2, %r3, %p3;" + sum), 10U);
  EXPECT_EQ(word_after(pairs + "setp.ne.and.f16x2 %p1|%p2, %r2, %r3, %p3;" + sum), 11U);
  EXPECT_EQ(word_after(pairs + "setp.ne.and.ftz.f16x2 %p1|%p2, %r2, %r3, %p3;" + sum), 10U);
  EXPECT_EQ(word_after(pairs + "setp.ne.and.f16x2 %p1|%p2, %r2, %r3, !%p3;" + sum), 0U);
  EXPECT_EQ(word_after(pairs + "set.ne.and.f16x2.f16x2 %r1, %r2, %r3, %p3;"), 0x3c003c00U);
  EXPECT_EQ(word_after(pairs + "set.ne.and.ftz.f16x2.f16x2 %r1, %r2, %r3, %p3;"), 0x3c000000U);
  EXPECT_EQ(word_after(pairs + "set.ne.xor.u32.f16x2 %r1, %r2, %r3, %p3;"), 0U);
  EXPECT_EQ(word_after(pairs + "cvt.u16.u32 %h1, %r2; mov.b16 %h2, 0; set.ne.or.u32.f16 %r1, %h1, %h2, !%p3;"), ~0U);
  EXPECT_EQ(word_after(pairs + "cvt.u16.u32 %h1, %r2; mov.b16 %h2, 0; setp.gt.ftz.f16 %p1, %h1, %h2;\n"
                               "selp.b32 %r1, 1, 0, %p1;"),
            0U);
  EXPECT_EQ(word_after("mov.b32 %r2, 5; setp.lt.s32 _|%p1, %r2, 3; selp.b32 %r1, 1, 0, %p1;"), 1U);
}

TEST(CompoundForms, ElementsOfVariables) {
  EXPECT_EQ(word_after("ld.global.b32 %r1, from[2];"), 3U);
  EXPECT_EQ(word_after("mov.b32 %r2, 11; st.global.b32 to[WARP_SZ / 8], %r2; ld.global.b32 %r1, [to + 16];"), 11U);
  EXPECT_EQ(word_after("mov.u64 %d1, from[3]; ld.global.b32 %r1, [%d1];"), 4U);
  EXPECT_EQ(word_after("mov.b32 %r2, 9; st.shared.b32 box[8], %r2; ld.shared.b32 %r1, [box + 8];"), 9U) << "of bytes";
  EXPECT_EQ(word_after("mov.u32 %r1, WARP_SZ - 1;"), 31U);
  EXPECT_EQ(word_after("add.u32 %r1, WARP_SZ, 1;"), 33U);
  EXPECT_NE(decode_error(kernel_text("mov.b32 %r1, 1; ld.shared.b32 %r1, %r1[2]; ret;")), "");
  EXPECT_NE(decode_error(kernel_text("ld.shared.b32 %r1, [box[2]]; ret;")), "");
}

TEST(CompoundForms, GenericAddressesOfParameters) {
  PtxFixture ptx(
      with_header(".global .align 16 .b32 out[4];\n.visible .entry k(.param .align 8 .b8 s[16])\n{\n"
                  ".reg .pred %p<3>;\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\nmov.b64 %d1, s;\n"
                  "cvta.param.u64 %d2, %d1;\nisspacep.param %p1, %d2;\nisspacep.global %p2, %d2;\n"
                  "ld.u32 %r1, [%d2 + 12];\n@%p1 add.u32 %r1, %r1, 100;\n@%p2 add.u32 %r1, %r1, 1000;\n"
                  "st.global.b32 [out], %r1;\nret;\n}\n"));
  std::vector<std::byte> parameters(16);
  parameters[12] = std::byte{7};
  ptx.run(1, parameters);
  EXPECT_EQ(ptx.read<std::uint32_t>("out"), 107U);
  PtxFixture store(
      with_header(".visible .entry k(.param .u64 s)\n{\n.reg .b64 %d<4>;\n.reg .b32 %r<2>;\n"
                  "mov.b64 %d1, s;\ncvta.param.u64 %d2, %d1;\nmov.b32 %r1, 1;\nst.u32 [%d2], %r1;\n"
                  "ret;\n}\n"));
  EXPECT_NE(error_of([&] { store.run(1, std::vector<std::byte>(8)); }).find("parameters, which are read-only"),
            std::string::npos);
}

}  // namespace compound_forms_test
}  // namespace warpfold::isa
