// SPDX-License-Identifier: Apache-2.0
// Registers of 128 bits: moves, loads and stores of both halves.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace wide_registers_test {

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

TEST(WideRegisters, AreMovedLoadedAndStored) {
  const std::string pair = "mov.u64 %d1, 0x100000002; mov.u64 %d2, 0x300000004; mov.b128 %q1, {%d1, %d2};\n";
  EXPECT_EQ(word_after(pair + "mov.b128 {%d3, %d4}, %q1; sub.u64 %d3, %d4, %d3; cvt.u32.u64 %r1, %d3;"), 2U);
  EXPECT_EQ(word_after(pair + "mov.b128 {_, %d4}, %q1; cvt.u32.u64 %r1, %d4;"), 4U);
  EXPECT_EQ(word_after(pair + "mov.b128 %q2, %q1; st.shared.b128 [box + 16], %q2; ld.shared.b32 %r1, [box + 28];"), 3U);
  EXPECT_EQ(word_after("ld.global.b128 %q1, [from + 16]; mov.b128 {%d1, %d2}, %q1; mov.b64 {%r2, %r1}, %d1;"), 6U);
  EXPECT_EQ(word_after("ld.global.v2.b128 {%q1, %q2}, [from]; mov.b128 {%d1, %d2}, %q2; mov.b64 {%r2, %r1}, %d2;"), 8U);
  EXPECT_NE(decode_error(kernel_text(".reg .b128 %q<3>; add.u64 %rd1, %q1, %q2; ret;")).find("128-bit"),
            std::string::npos);
}

}  // namespace wide_registers_test
}  // namespace warpfold::isa
