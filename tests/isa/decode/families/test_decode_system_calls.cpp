// SPDX-License-Identifier: Apache-2.0
// Calls of printf, assert, malloc and free become one instruction each; calls of bodies of these names do not.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/isa/ptx_fixture.h"
#include "tests/isa/system_call_ptx.h"

namespace warpfold::isa {
namespace decode_system_calls_test {

constexpr const char* kRegisters = ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n";

std::string entry(const std::string& body) { return ".entry k()\n{\n" + std::string(kRegisters) + body + "ret;\n}\n"; }

std::vector<MicroOp> calls_of(const Kernel& kernel) {
  std::vector<MicroOp> calls;
  std::copy_if(kernel.ops.begin(), kernel.ops.end(), std::back_inserter(calls),
               [](const MicroOp& op) { return op.kind == Kind::kSystemCall; });
  return calls;
}

SystemCall which(const MicroOp& op) { return static_cast<SystemCall>(op.element_type); }

TEST(DecodeSystemCalls, OneInstructionEachWithItsOperandsInRegisters) {
  PtxFixture fixture(with_header(
      kSystemFunctions + entry(call_text("vprintf", "b32 %r1", {"b64 %rd1", "b64 %rd2"}) +
                               call_text("__assertfail", "", {"b64 %rd1", "b64 %rd2", "b32 %r1", "b64 %rd3", "b64 1"}) +
                               call_text("malloc", "b64 %rd4", {"b64 %rd1"}) + call_text("free", "", {"b64 %rd4"}))));
  const Kernel& kernel = fixture.kernel();
  EXPECT_EQ(kernel.local_bytes, 0U);
  const std::vector<MicroOp> calls = calls_of(kernel);
  ASSERT_EQ(calls.size(), 4U);
  const struct {
    const char* text;
    SystemCall call;
    unsigned sources, wide, results, wide_results;
  } expected[] = {{"call vprintf", SystemCall::kPrint, 2, 0b11, 1, 0},
                  {"call __assertfail", SystemCall::kAssert, 4, 0b1011, 0, 0},
                  {"call malloc", SystemCall::kMalloc, 1, 1, 1, 1},
                  {"call free", SystemCall::kFree, 1, 1, 0, 0}};
  for (unsigned k = 0; k < 4; ++k) {
    const MicroOp& op = calls[k];
    EXPECT_EQ(kernel.opcodes[op.text], expected[k].text);
    EXPECT_EQ(which(op), expected[k].call);
    EXPECT_EQ(op.unit, Unit::kMemory);
    EXPECT_EQ(op.space, Space::kGlobal);
    EXPECT_EQ(op.line, 11U + k);
    EXPECT_EQ(op.s_count, expected[k].sources);
    EXPECT_EQ(op.s_wide, expected[k].wide);
    EXPECT_EQ(op.d_count, expected[k].results);
    EXPECT_EQ(op.d_wide, expected[k].wide_results);
    EXPECT_EQ(op.writes.size(), expected[k].results + expected[k].wide_results);
    EXPECT_FALSE(op.reads.empty());
  }
}

TEST(DecodeSystemCalls, UnderAGuard) {
  PtxFixture fixture(
      with_header(kSystemFunctions + entry("setp.eq.u32 %p1, %r1, 3;\n{ .param .b64 a; st.param.b64 [a], "
                                           "%rd1;\n@!%p1 call free, (a); }\n")));
  const MicroOp call = calls_of(fixture.kernel()).at(0);
  EXPECT_NE(call.guard, kNoWord);
  EXPECT_TRUE(call.guard_negated);
}

// A call in a function is one wherever the function is called.
TEST(DecodeSystemCalls, InFunctionsToo) {
  PtxFixture fixture(with_header(kSystemFunctions + ".func f(.param .b64 p)\n{\n" + kRegisters +
                                 "ld.param.u64 %rd1, [p];\n" + call_text("free", "", {"b64 %rd1"}) + "ret;\n}\n" +
                                 entry(call_text("f", "", {"b64 %rd1"}) + call_text("f", "", {"b64 %rd2"}))));
  EXPECT_EQ(calls_of(fixture.kernel()).size(), 2U);
}

TEST(DecodeSystemCalls, AFunctionOfThatNameWithABodyIsCode) {
  PtxFixture fixture(with_header(
      ".visible .global .align 8 .u64 out;\n.func (.param .b64 r) malloc(.param .b64 a)\n{\n" +
      std::string(kRegisters) + "ld.param.u64 %rd1, [a];\nadd.u64 %rd1, %rd1, 5;\nst.param.b64 [r], %rd1;\nret;\n}\n" +
      entry(call_text("malloc", "b64 %rd4", {"b64 37"}) + "st.global.u64 [out], %rd4;\n")));
  EXPECT_TRUE(calls_of(fixture.kernel()).empty());
  fixture.run(1);
  EXPECT_EQ(fixture.read<std::uint64_t>("out"), 42U);
}

TEST(DecodeSystemCalls, WhatIsRefused) {
  EXPECT_EQ(decode_error(with_header(".extern .func (.param .b64 r) malloc(.param .b64 a, .param .b64 b);\n" +
                                     entry(call_text("malloc", "b64 %rd4", {"b64 %rd1", "b64 %rd2"})))),
            "kernel 'k': t.ptx:8: unsupported instruction 'call.uni' ('malloc' takes another number of parameters)");
  EXPECT_EQ(decode_error(with_header(
                kSystemFunctions + entry("{ .param .b64 a; st.param.b32 [a], %r1; st.param.b32 [a+4], %r2; call free, "
                                         "(a); }\n"))),
            "kernel 'k': t.ptx:11: unsupported instruction 'call' ('free' with parameters in parts)");
  EXPECT_EQ(decode_error(with_header(".extern .func other();\n" + entry("call other;\n"))),
            "kernel 'k': t.ptx:8: unsupported instruction 'call' ('other' has no body in this module)");
}

}  // namespace decode_system_calls_test
}  // namespace warpfold::isa
