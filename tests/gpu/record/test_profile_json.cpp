// SPDX-License-Identifier: Apache-2.0
// Profiles of whole machines: a kernel whose counts are known by hand, the same under every mechanism as far as threads
// go, and what profile.json says of it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/record/profile_json.h"

namespace warpfold {
namespace profile_json_test {

using Json = nlohmann::json;

constexpr unsigned kBlocks = 2, kThreads = 48;  // a warp of 32 threads and one of 16
constexpr unsigned kLoop = 23, kLeave = 24, kTurn = 25, kShared = 29;

// Thread t goes through the loop for t % 5 turns. Its body begins on line 22.
const std::string kTurns = ptx_kernel(R"(LOOP:
setp.ge.u32 %p1, %r6, %r5;
@%p1 bra OUT;
add.u32 %r6, %r6, 1;
bra LOOP;
OUT:
shl.b32 %r7, %r1, 3;
st.shared.u32 [%r7], %r6;
)");

// What a run of it counts, by PTX line.
struct Profiled {
  PcProfile profile;
  StatValues total;

  Profiled(const RunOptions& options, unsigned launches = 1) {
    KernelMachine<> machine(kTurns, options, GpuOptions{.profile = &profile});
    std::vector<std::uint32_t> turns;
    for (unsigned t = 0; t < kBlocks * kThreads; ++t) turns.push_back(t % 5);
    const Address in = machine.upload(turns), out = machine.upload(turns);
    for (unsigned launch = 0; launch < launches; ++launch) machine.run("k", {kBlocks}, {kThreads}, out, in);
    EXPECT_EQ(machine.download<std::uint32_t>(out, turns.size()), turns);
    total = machine.device.results().total();
  }
  const PcProfile::Kernel& kernel() const { return profile.kernels().at(0); }
  isa::Pc pc_of(unsigned line) const {
    for (isa::Pc pc = 0; pc < kernel().code.end(); ++pc) {
      if (kernel().code.ops[pc].line == line) return pc;
    }
    ADD_FAILURE() << "nothing on line " << line;
    return 0;
  }
  const PcCounts& at(unsigned line) const { return kernel().counts.at(pc_of(line)); }
  template <class Member>
  std::uint64_t sum(Member member) const {
    std::uint64_t all = 0;
    for (const PcCounts& counts : kernel().counts) all += counts.*member;
    return all;
  }
};

RunOptions options(const std::string& mechanism, std::vector<std::string> sets = {}) {
  sets.insert(sets.begin(), "cores=2");
  return RunOptions::resolve("gt200", mechanism, sets);
}

// Of 96 threads, 20 go through the loop for no turn and 19 for each of 1 to 4.
constexpr std::uint64_t kAll = kBlocks * kThreads, kTurnsInAll = 19 * (1 + 2 + 3 + 4);

TEST(Profile, CountsKnownByHand) {
  const Profiled run(options("pdom", {"core.shared_banks=16"}));
  EXPECT_EQ(run.kernel().launches, 1U);
  EXPECT_EQ(run.kernel().cycles, run.total.at("cycles"));
  // Four warps come to the test in five turns each; in four of them some leave, in the last all that are left.
  const PcCounts& test = run.at(kLeave);
  EXPECT_EQ(test.issued, 4U * 5);
  EXPECT_EQ(test.lanes, kAll + kTurnsInAll);
  EXPECT_EQ(test.taken, kAll);
  EXPECT_EQ(test.divergent, 4U * 4);
  EXPECT_EQ(test.lost, 4U * 5 * 32 - test.lanes);
  EXPECT_EQ(run.at(kTurn).issued, 4U * 4);
  EXPECT_EQ(run.at(kTurn).lanes, kTurnsInAll);
  // Words 8 bytes apart: each bank has two words for 16 lanes, so that a warp of 32 takes two cycles more.
  const PcCounts& shared = run.at(kShared);
  EXPECT_EQ(shared.accesses, 4U);
  EXPECT_EQ(shared.conflicts, kBlocks * (2U + 1));
  EXPECT_EQ(shared.lines, 0U);
}

TEST(Profile, LinesAfterCoalescing) {
  const Profiled run(options("pdom", {"l1d.line_bytes=64"}));
  const isa::Kernel& code = run.kernel().code;
  for (isa::Pc pc = 0; pc < code.end(); ++pc) {
    if (code.ops[pc].kind != isa::Kind::kStore || code.ops[pc].space != isa::Space::kGlobal) continue;
    EXPECT_EQ(run.kernel().counts[pc].accesses, 4U);
    EXPECT_EQ(run.kernel().counts[pc].lines, kBlocks * (2U + 1)) << "32 words, and 16";
  }
}

// The profile and the statistics count the same.
TEST(Profile, AddsUpToTheStatistics) {
  const Profiled run(options("tbc"), 3);
  EXPECT_EQ(run.kernel().launches, 3U);
  EXPECT_EQ(run.sum(&PcCounts::issued), run.total.at("warp_instructions"));
  EXPECT_EQ(run.sum(&PcCounts::lanes), run.total.at("thread_instructions"));
  EXPECT_EQ(run.sum(&PcCounts::divergent), run.total.at("divergent_branches"));
  EXPECT_EQ(run.sum(&PcCounts::lines), run.total.at("line_accesses"));
  EXPECT_EQ(run.sum(&PcCounts::conflicts), run.total.at("stall_shared_bank"));
  double issue = 0;
  for (const auto& [name, value] : run.total) issue += name.starts_with("issue_w") ? value : 0;
  EXPECT_EQ(run.sum(&PcCounts::issue_cycles), issue);
}

// One warp alone: whenever it does not issue it waits for something, and nobody else does.
TEST(Profile, WaitsOfOneWarpAreTheCyclesWithoutAnIssue) {
  PcProfile profile;
  KernelMachine<> machine(kTurns, RunOptions::resolve("gt200", "pdom", {"cores=1"}), GpuOptions{.profile = &profile});
  const Address words = machine.upload(std::vector<std::uint32_t>(32, 7));
  machine.run("k", {1}, {32}, words, words);
  std::uint64_t waits = 0;
  for (const PcCounts& counts : profile.kernels().at(0).counts) {
    for (const std::uint64_t cycles : counts.waits) waits += cycles;
  }
  const StatValues total = machine.device.results().total();
  const double idle = total.at("stall") + total.at("w0_mem") + total.at("w0_idle") + total.at("w0_fetch");
  EXPECT_LE(static_cast<double>(waits), idle);
  EXPECT_GE(static_cast<double>(waits), idle - 600) << "before the block has come and after its last thread has ended";
  EXPECT_GT(static_cast<double>(waits), idle / 2);
}

TEST(Profile, ChangesNoStatistic) {
  const Profiled with(options("harp"));
  KernelMachine<> without(kTurns, options("harp"));
  std::vector<std::uint32_t> turns;
  for (unsigned t = 0; t < kBlocks * kThreads; ++t) turns.push_back(t % 5);
  const Address in = without.upload(turns), out = without.upload(turns);
  without.run("k", {kBlocks}, {kThreads}, out, in);
  EXPECT_EQ(with.total, without.device.results().total());
}

TEST(Profile, BarriersAreWaitedFor) {
  PcProfile profile;
  KernelMachine<> machine(ptx_kernel("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra HERE;\nld.global.u32 %r6, [%rd5];\n"
                                     "ld.global.u32 %r6, [%rd5 + 2048];\nHERE:\nbar.sync 0;"),
                          options("pdom"), GpuOptions{.profile = &profile});
  const Address words = machine.upload(std::vector<std::uint32_t>(1024, 7));
  machine.run("k", {1}, {64}, words, words);
  std::uint64_t waited = 0;
  const PcProfile::Kernel& kernel = profile.kernels().at(0);
  for (isa::Pc pc = 0; pc < kernel.code.end(); ++pc) {
    const std::uint64_t at_barrier = kernel.counts[pc].waits[static_cast<std::size_t>(Wait::kBarrier)];
    waited += at_barrier;
    EXPECT_TRUE(at_barrier == 0 || kernel.code.ops[pc].kind == isa::Kind::kBarrier) << pc;
  }
  EXPECT_GT(waited, 100U) << "one warp, for another one's load";
}

class UnderEvery : public testing::TestWithParam<MechanismVariant> {
 protected:
  RunOptions under() const { return options(GetParam().mechanism, GetParam().sets); }
};
INSTANTIATE_TEST_SUITE_P(Profile, UnderEvery, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

// How often threads execute what is the program's; how many of them a warp carries is the mechanism's.
TEST_P(UnderEvery, ThreadsExecuteWhatTheyExecute) {
  static const Profiled reference(options("pdom"));
  const Profiled run(under());
  ASSERT_EQ(run.kernel().counts.size(), reference.kernel().counts.size());
  for (isa::Pc pc = 0; pc < run.kernel().counts.size(); ++pc) {
    const PcCounts &counts = run.kernel().counts[pc], &expected = reference.kernel().counts[pc];
    EXPECT_EQ(counts.lanes, expected.lanes) << pc;
    EXPECT_EQ(counts.executed, expected.executed) << pc;
    EXPECT_EQ(counts.taken, expected.taken) << pc;
    EXPECT_GE(counts.lanes, counts.issued) << pc;
  }
  EXPECT_EQ(run.at(kLeave).lanes, kAll + kTurnsInAll);
  EXPECT_EQ(run.sum(&PcCounts::issued), run.total.at("warp_instructions"));
}

TEST(Profile, FunctionalRunsCountTheSameThreads) {
  RunOptions functional = options("tbc");
  functional.timing = Timing::kFunctional;
  const Profiled run(functional);
  EXPECT_EQ(run.at(kLeave).lanes, kAll + kTurnsInAll);
  EXPECT_EQ(run.at(kLeave).taken, kAll);
  EXPECT_EQ(run.kernel().cycles + run.sum(&PcCounts::issue_cycles), 0U) << "there is no time";
}

TEST(ProfileJson, SaysWhatWasCounted) {
  const Profiled run(options("pdom"));
  const Json json = Json::parse(profile_json(run.profile));
  const Json& kernel = json.at("kernels").at(0);
  EXPECT_EQ(kernel.at("name"), "k");
  EXPECT_EQ(kernel.at("ptx_file"), "test.ptx");
  EXPECT_EQ(kernel.at("launches"), 1);
  ASSERT_EQ(kernel.at("instructions").size(), run.kernel().counts.size());
  const isa::Pc leave = run.pc_of(kLeave);
  const Json& branch = kernel.at("instructions").at(leave);
  EXPECT_EQ(branch.at("pc"), leave);
  EXPECT_EQ(branch.at("ptx_line"), kLeave);
  EXPECT_EQ(branch.at("issued"), 20);
  EXPECT_EQ(branch.at("branch").at("kind"), "loop");
  EXPECT_EQ(branch.at("branch").at("divergent"), 16);
  EXPECT_EQ(branch.at("branch").at("taken_lanes"), kAll);
  EXPECT_TRUE(branch.at("branch").at("may_diverge"));
  EXPECT_EQ(branch.at("branch").at("reconvergence"), run.pc_of(kShared) - 1);
  std::uint64_t lost = 0;
  for (const unsigned line : {kLoop, kLeave, kTurn, kTurn + 1}) {
    for (isa::Pc pc = 0; pc < run.kernel().code.end(); ++pc) {
      if (run.kernel().code.ops[pc].line == line) lost += run.kernel().counts[pc].lost;
    }
  }
  EXPECT_EQ(branch.at("branch").at("lanes_lost_behind"), lost) << "what the loop loses";
  const Json& store = kernel.at("instructions").at(run.pc_of(kShared));
  EXPECT_EQ(store.at("memory").at("space"), "shared");
  EXPECT_EQ(store.at("memory").at("accesses"), 4);
  EXPECT_FALSE(store.contains("source_line")) << "there is no line information";
}

// What a launch that fails has counted is dropped, as in its statistics; what others had counted stays.
TEST(ProfileJson, ResultsHoldLaunchesThatEnded) {
  const host::ScratchFolder folder;
  RunOptions profiled = options("pdom");
  profiled.profile = true;
  profiled.out = folder.path("out");
  KernelMachine<> machine(kTurns, profiled);
  const Address words = machine.upload(std::vector<std::uint32_t>(64, 2));
  machine.run("k", {1}, {64}, words, words);
  const Json once = Json::parse(folder.read("out/profile.json"));
  EXPECT_THROW(machine.run("k", {1}, {64}, words, Address{16}), UserError);
  machine.device.finish();
  EXPECT_EQ(Json::parse(folder.read("out/profile.json")), once);
  EXPECT_EQ(once.at("kernels").at(0).at("launches"), 1);
}

TEST(ProfileJson, RunsThatAreNotProfiledLeaveNone) {
  const host::ScratchFolder folder;
  RunOptions plain = options("pdom");
  plain.out = folder.path("out");
  KernelMachine<> machine(kTurns, plain);
  const Address words = machine.upload(std::vector<std::uint32_t>(64, 2));
  machine.run("k", {1}, {64}, words, words);
  machine.device.finish();
  EXPECT_NE(folder.read("out/stats.json"), "");
  EXPECT_EQ(folder.read("out/profile.json"), "");
}

}  // namespace profile_json_test
}  // namespace warpfold
