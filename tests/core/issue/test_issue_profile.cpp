// SPDX-License-Identifier: Apache-2.0
// What warps wait for, by the pc at which they stand, in cycles in which their scheduler issues nothing.
#include <map>

#include "tests/core/issue_fixture.h"

namespace warpfold {
namespace issue_profile_test {

class IssueProfileTest : public IssueStageTest {
 protected:
  void profile(Cycle until) {
    profile_.launch_started(kernel);
    stage->watched_by(&profile_, nullptr);
    run(until);
    stage->kernel_ended(until);
    profile_.launch_ended(until);
  }
  const PcCounts& counts(isa::Pc pc) const { return profile_.kernels().at(0).counts.at(pc); }
  Cycle waited(isa::Pc pc, Wait why) const { return counts(pc).waits[static_cast<std::size_t>(why)]; }
  // By all warps at all instructions.
  Cycle waited_in_all() const {
    Cycle sum = 0;
    for (isa::Pc pc = 0; pc < kernel.end(); ++pc) {
      for (const Cycle cycles : counts(pc).waits) sum += cycles;
    }
    return sum;
  }

 private:
  PcProfile profile_;
};

TEST_F(IssueProfileTest, ForAnInstructionInFlight) {
  alu();
  exit();
  start();
  enter(0, 0);
  profile(60);
  EXPECT_EQ(counts(0).issued, 1U);
  EXPECT_EQ(counts(0).lanes, 32U);
  EXPECT_EQ(counts(0).issue_cycles, 4U);
  EXPECT_EQ(waited(0, Wait::kExecution), 16U) << "4 to 20";
  EXPECT_EQ(waited(1, Wait::kExecution), 16U) << "24 to 40";
  EXPECT_EQ(waited_in_all(), 32U);
}

TEST_F(IssueProfileTest, ForMemory) {
  load();
  exit();
  start();
  load_done = 100;
  enter(0, 0);
  profile(130);
  EXPECT_EQ(waited(0, Wait::kMemory), 96U) << "4 to 100";
  EXPECT_EQ(waited(1, Wait::kExecution), 16U);
  EXPECT_EQ(waited_in_all(), 112U);
}

// With scoreboards of registers it is the instruction that needs the value which waits.
TEST_F(IssueProfileTest, ForARegisterFromMemory) {
  params.scoreboard = ScoreboardKind::kPerRegister;
  load({5});
  alu();
  op(Unit::kAlu, {5});
  exit();
  start();
  load_done = 100;
  enter(0, 0);
  profile(160);
  EXPECT_EQ(waited(0, Wait::kMemory) + waited(1, Wait::kMemory), 0U);
  EXPECT_EQ(waited(2, Wait::kMemory), 92U) << "8 to 100";
}

TEST_F(IssueProfileTest, ForABusyUnit) {
  op(Unit::kSfu);
  exit();
  start();
  enter(0, 0);
  enter(0, 1);
  profile(100);
  // The second waits for the unit until 16; the first for its instruction, until 16 and again from 24 on, when the
  // other is under way, too.
  EXPECT_EQ(waited(0, Wait::kUnit), 12U);
  EXPECT_EQ(waited(0, Wait::kExecution), 12U + 12);
}

TEST_F(IssueProfileTest, ForTheMechanism) {
  alu();
  exit();
  start();
  enter(0, 0);
  before.at(0, [this] { warp_unit->warps().hold(0, 10); });
  profile(60);
  EXPECT_EQ(issues(), (Issues{{10, 0}, {30, 0}}));
  EXPECT_EQ(waited(0, Wait::kMechanism), 10U);
}

TEST_F(IssueProfileTest, ForItsInstruction) {
  params.fetch.cached = true;
  fetches.emplace("fetches", clock);
  fetches->answer = [this](FetchRequest& fetch, tlm::tlm_phase&) {
    if (fetch.kind != FetchRequest::Kind::kFirst) return tlm::TLM_COMPLETED;
    before.at(7, [this, fetch] {
      FetchRequest there = fetch;
      fetches->send_back(there, tlm::BEGIN_RESP);
    });
    return tlm::TLM_ACCEPTED;
  };
  alu();
  exit();
  start();
  enter(0, 0);
  profile(60);
  EXPECT_EQ(waited(0, Wait::kFetch), 7U);
}

// While another warp issues nobody is said to wait.
TEST_F(IssueProfileTest, OnlyWhereNothingIssues) {
  alu();
  exit();
  start();
  for (WarpId id = 0; id < 5; ++id) enter(0, id);
  profile(100);
  EXPECT_EQ(waited(0, Wait::kExecution), 0U) << "five warps of four cycles fill the port";
  EXPECT_EQ(waited(0, Wait::kUnit), 0U);
}

TEST_F(IssueProfileTest, IssueCyclesAreThoseOfTheBreakdown) {
  load();
  op(Unit::kSfu);
  exit();
  start();
  load_done = 50;
  for (WarpId id = 0; id < 3; ++id) enter(0, id);
  profile(200);
  std::uint64_t issued = 0, profiled = 0;
  for (const StatGroup::Entry& entry : stats.entries()) {
    if (entry.info.name.starts_with("issue_w")) issued += entry.counter.value();
  }
  for (isa::Pc pc = 0; pc < kernel.end(); ++pc) profiled += counts(pc).issue_cycles;
  EXPECT_EQ(profiled, issued);
}

// --- Who watches warps one by one ------------------------------------------------------------------

class IssueWatchTest : public IssueStageTest, private CoreWatch {
 protected:
  void watch() { stage->watched_by(nullptr, this); }
  using Texts = std::vector<std::string>;
  Texts of(WarpId warp) const { return said_.contains(warp) ? said_.at(warp) : Texts(); }

 private:
  void issued(const Instruction& instruction, Cycle now, Cycle cycles) override {
    said_[instruction.warp].push_back(fmt::format("{} issues {} for {}", now, instruction.pc, cycles));
    last_.erase(instruction.warp);
  }
  void waits(WarpId warp, isa::Pc pc, Wait why, Cycle now) override {
    const std::string text = fmt::format("{} at {}", kWaitNames[static_cast<std::size_t>(why)], pc);
    if (std::exchange(last_[warp], text) != text) said_[warp].push_back(fmt::format("{} {}", now, text));
  }
  void completed(const Instruction& instruction, Cycle now) override {
    said_[instruction.warp].push_back(fmt::format("{} has {}", now, instruction.pc));
  }
  void sent(const tlm::tlm_generic_payload&, Cycle) override {}
  void answered(const tlm::tlm_generic_payload&, Cycle) override {}

  std::map<WarpId, Texts> said_;
  std::map<WarpId, std::string> last_;
};

TEST_F(IssueWatchTest, EveryWarpAtEveryTime) {
  load();
  exit();
  start();
  load_done = 100;
  enter(0, 0);
  enter(0, 1);
  watch();
  run(130);
  EXPECT_EQ(of(0),
            (Texts{"0 issues 0 for 4", "0 memory at 0", "100 has 0", "100 issues 1 for 4", "100 execution at 1"}));
  EXPECT_EQ(of(1), (Texts{"0 turn at 0", "4 issues 0 for 4", "4 memory at 0", "100 has 0", "100 turn at 1",
                          "104 issues 1 for 4", "104 execution at 1"}));
}

TEST_F(IssueWatchTest, SlotsUpToAnyCycle) {
  alu();
  exit();
  start();
  enter(2, 0);
  watch();
  run(60);
  // Issues of four cycles at 2 and 22.
  EXPECT_EQ(stage->slots(60), (IssueSlots{8, 0, 0, 0, 52}));
  stage->kernel_ended(60);
  EXPECT_EQ(stage->slots(60), (IssueSlots{8, 0, 0, 0, 52}));
}

TEST_F(IssueWatchTest, SlotsInTheMiddleOfAnIssue) {
  alu();
  exit();
  start();
  enter(2, 0);
  run(4);
  EXPECT_EQ(stage->slots(4), (IssueSlots{2, 0, 0, 0, 2})) << "one cycle of the issue is over, another runs";
  EXPECT_EQ(stage->slots(6), (IssueSlots{4, 0, 0, 0, 2}));
}

}  // namespace issue_profile_test
}  // namespace warpfold
