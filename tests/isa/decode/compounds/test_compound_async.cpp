// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies with sizes that are constants, and with operands of every kind where another is needed.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace compound_async_test {

// Words 1, 2, 3, 4 copied into a box of threes.
std::vector<std::uint32_t> copied(const std::string& sizes) {
  PtxFixture ptx(
      with_header(".global .align 16 .b32 from[4] = {1, 2, 3, 4};\n.global .align 16 .b32 out[4];\n"
                  ".visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<5>;\n.shared .align 16 .b8 box[16];\n"
                  "setp.eq.u32 %p1, 0, 0;\nst.shared.v4.u32 [box], {3, 3, 3, 3};\n"
                  "cp.async.ca.shared.global [box], [from], " +
                  sizes +
                  ";\ncp.async.wait_all;\nld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [box];\n"
                  "st.global.v4.b32 [out], {%r1, %r2, %r3, %r4};\nret;\n}\n"));
  ptx.run(1);
  std::vector<std::uint32_t> words;
  for (unsigned i = 0; i < 4; ++i) words.push_back(ptx.read<std::uint32_t>("out", i));
  return words;
}

TEST(CompoundAsync, BytesThatAreNotReadAreZero) {
  using Words = std::vector<std::uint32_t>;
  EXPECT_EQ(copied("16, 12"), (Words{1, 2, 3, 0}));
  EXPECT_EQ(copied("16, 5"), (Words{1, 2, 0, 0}));
  EXPECT_EQ(copied("16, 16"), (Words{1, 2, 3, 4}));
  EXPECT_EQ(copied("16, 0"), (Words{0, 0, 0, 0}));
  EXPECT_EQ(copied("8, 4"), (Words{1, 0, 3, 3}));
  EXPECT_EQ(copied("4, 0"), (Words{0, 3, 3, 3}));
  EXPECT_EQ(copied("16, %p1"), (Words{0, 0, 0, 0})) << "ignore-src";
  EXPECT_EQ(copied("16, !%p1"), (Words{1, 2, 3, 4}));
}

std::string error_with(const std::string& instruction) {
  return decode_error(
      with_header(".global .align 16 .b32 from[4];\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n"
                  ".reg .f32 %f<4>;\n.reg .b64 %rd<4>;\n.reg .v2 .b32 %v;\n.shared .align 16 .b64 box[2];\n" +
                  instruction + ";\nret;\n}\n"));
}

TEST(CompoundAsync, OperandsOfAnotherKindAreRefused) {
  struct Form {
    std::string opcode;
    std::vector<std::string> operands;
  };
  const std::vector<Form> forms = {
      {"cp.async.ca.shared.global", {"[box]", "[from]", "16", "%r1"}},
      {"cp.async.ca.shared.global", {"[%r1]", "[%rd1]", "16"}},
      {"cp.async.ca.shared.global.L2::cache_hint", {"[box]", "[from]", "16", "%r1", "%rd1"}},
      {"mbarrier.init.shared.b64", {"[box]", "%r1"}},
      {"mbarrier.arrive.shared.b64", {"%rd1", "[box]", "2"}},
      {"mbarrier.test_wait.shared.b64", {"%p1", "[box]", "%rd1"}},
      {"mbarrier.test_wait.parity.shared.b64", {"%p1", "[box]", "%r1"}},
      {"mbarrier.pending_count.b64", {"%r1", "%rd1"}},
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", {"%r1", "[box]"}},
      {"wmma.load.a.sync.aligned.row.m8n8k4.f64", {"%rd1", "[%rd2]", "%r1"}},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
       {"{%f1, %f2, %f3, %f1}", "{%r1, %r2, %r3, %r4}", "{%r5, %r6}", "{%f1, %f2, %f3, %f1}"}},
  };
  const std::string others[] = {"7",     "-1",     "1.5",      "0f3F800000", "%r1",    "%rd1",
                                "%f1",   "%p1",    "!%p1",     "%v",         "%v.x",   "%tid.x",
                                "{%r1}", "{1, 2}", "_",        "from",       "[from]", "[%p1]",
                                "[%f1]", "[%v.x]", "[%rd1+4]", "%r1|%p1",    "[16]",   "{1, 2, 3, 4}"};
  for (const Form& form : forms) {
    for (std::size_t changed = 0; changed <= form.operands.size(); ++changed) {
      for (const std::string& other : others) {
        std::string text = form.opcode;
        for (std::size_t k = 0; k < form.operands.size(); ++k) {
          text += (k == 0 ? " " : ", ") + (k == changed ? other : form.operands[k]);
        }
        const std::string error = error_with(text);  // or none, where it says something else that is right
        EXPECT_TRUE(error.empty() || error.find("t.ptx:13") != std::string::npos) << text << ": " << error;
        EXPECT_TRUE(changed != form.operands.size() || error.empty()) << text << ": " << error;
      }
    }
  }
  for (const char* text :
       {"cp.async.ca.shared.global [box], [from], 16, 17", "cp.async.ca.shared.global [box], [from], 16, 1.0",
        "cp.async.ca.shared.global [box], [from], 16, %f1", "cp.async.ca.shared.global [box], [from], 16, %rd1",
        "cp.async.ca.shared.global [box], [from], 16, [%r1]", "cp.async.ca.shared.global %r1, [from], 16",
        "cp.async.ca.shared.global [box], %rd1, 16", "cp.async.ca.shared.global [box], [from], %r1",
        "mbarrier.init.shared.b64 box, 4", "mbarrier.init.shared.b64 [box], %f1"}) {
    EXPECT_NE(error_with(text), "") << text;
  }
}

}  // namespace compound_async_test
}  // namespace warpfold::isa
