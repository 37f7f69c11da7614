// SPDX-License-Identifier: Apache-2.0
// Atomics on 16 bits and on pairs of them, on 128 bits, and those that are arrivals at an mbarrier.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/execute/access/mbarrier.h"

namespace warpfold::isa {
namespace atomics_test {

std::string kernel_of(const std::string& variables, const std::string& body) {
  return with_header(variables + "\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b16 %rs<4>;\n.reg .b32 %r<8>;\n" +
                     ".reg .b64 %rd<4>;\n.shared .align 8 .b64 box;\n" + body + "\nret;\n}\n");
}

TEST(NarrowAtomics, CompareAndSwapTouchesItsHalfWordAlone) {
  PtxFixture ptx(kernel_of(".global .u16 a[4] = {1, 2, 3, 4};\n.global .u16 old[2];",
                           "mov.b16 %rs2, 2;\nmov.b16 %rs3, 99;\natom.global.cas.b16 %rs1, [a+2], %rs2, %rs3;\n"
                           "st.global.u16 [old], %rs1;\natom.global.cas.b16 %rs1, [a+4], %rs2, %rs3;\n"
                           "st.global.u16 [old+2], %rs1;"));
  ptx.run(1);
  const std::vector<std::uint16_t> expected{1, 99, 3, 4};
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(ptx.read<std::uint16_t>("a", i), expected[i]);
  EXPECT_EQ(ptx.read<std::uint16_t>("old", 0), 2U);
  EXPECT_EQ(ptx.read<std::uint16_t>("old", 1), 3U);
}

TEST(NarrowAtomics, SumsOfSixteenBits) {
  PtxFixture ptx(kernel_of(".global .align 4 .b32 a[4] = {0x3c003800, 0x3f803f00, 0x00003c00, 0x00003f80};",
                           "mov.b32 %r1, 0x40003c00;\natom.global.add.noftz.f16x2 %r2, [a], %r1;\n"
                           "mov.b32 %r1, 0x40003f80;\nred.global.add.noftz.bf16x2 [a+4], %r1;\n"
                           "mov.b16 %rs1, 0x1000;\nred.relaxed.gpu.global.add.noftz.f16 [a+8], %rs1;\n"
                           "mov.b16 %rs1, 0x3b80;\natom.global.add.noftz.bf16 %rs2, [a+12], %rs1;"));
  ptx.run(1);
  EXPECT_EQ(ptx.read<std::uint32_t>("a", 0), 0x42003e00U) << "1 + 2, 1/2 + 1";
  EXPECT_EQ(ptx.read<std::uint32_t>("a", 1), 0x40403fc0U) << "1 + 2, 1/2 + 1";
  EXPECT_EQ(ptx.read<std::uint32_t>("a", 2), 0x3c00U) << "2^-11 is half of the last place of 1: to even";
  EXPECT_EQ(ptx.read<std::uint32_t>("a", 3), 0x3f80U) << "2^-8 likewise";
}

// Of a number and a NaN the number, of two the canonical one; −0 is below +0; subnormal numbers stay.
TEST(NarrowAtomics, ExtremesOfElements) {
  struct Case {
    const char* type;
    std::uint16_t there, value, least, most;
  };
  const std::vector<Case> cases{{"f16", 0x3c00, 0xc000, 0xc000, 0x3c00},  {"f16", 0x8000, 0x0000, 0x8000, 0x0000},
                                {"f16", 0x0001, 0x8001, 0x8001, 0x0001},  {"f16", 0x7e01, 0x3c00, 0x3c00, 0x3c00},
                                {"f16", 0xfc00, 0x7c00, 0xfc00, 0x7c00},  {"f16", 0x7c01, 0xfe00, 0x7fff, 0x7fff},
                                {"bf16", 0x3f80, 0xc000, 0xc000, 0x3f80}, {"bf16", 0x0000, 0x8000, 0x8000, 0x0000},
                                {"bf16", 0x7f81, 0xff80, 0xff80, 0xff80}, {"bf16", 0x0001, 0x0002, 0x0001, 0x0002},
                                {"bf16", 0x7fff, 0xffff, 0x7fff, 0x7fff}};
  for (const Case& c : cases) {
    for (const bool most : {false, true}) {
      for (const bool pairs : {false, true}) {
        // The second element, or pair, is the first one's exchanged.
        const std::string type = std::string(c.type) + (pairs ? "x2" : ""), name = most ? "max" : "min";
        const std::uint32_t there = c.there | std::uint32_t{c.value} << 16,
                            value = c.value | std::uint32_t{c.there} << 16;
        const std::string text =
            pairs ? fmt::format(
                        "mov.b32 %r1, {:#x};\natom.global.{}.noftz.v2.{} {{%r2, %r3}}, [a], {{%r1, %r1}};\n"
                        "st.global.b32 [old], %r2;\nst.global.b32 [old + 4], %r3;",
                        value, name, type)
                  : fmt::format(
                        "mov.b32 %r1, {:#x};\nmov.b32 {{%rs1, %rs2}}, %r1;\n"
                        "atom.global.v2.{}.{}.noftz {{%rs1, %rs2}}, [a], {{%rs1, %rs2}};\n"
                        "mov.b32 %r2, {{%rs1, %rs2}};\nst.global.b32 [old], %r2;",
                        value, type, name);
        PtxFixture ptx(kernel_of(fmt::format(".global .align 8 .b32 a[2] = {{{:#x}, {:#x}}};\n.global .b32 old[2];",
                                             there, pairs ? there : 0),
                                 text));
        ptx.run(1);
        const std::uint32_t one = most ? c.most : c.least, expected = one | one << 16;
        EXPECT_EQ(ptx.read<std::uint32_t>("a", 0), expected) << text << std::hex << there;
        EXPECT_EQ(ptx.read<std::uint32_t>("a", 1), pairs ? expected : 0) << text;
        EXPECT_EQ(ptx.read<std::uint32_t>("old", 0), there) << text;
        EXPECT_EQ(ptx.read<std::uint32_t>("old", 1), pairs ? there : 0) << text;
      }
    }
  }
}

std::string wide_kernel(const std::string& variables, const std::string& body) {
  return kernel_of(".shared .align 16 .b64 wide[4];\n" + variables, ".reg .b128 %q<4>;\n.reg .b64 %d<8>;\n" + body);
}

TEST(WideAtomics, ExchangesComeOneAfterTheOther) {
  for (const std::string operation :
       {"atom.global.exch.b128 %q2, [cell]", "atom.acq_rel.gpu.global.exch.b128 %q2, [%rd1]",
        "atom.sys.exch.b128 %q2, [%rd2]", "atom.shared.exch.b128 %q2, [wide + 16]",
        "atom.relaxed.cluster.shared::cluster.exch.b128 %q2, [wide + 16]"}) {
    PtxFixture ptx(wide_kernel(".global .align 16 .b64 cell[2];\n.global .align 16 .b64 old[8];",
                               "mov.u32 %r1, %tid.x;\ncvt.u64.u32 %d1, %r1;\nadd.u64 %d1, %d1, 1;\n"
                               "shl.b64 %d2, %d1, 40;\nmov.b128 %q1, {%d1, %d2};\nmov.u64 %rd1, cell;\n"
                               "cvta.global.u64 %rd2, %rd1;\n" +
                                   operation +
                                   ", %q1;\nmul.wide.u32 %rd3, %r1, 16;\nmov.u64 %rd1, old;\n"
                                   "add.u64 %rd3, %rd3, %rd1;\nst.global.b128 [%rd3], %q2;"));
    ptx.run(4);
    for (unsigned thread = 0; thread < 4; ++thread) {
      EXPECT_EQ(ptx.read<std::uint64_t>("old", 2 * thread), thread) << operation;
      EXPECT_EQ(ptx.read<std::uint64_t>("old", 2 * thread + 1), std::uint64_t{thread} << 40) << operation;
    }
    if (operation.find("shared") != std::string::npos) continue;
    EXPECT_EQ(ptx.read<std::uint64_t>("cell", 0), 4U);
    EXPECT_EQ(ptx.read<std::uint64_t>("cell", 1), std::uint64_t{4} << 40);
  }
}

// Thread t compares with what is there but for bit 4 t, and finds another; the last one compares with what is there.
TEST(WideAtomics, AllBitsAreCompared) {
  const std::array<std::uint64_t, 2> there{0x0123456789abcdef, 0xfedcba9876543210};
  std::string wanted;
  for (unsigned thread = 0; thread < 32; ++thread) {
    std::array<std::uint64_t, 2> value = there;
    if (thread < 31) value[thread / 16] ^= std::uint64_t{1} << 4 * (thread % 16);
    wanted += fmt::format("{}{:#x}, {:#x}", thread == 0 ? "" : ", ", value[0], value[1]);
  }
  PtxFixture ptx(wide_kernel(fmt::format(".global .align 16 .b64 cell[2] = {{{:#x}, {:#x}}};\n"
                                         ".global .align 16 .b64 wanted[64] = {{{}}};\n.global .align 16 .b64 old[64];",
                                         there[0], there[1], wanted),
                             "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 16;\nmov.u64 %rd2, wanted;\n"
                             "add.u64 %rd2, %rd2, %rd1;\nld.global.b128 %q1, [%rd2];\nmov.u64 %d1, 77;\n"
                             "cvt.u64.u32 %d2, %r1;\nmov.b128 %q2, {%d1, %d2};\n"
                             "atom.global.cas.b128 %q1, [cell], %q1, %q2;\nmov.u64 %rd2, old;\n"
                             "add.u64 %rd2, %rd2, %rd1;\nst.global.b128 [%rd2], %q1;"));
  ptx.run(32);
  for (unsigned thread = 0; thread < 32; ++thread) {
    EXPECT_EQ(ptx.read<std::uint64_t>("old", 2 * thread), there[0]) << thread;
    EXPECT_EQ(ptx.read<std::uint64_t>("old", 2 * thread + 1), there[1]) << thread;
  }
  EXPECT_EQ(ptx.read<std::uint64_t>("cell", 0), 77U);
  EXPECT_EQ(ptx.read<std::uint64_t>("cell", 1), 31U);
}

TEST(WideAtomics, GuardsAndUnwantedResults) {
  PtxFixture ptx(wide_kernel(".global .align 16 .b64 cell[2] = {1, 2};",
                             "mov.u64 %d1, 3;\nmov.b128 %q1, {%d1, %d1};\nmov.u32 %r1, %tid.x;\n"
                             "setp.eq.u32 %p1, %r1, 0;\n@!%p1 atom.global.exch.b128 _, [cell], %q1;\n"
                             "ld.global.b64 %rd1, [cell];\nadd.u64 %d1, %d1, %rd1;\nmov.b128 %q1, {%d1, %d1};\n"
                             "@%p1 atom.global.exch.b128 _, [cell], %q1;"));
  ptx.run(1);
  EXPECT_EQ(ptx.read<std::uint64_t>("cell", 0), 4U);
  EXPECT_EQ(ptx.read<std::uint64_t>("cell", 1), 4U);
}

TEST(WideAtomics, WhatIsRefused) {
  const auto fault = [](const std::string& body) {
    return error_of([&] { PtxFixture(wide_kernel(".global .align 16 .b64 cell[4];", body)).run(1); });
  };
  EXPECT_NE(fault("atom.global.exch.b128 %q1, [cell + 8], %q2;").find("not a multiple of 16"), std::string::npos);
  EXPECT_NE(fault("atom.shared.cas.b128 %q1, [wide + 24], %q2, %q3;").find("not a multiple of 16"), std::string::npos);
  for (const char* text : {"red.global.exch.b128 [cell], %q1;", "atom.global.add.b128 %q1, [cell], %q2;",
                           "atom.global.and.b128 %q1, [cell], %q2;", "atom.global.exch.b128 %d1, [cell], %d2;",
                           "atom.global.cas.b128 %q1, [cell], %q2, 0;", "atom.global.cas.b128 %q1, [cell], %q2;",
                           "atom.local.exch.b128 %q1, [%d1], %q2;"}) {
    const std::string error = fault(text);
    EXPECT_NE(error.find("unsupported instruction '"), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(Mbarrier, CountsPhasesAndThoseWhoDropOut) {
  std::uint64_t state = 3 * mbarrier::kInitial;
  EXPECT_EQ(state & mbarrier::kCountMask, 3U);
  state = mbarrier::arrived(state, 1, false);
  EXPECT_EQ(state & mbarrier::kCountMask, 2U);
  EXPECT_EQ(state >> mbarrier::kPhaseShift, 0U);
  state = mbarrier::arrived(state, 1, true);
  state = mbarrier::arrived(state, 1, false);
  EXPECT_EQ(state >> mbarrier::kPhaseShift, 1U);
  EXPECT_EQ(state & mbarrier::kCountMask, 2U) << "one dropped out";
  state = mbarrier::arrived(state, 2, false);
  EXPECT_EQ(state >> mbarrier::kPhaseShift, 2U);
}

TEST(Mbarrier, InstructionsSeeThePhase) {
  PtxFixture ptx(kernel_of(".global .u32 out[6];",
                           "mbarrier.init.shared.b64 [box], 2;\nmbarrier.arrive.shared.b64 %rd1, [box];\n"
                           "mbarrier.pending_count.b64 %r1, %rd1;\nst.global.u32 [out], %r1;\n"
                           "mbarrier.test_wait.shared.b64 %p1, [box], %rd1;\nselp.u32 %r1, 1, 0, %p1;\n"
                           "st.global.u32 [out+4], %r1;\ncp.async.mbarrier.arrive.noinc.shared.b64 [box];\n"
                           "mbarrier.try_wait.shared.b64 %p1, [box], %rd1;\nselp.u32 %r1, 1, 0, %p1;\n"
                           "st.global.u32 [out+8], %r1;\nmbarrier.test_wait.parity.shared.b64 %p1, [box], 0;\n"
                           "selp.u32 %r1, 1, 0, %p1;\nst.global.u32 [out+12], %r1;\n"
                           "mbarrier.test_wait.parity.shared.b64 %p1, [box], 1;\nselp.u32 %r1, 1, 0, %p1;\n"
                           "st.global.u32 [out+16], %r1;"));
  ptx.run(1);
  const std::vector<std::uint32_t> expected{2, 0, 1, 1, 0};
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(ptx.read<std::uint32_t>("out", i), expected[i]) << i;
}

}  // namespace atomics_test
}  // namespace warpfold::isa
