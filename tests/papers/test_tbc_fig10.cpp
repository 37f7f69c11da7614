// SPDX-License-Identifier: Apache-2.0
// TBC Fig. 10 and Example 2, numbered as §4 tells it: a warp of four threads diverges at A and C; those that do not
// break out of the loop go on together from E, though their branches reconverge at F. On the stacks, and on the
// mechanisms under which E runs once instead of twice.
//
// The text says that thread 1 goes to B, that threads 3 and 4 get to F before it does, and so through D, and that the
// entry of C goes first. That thread 2 goes from C to E, and that nobody starts another round, are ours.
#include <gtest/gtest.h>

#include "tests/divergence/profile_file.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/divergence/parts/block/block_stack.h"
#include "warpfold/divergence/parts/warp/warp_stack.h"

namespace warpfold::divergence {
namespace tbc_fig10_test {

// One instruction each; A and C branch, B and D jump, E goes on to F or back to A.
constexpr Pc kA = 0, kB = 1, kC = 2, kD = 3, kE = 4, kF = 5, kEnd = 6;
constexpr LaneMask kThread1 = 0b0001, kThread2 = 0b0010, kThreads34 = 0b1100, kAll = 0b1111;
constexpr Branch kBranchOfA{kA, kThread2 | kThreads34, kC, kF, kE, true};
constexpr Branch kBranchOfC{kC, kThread2, kE, kF, kE, true};
constexpr auto kTaken = BranchOrder::kTakenFirst;

TEST(TbcFigure10, TheStackOfAWarp) {
  WarpStack stack;
  const auto expect = [&](unsigned index, Pc pc, LaneMask mask, Pc lpc) {
    ASSERT_LT(index, stack.entries().size());
    const WarpStack::Entry& entry = stack.entries()[index];
    EXPECT_EQ(entry.pc, pc) << index;
    EXPECT_EQ(entry.mask, mask) << index;
    EXPECT_EQ(entry.lpc, lpc) << index;
    EXPECT_EQ(entry.rpc, index == 0 ? kEnd : kF) << index;
    EXPECT_EQ(entry.lpos, lpc != isa::kNoPc ? 1U : 0U) << index;
  };
  stack.start(kAll, kEnd);

  EXPECT_EQ(stack.diverge(kBranchOfA, kTaken), 4U) << "(1) three new entries";
  ASSERT_EQ(stack.entries().size(), 4U);
  expect(0, kF, kAll, isa::kNoPc);
  expect(1, kE, 0, isa::kNoPc);  // (2)
  expect(2, kB, kThread1, kE);
  expect(3, kC, kThread2 | kThreads34, kE);

  EXPECT_EQ(stack.diverge(kBranchOfC, kTaken), 5U) << "(3), (4): two new entries for that of C (footnote 7)";
  ASSERT_EQ(stack.entries().size(), 4U) << "(5): the top one is at E and goes over to the likely-convergence entry";
  expect(1, kE, kThread2, isa::kNoPc);
  expect(2, kB, kThread1, kE);
  expect(3, kD, kThreads34, kE);

  EXPECT_TRUE(stack.go_on(kF)) << "(6): threads 3 and 4";
  ASSERT_EQ(stack.entries().size(), 3U) << "(7)";
  expect(2, kB, kThread1, kE);  // (8)

  EXPECT_TRUE(stack.go_on(kE));
  ASSERT_EQ(stack.entries().size(), 2U) << "(9)";
  expect(1, kE, kThread1 | kThread2, isa::kNoPc);

  EXPECT_TRUE(stack.go_on(kF));
  ASSERT_EQ(stack.entries().size(), 1U) << "(10)";
  expect(0, kF, kAll, isa::kNoPc);
}

// The same in the stack of a block of that one warp: entries wait for as many warps as their threads make.
TEST(TbcFigure10, TheStackOfABlock) {
  BlockStack stack;
  const auto expect = [&](unsigned index, Pc pc, LaneMask threads, Pc lpc) {
    ASSERT_LT(index, stack.size());
    const BlockStack::Entry& entry = stack.entry(index);
    EXPECT_EQ(entry.pc, pc) << index;
    EXPECT_EQ(entry.threads.at(0), threads) << index;
    EXPECT_EQ(entry.lpc, lpc) << index;
    EXPECT_EQ(entry.rpc, index == 0 ? kEnd : kF) << index;
    EXPECT_EQ(entry.lpos, lpc != isa::kNoPc ? 1U : 0U) << index;
  };
  stack.start({0, 0, 0, 0, {kAll}}, kEnd);

  stack.arrive_at_branch(Warp::of_row(kA, 0, kAll), kBranchOfA);
  EXPECT_EQ(stack.depth(), 4U) << "(1)";
  const BlockStack::Entry* top = stack.advance(kTaken, true);
  ASSERT_EQ(stack.size(), 4U);
  expect(0, kF, kAll, isa::kNoPc);
  expect(1, kE, 0, isa::kNoPc);  // (2)
  expect(2, kB, kThread1, kE);
  expect(3, kC, kThread2 | kThreads34, kE);
  EXPECT_EQ(top->pc, kC);

  stack.arrive_at_branch(Warp::of_row(kC, 0, kThread2 | kThreads34), kBranchOfC);
  EXPECT_EQ(stack.depth(), 5U) << "(3), (4): footnote 7";
  top = stack.advance(kTaken, true);
  ASSERT_EQ(stack.size(), 4U) << "(5)";
  expect(1, kE, kThread2, isa::kNoPc);
  expect(2, kB, kThread1, kE);
  expect(3, kD, kThreads34, kE);
  EXPECT_EQ(top->pc, kD);

  stack.arrive(kF);  // (6)
  top = stack.advance(kTaken, true);
  EXPECT_EQ(stack.size(), 3U) << "(7)";
  EXPECT_EQ(top->pc, kB) << "(8)";

  stack.arrive(kE);
  top = stack.advance(kTaken, true);
  EXPECT_EQ(stack.size(), 2U) << "(9)";
  EXPECT_EQ(top->pc, kE);
  EXPECT_EQ(top->threads.at(0), kThread1 | kThread2);
  EXPECT_EQ(top->warps, 1U);

  stack.arrive(kF);
  top = stack.advance(kTaken, true);
  EXPECT_EQ(stack.size(), 1U) << "(10)";
  EXPECT_EQ(top->pc, kF);
  EXPECT_EQ(top->threads.at(0), kAll);
}

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}

// The program; its reconvergence and likely-convergence points are those that the analysis finds. Threads from 0.
Program example2() {
  return {branch(kC, among({1, 2, 3, 5, 6, 7})),
          jump(kE),
          branch(kE, among({1, 5})),
          jump(kF),
          branch(kA, among({})),
          leave()};
}

FlowMachine ran(const std::string& mechanism, unsigned threads = 4) {
  FlowMachine machine({mechanism, {}}, example2());
  machine.start(0, 0, threads);
  machine.run();
  return machine;
}

TEST(TbcFigure10, TheAnalysisFindsEForAAndC) {
  const isa::Kernel kernel = kernel_of(example2());
  for (const Pc branch : {kA, kC}) {
    EXPECT_EQ(kernel.ops[branch].reconvergence, kF);
    EXPECT_EQ(kernel.ops[branch].likely, kE);
  }
  EXPECT_EQ(kernel.ops[kE].likely, isa::kNoPc);
}

TEST(TbcFigure10, PdomRunsEOnceInsteadOfTwice) {
  EXPECT_EQ(ran("pdom-lcp").issued(), "0{0,1,2,3} 2{1,2,3} 3{2,3} 1{0} 4{0,1} 5{0,1,2,3}");
  EXPECT_EQ(ran("pdom").issued(), "0{0,1,2,3} 2{1,2,3} 4{1} 3{2,3} 1{0} 4{0} 5{0,1,2,3}");
  EXPECT_EQ(ran("pdom-lcp").core.deepest, 5U);
  EXPECT_EQ(ran("pdom").core.deepest, 4U);
}

TEST(TbcFigure10, TbcRunsEOnceInsteadOfTwice) {
  EXPECT_EQ(ran("tbc-lcp").issued(), ran("pdom-lcp").issued()) << "one warp behaves as under PDOM";
  EXPECT_EQ(ran("tbc").issued(), ran("pdom").issued());
  EXPECT_EQ(ran("tbc-lcp").core.deepest, 5U);
  EXPECT_EQ(ran("tbc").core.deepest, 4U);
}

// Two such warps: threads 0 and 4, 1 and 5 share lanes, 0 and 1 do not.
TEST(TbcFigure10, TbcCompactsAtE) {
  EXPECT_EQ(ran("tbc-lcp", 8).issued(),
            "0{0,1,2,3} 0{4,5,6,7} 2{1,2,3} 2{5,6,7} 3{2,3} 3{6,7} 1{0} 1{4} 4{0,1} 4{4,5} 5{0,1,2,3} 5{4,5,6,7}");
}

// Example 2 for the whole machine. Turn i of a thread is bits 2i and 2i + 1 of its word: 0 is B, 1 breaks by D, the
// rest goes from C to E; what the blocks compute is ours. A begins on line 22.
constexpr std::uint32_t kLineOfE = 35;
constexpr const char* kExample2 = R"(mov.u32 %r7, 0;
A:
and.b32 %r8, %r5, 3;
setp.ne.u32 %p1, %r8, 0;
@%p1 bra C;
add.u32 %r6, %r6, 100;
bra E;
C:
setp.ne.u32 %p2, %r8, 1;
@%p2 bra E;
add.u32 %r6, %r6, 7000;
bra F;
E:
add.u32 %r6, %r6, %r7;
shr.u32 %r5, %r5, 2;
add.u32 %r7, %r7, 1;
setp.lt.u32 %p3, %r7, 12;
@%p3 bra A;
F:
add.u32 %r6, %r6, 1;
)";

std::uint32_t example2_of(std::uint32_t word) {
  std::uint32_t result = 0;
  for (std::uint32_t turn = 0; turn < 12; ++turn, word >>= 2) {
    if (word % 4 == 1) return result + 7001;
    result += turn + (word % 4 == 0 ? 100 : 0);
  }
  return result + 1;
}

struct CountIssues final : TraceSink {
  void record(const TraceRecord& record) override { count += record.event == TraceEvent::kIssue && record.pc == pc; }
  isa::Pc pc = 0;
  unsigned count = 0;
};

// Warps that issue E; the results are checked.
unsigned issues_of_e(const std::string& mechanism, std::vector<std::string> sets = {}) {
  CountIssues sink;
  GpuOptions options;
  options.trace = &sink;
  sets.insert(sets.end(), {"cores=1", "core.warp_size=4", "core.simd_width=4"});
  KernelMachine<> machine(ptx_kernel(kExample2), RunOptions::resolve("tbc2011", mechanism, sets), options);
  const isa::Kernel& kernel = machine.program.kernel("k");
  for (isa::Pc pc = kernel.end(); pc-- > 0;) {
    if (kernel.ops[pc].line == kLineOfE) sink.pc = pc;
  }
  std::vector<std::uint32_t> words(64), expected;
  for (std::uint32_t& word : words) {
    // Of sixteen turns one breaks, seven go through B.
    for (const std::uint32_t n : noise(12, static_cast<std::uint32_t>(&word - words.data()) + 1)) {
      word = word << 2 | (n % 16 == 7 ? 1 : n % 16 < 7 ? 0 : 2);
    }
    expected.push_back(example2_of(word));
  }
  const Address in = machine.upload(words), out = machine.upload(std::vector<std::uint32_t>(words.size()));
  machine.run("k", {1}, {64}, out, in);
  EXPECT_EQ(machine.download<std::uint32_t>(out, words.size()), expected) << mechanism;
  return sink.count;
}

TEST(TbcFigure10, TheWholeMachineIssuesELessOften) {
  const unsigned pdom = issues_of_e("pdom"), pdom_lcp = issues_of_e("pdom-lcp");
  EXPECT_LT(pdom_lcp, pdom);
  const unsigned tbc = issues_of_e("tbc"), tbc_lcp = issues_of_e("tbc-lcp");
  EXPECT_LT(tbc_lcp, tbc);
  EXPECT_LT(tbc_lcp, pdom_lcp);
}

TEST(TbcFigure10, TheWholeMachineTakesTheSamePointsFromAProfile) {
  const ProfileFile same("k:\n  26: 35\n  31: 35\n"), none("k: {}\n");
  for (const std::string mechanism : {"pdom", "tbc"}) {
    EXPECT_EQ(issues_of_e(mechanism + "-lcp", {"mechanism.profile=" + same.path}), issues_of_e(mechanism + "-lcp"));
    EXPECT_EQ(issues_of_e(mechanism + "-lcp", {"mechanism.profile=" + none.path}), issues_of_e(mechanism));
  }
}

TEST(TbcFigure10, SeveralInstructionsOfAWarpMayBeInFlight) {
  for (const std::string mechanism : {"pdom", "tbc"}) {
    const std::vector<std::string> sets{"core.scoreboard=per_register", "core.schedulers=2"};
    EXPECT_LT(issues_of_e(mechanism + "-lcp", sets), issues_of_e(mechanism, sets));
  }
}

}  // namespace tbc_fig10_test
}  // namespace warpfold::divergence
