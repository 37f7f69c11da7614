// SPDX-License-Identifier: Apache-2.0
// Atomics on 16 bits and on pairs of them, and those that are arrivals at an mbarrier.
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
