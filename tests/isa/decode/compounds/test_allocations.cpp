// SPDX-License-Identifier: Apache-2.0
// alloca: disjoint memory, aligned, given back when a function returns, and a fault where the stack ends.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace allocations_test {

std::uint32_t word_after(const std::string& body, const std::string& functions = "", std::uint64_t stack_bytes = 1024) {
  DecodeOptions options;
  options.stack_bytes = stack_bytes;
  PtxFixture ptx(with_header(".global .align 4 .b32 out;\n" + functions +
                             "\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %d<8>;\n" +
                             body + "\nst.global.b32 [out], %r1;\nret;\n}\n"),
                 options);
  ptx.run(2);
  return ptx.read<std::uint32_t>("out");
}

TEST(Allocations, DoNotOverlap) {
  EXPECT_EQ(word_after("alloca.u64 %d1, 8; mov.u64 %d3, 5; alloca.u64 %d2, %d3; mov.b32 %r2, 1; mov.b32 %r3, 20;\n"
                       "st.local.b32 [%d1 + 4], %r2; st.local.b32 [%d2], %r3; ld.local.b32 %r4, [%d1 + 4];\n"
                       "ld.local.b32 %r5, [%d2]; add.u32 %r1, %r4, %r5;"),
            21U);
  EXPECT_EQ(word_after("alloca.u32 %r2, 3; alloca.u32 %r3, 1; sub.u32 %r1, %r3, %r2;"), 8U) << "eight bytes apart";
  EXPECT_EQ(word_after("alloca.u32 %r2, 3; alloca.u32 %r3, 1, 64; and.b32 %r1, %r3, 63;"), 0U);
  EXPECT_EQ(word_after("alloca.u64 %d1, 8; cvta.local.u64 %d2, %d1; mov.b32 %r2, 6; st.b32 [%d2], %r2;\n"
                       "ld.local.b32 %r1, [%d1];"),
            6U);
}

TEST(Allocations, GoBackToWhatWasSaved) {
  EXPECT_EQ(word_after("stacksave.u32 %r9; alloca.u32 %r2, 64; stackrestore.u32 %r9; alloca.u32 %r3, 64;\n"
                       "sub.u32 %r1, %r3, %r2;"),
            0U);
  EXPECT_EQ(word_after("stacksave.u64 %d1; mov.b32 %r2, 0;\nLOOP: stackrestore.u64 %d1; alloca.u64 %d2, 600;\n"
                       "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 10; @%p1 bra LOOP; mov.b32 %r1, %r2;"),
            10U);
}

// Ten calls would need more than there is, were it not given back.
TEST(Allocations, EndWithTheirFunction) {
  const std::string function =
      ".func (.reg .u32 v) f (.reg .u32 a)\n{ .reg .b64 %d<3>; .reg .pred %q;\n"
      "alloca.u64 %d1, 300; st.local.u32 [%d1 + 296], a; ld.local.u32 v, [%d1 + 296];\n"
      "setp.gt.u32 %q, a, 5; @%q ret; add.u32 v, v, 1000; ret; }\n";
  EXPECT_EQ(word_after("mov.b32 %r1, 0; mov.b32 %r2, 0;\nLOOP: call (%r3), f, (%r2); add.u32 %r1, %r1, %r3;\n"
                       "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 10; @%p1 bra LOOP;",
                       function),
            6045U);
}

TEST(Allocations, TheStackEnds) {
  const auto error = [](const std::string& body, std::uint64_t bytes) {
    return error_of([&] { word_after(body, "", bytes); });
  };
  EXPECT_EQ(error("alloca.u64 %d1, 56; mov.b32 %r1, 0;", 64), "");
  EXPECT_NE(error("alloca.u64 %d1, 72; mov.b32 %r1, 0;", 64).find("needs more than the 64 bytes of its stack"),
            std::string::npos);
  EXPECT_NE(error("mov.u64 %d2, -1; alloca.u64 %d1, %d2; mov.b32 %r1, 0;", 64), "") << "more than there can be";
  EXPECT_NE(error("alloca.u64 %d1, 8, 3; mov.b32 %r1, 0;", 64).find("alloca"), std::string::npos);
}

}  // namespace allocations_test
}  // namespace warpfold::isa
