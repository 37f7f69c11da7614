// SPDX-License-Identifier: Apache-2.0
// What counts as one instruction (docs/statistics.md): under PDOM, warp instructions by active lanes, counted by hand.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/common/results/trace.h"

namespace warpfold {
namespace instruction_counts_test {

// Active lanes → warp instructions.
using Histogram = std::map<int, int>;

class LaneCounter final : public TraceSink {
 public:
  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kIssue) ++histogram[std::popcount(record.other)];
  }
  Histogram histogram;
};

class InstructionCounts : public testing::TestWithParam<Timing> {
 protected:
  // Of one block of 40 threads: a warp of 32 and one of 8.
  static Histogram count(const std::string& ptx) {
    LaneCounter counter;
    RunOptions options = RunOptions::resolve("tbc2011", "pdom", {"cores=1"});
    options.timing = GetParam();
    options.code = Code::kAsWritten;
    KernelMachine<> machine(ptx_module(ptx), options, GpuOptions{.trace = &counter});
    machine.run("k", {1}, {40});
    return counter.histogram;
  }
  static Histogram count_body(const std::string& body) {
    return count(
        ".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.shared .align 4 .b8 box[4];\n"
        "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 20;\n" +
        body + "}\n");
  }
};
INSTANTIATE_TEST_SUITE_P(Both, InstructionCounts, testing::Values(Timing::kCycle, Timing::kFunctional),
                         [](const auto& suite) {
                           return Choices<Timing>::names[static_cast<std::size_t>(suite.param)];
                         });

// Both sides meet at the `ret`: all of a warp's threads leave with one.
TEST_P(InstructionCounts, ABarrierBeforeTheBranch) {
  const Histogram expected{{32, 5}, {20, 1}, {8, 5}};
  EXPECT_EQ(count_body("bar.sync 0;\n@%p1 bra OUT;\nst.shared.u32 [box], %r1;\nOUT: ret;\n"), expected);
}

// Those that leave early must not wait for others that wait for them.
TEST_P(InstructionCounts, ABarrierBehindTheBranch) {
  const Histogram expected{{32, 3}, {20, 2}, {12, 1}, {8, 4}};
  EXPECT_EQ(count_body("@%p1 bra OUT;\nbar.sync 0;\nOUT: ret;\n"), expected);
}

// Guards take nothing from a warp's mask; `exit` does, and the rest goes on.
TEST_P(InstructionCounts, Guards) {
  const Histogram expected{{32, 5}, {20, 2}, {8, 5}};
  EXPECT_EQ(count_body("@%p1 add.u32 %r2, %r1, 1;\n@!%p1 st.shared.u32 [box], %r1;\n@%p1 exit;\n"
                       "add.u32 %r2, %r1, 2;\nret;\n"),
            expected);
}

// Jumps count wherever they go; blocks without an instruction do not exist.
TEST_P(InstructionCounts, Jumps) {
  const Histogram expected{{32, 6}, {20, 1}, {12, 2}, {8, 8}};
  EXPECT_EQ(count_body("@%p1 bra ELSE;\nbra.uni JOIN;\nELSE:\nEMPTY:\nadd.u32 %r2, %r1, 1;\nbra.uni JOIN;\n"
                       "JOIN:\nbra.uni NEXT;\nNEXT:\nmov.u32 %r3, %r2;\nret;\n"),
            expected);
}

// Lane l of the full warp leaves in turn l / 8 by the first exit, its last eight and the small warp by the second; all
// wait behind the loop.
TEST_P(InstructionCounts, ALoopWithTwoExits) {
  const Histogram expected{{32, 7}, {24, 5}, {16, 5}, {8, 3 + 20}};
  EXPECT_EQ(count_body("mov.u32 %r2, 0;\nshr.u32 %r3, %r1, 3;\nLOOP:\nsetp.eq.u32 %p2, %r2, %r3;\n@%p2 bra OUT;\n"
                       "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 3;\n@%p3 bra LOOP;\nOUT: ret;\n"),
            expected);
}

// Calls are their instructions: parameters are stored and loaded, `call` and `ret` are jumps.
TEST_P(InstructionCounts, Calls) {
  const Histogram expected{{32, 10}, {8, 10}};
  EXPECT_EQ(count(R"(.func (.param .b32 out) next(.param .b32 in)
{
.reg .b32 %r<3>;
ld.param.b32 %r1, [in];
add.u32 %r2, %r1, 1;
st.param.b32 [out], %r2;
ret;
}
.visible .entry k()
{
.reg .b32 %r<3>;
mov.u32 %r1, %tid.x;
{
.param .b32 a;
.param .b32 b;
st.param.b32 [a], %r1;
call.uni (b), next, (a);
ld.param.b32 %r2, [b];
}
mov.u32 %r1, %r2;
ret;
}
)"),
            expected);
}

}  // namespace instruction_counts_test
}  // namespace warpfold
