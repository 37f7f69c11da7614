// SPDX-License-Identifier: Apache-2.0
// TBC Fig. 7 (§3.1): warps of four, a block of eight. Threads 1, 6, 7 execute C, the others B; TBC issues
// seven warps where PDOM issues eight, 12.5 % less. On the mechanisms alone, and in the whole machine.
#include <gtest/gtest.h>

#include <map>

#include "tests/gpu/kernel_machine.h"
#include "tests/papers/event_core.h"

namespace warpfold {
namespace tbc_fig7_test {

const std::vector<unsigned> kToC{1, 6, 7};

TEST(Figure7, Tbc) {
  EventCore core("tbc", 4, {0b1111, 0b1111});
  core.start();
  EXPECT_EQ(core.take(), (Events{"insert A{1,2,3,4}", "insert A{5,6,7,8}"}));
  core.issue(1, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{1,2,3,4}", "remove A"})) << "synchronises at the end of A";
  core.issue(5, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{5,6,7,8}", "remove A", "compact C"}));
  core.compactor_cycle();
  EXPECT_FALSE(core.compacting());
  EXPECT_EQ(core.take(), (Events{"insert C{1,6,7}"})) << "a single warp";
  core.issue(1);
  EXPECT_EQ(core.take(), (Events{"issue C{1,6,7}", "remove C", "compact B"}));
  core.compactor_cycle();
  core.compactor_cycle();
  EXPECT_FALSE(core.compacting());
  EXPECT_EQ(core.take(), (Events{"insert B{5,2,3,4}", "insert B{8}"})) << "two warps, lane 4 having two threads";
  core.issue(5);
  core.issue(8);
  EXPECT_EQ(core.take(), (Events{"issue B{5,2,3,4}", "remove B", "issue B{8}", "remove B", "compact D"}));
  core.compactor_cycle();
  core.compactor_cycle();
  EXPECT_EQ(core.take(), (Events{"insert D{1,2,3,4}", "insert D{5,6,7,8}"})) << "the original arrangement";
  core.issue(1);
  core.issue(5);
  EXPECT_EQ(core.take(), (Events{"issue D{1,2,3,4}", "remove D", "issue D{5,6,7,8}", "remove D"}));
}

TEST(Figure7, Pdom) {
  EventCore core("pdom", 4, {0b1111, 0b1111});
  core.start();
  core.take();
  for (const unsigned holder : {1U, 1U, 2U, 1U}) core.issue(holder, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{1,2,3,4}", "issue C{1}", "issue B{2,3,4}", "issue D{1,2,3,4}", "remove D"}));
  for (const unsigned holder : {5U, 6U, 5U, 5U}) core.issue(holder, kToC);
  EXPECT_EQ(core.take(), (Events{"issue A{5,6,7,8}", "issue C{6,7}", "issue B{5,8}", "issue D{5,6,7,8}", "remove D"}));
  EXPECT_TRUE(core.warps().empty()) << "eight issues, each block twice";
}

// Watches the whole machine: which threads enter which basic block in whose company, and what the branch unit does.
class Watcher final : public TraceSink {
 public:
  // Where the basic blocks begin.
  std::map<isa::Pc, char> leaders;
  std::map<char, Events> entered;
  Events events;

  void record(const TraceRecord& record) override {
    const auto leader = leaders.find(record.pc);
    switch (record.event) {
      case TraceEvent::kIssue:
        if (leader != leaders.end()) entered[leader->second].push_back(threads(record));
        break;
      case TraceEvent::kWarpInsert:
        events.push_back(fmt::format("insert {} {}", name(record.pc), mask(record.mask)));
        break;
      case TraceEvent::kWarpRemove:
        events.emplace_back("remove");
        break;
      case TraceEvent::kCompact:
        events.push_back(fmt::format("compact {}", name(record.pc)));
        break;
      case TraceEvent::kBranch:
        if (record.pc == branch_of_a) events.push_back(fmt::format("branch, taken {}", mask(record.mask)));
        break;
      default:
        break;
    }
  }
  std::size_t issues() const {
    std::size_t total = 0;
    for (const auto& [block, warps] : entered) total += warps.size();
    return total;
  }
  isa::Pc branch_of_a = 0;

 private:
  static std::string threads(const TraceRecord& record) {
    std::string text;
    for (unsigned lane = 0; lane < 4; ++lane) {
      if ((record.other >> lane & 1) == 0) continue;
      text += fmt::format("{}{}", text.empty() ? "" : ",", record.rows[lane] * 4 + lane + 1);
    }
    return text;
  }
  // Lane 1 leftmost, as in the figure.
  static std::string mask(std::uint64_t lanes) {
    std::string text;
    for (unsigned lane = 0; lane < 4; ++lane) text += (lanes >> lane & 1) != 0 ? '1' : '0';
    return text;
  }
  std::string name(isa::Pc pc) const {
    const auto leader = leaders.find(pc);
    return leader == leaders.end() ? "?" : std::string(1, leader->second);
  }
};

// A stores nothing and decides by a bit per thread (threads 1, 6, 7: 0b0110'0001); B and C leave 11 and 22; D stores.
// What the blocks compute is ours: the figure has only their names.
constexpr const char* kKernel = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p1;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, 97;
shr.u32 %r3, %r2, %r1;
and.b32 %r3, %r3, 1;
setp.ne.u32 %p1, %r3, 0;
@%p1 bra C;
mov.u32 %r4, 11;
bra D;
C:
mov.u32 %r4, 22;
D:
ld.param.u64 %rd1, [out];
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd1, %rd1, %rd2;
st.global.u32 [%rd1], %r4;
ret;
}
)";

Watcher run(const std::string& mechanism) {
  Watcher watcher;
  GpuOptions options;
  options.trace = &watcher;
  KernelMachine<> machine(
      kKernel, RunOptions::resolve("tbc2011", mechanism, {"cores=1", "core.warp_size=4", "core.simd_width=4"}),
      options);
  const isa::Kernel& kernel = machine.program.kernel("k");
  for (isa::Pc pc = 0; pc < kernel.ops.size(); ++pc) {
    const isa::MicroOp& op = kernel.ops[pc];
    if (op.kind != isa::Kind::kBranch || !op.may_diverge) continue;
    watcher.branch_of_a = pc;
    watcher.leaders = {{0, 'A'}, {pc + 1, 'B'}, {op.target, 'C'}, {op.reconvergence, 'D'}};
  }
  EXPECT_EQ(watcher.leaders.size(), 4U) << "one branch, four basic blocks";
  const Address out = machine.upload(std::vector<std::uint32_t>(8));
  machine.run("k", {1}, {8}, out);
  EXPECT_EQ(machine.download<std::uint32_t>(out, 8), (std::vector<std::uint32_t>{22, 11, 11, 11, 11, 22, 22, 11}));
  return watcher;
}

TEST(Figure7, TheWholeMachineUnderTbc) {
  const Watcher seen = run("tbc");
  EXPECT_EQ(seen.entered.at('A'), (Events{"1,2,3,4", "5,6,7,8"}));
  EXPECT_EQ(seen.entered.at('C'), (Events{"1,6,7"}));
  EXPECT_EQ(seen.entered.at('B'), (Events{"5,2,3,4", "8"}));
  EXPECT_EQ(seen.entered.at('D'), (Events{"1,2,3,4", "5,6,7,8"}));
  EXPECT_EQ(seen.issues(), 7U);
  EXPECT_EQ(seen.events, (Events{"insert A 1111", "insert A 1111",                                // (2)
                                 "branch, taken 1000", "remove", "branch, taken 0110", "remove",  // (3), (4)
                                 "compact C", "insert C 1110",                                    // (5)
                                 "remove", "compact B", "insert B 1111", "insert B 0001",         // (6), (7), (8)
                                 "remove", "remove", "compact D",                                 // (9)
                                 "insert D 1111", "insert D 1111",                                // (10)
                                 "remove", "remove"}));
}

TEST(Figure7, TheWholeMachineUnderPdom) {
  const Watcher seen = run("pdom");
  EXPECT_EQ(seen.entered.at('A'), (Events{"1,2,3,4", "5,6,7,8"}));
  EXPECT_EQ(seen.entered.at('C'), (Events{"1", "6,7"}));
  EXPECT_EQ(seen.entered.at('B'), (Events{"2,3,4", "5,8"}));
  EXPECT_EQ(seen.entered.at('D'), (Events{"1,2,3,4", "5,6,7,8"}));
  EXPECT_EQ(seen.issues(), 8U);
  EXPECT_EQ(seen.events,
            (Events{"insert A 1111", "insert A 1111", "branch, taken 1000", "branch, taken 0110", "remove", "remove"}));
}

TEST(Figure7, TwelveAndAHalfPercentLess) {
  EXPECT_EQ(static_cast<double>(run("tbc").issues()) / static_cast<double>(run("pdom").issues()), 1 - 0.125);
}

}  // namespace tbc_fig7_test
}  // namespace warpfold
