// SPDX-License-Identifier: Apache-2.0
// The issue stage behind an instruction fetch that does not always hit: what it asks for, and what waiting costs.
#include "tests/core/issue_fixture.h"

namespace warpfold {
namespace issue_stage_fetch_test {

class IssueFetchTest : public IssueStageTest {
 protected:
  IssueFetchTest() {
    params.fetch.cached = true;
    fetches.emplace("fetches", clock);
    fetches->answer = [this](FetchRequest& fetch, tlm::tlm_phase&) {
      const bool late = fetch.kind != FetchRequest::Kind::kDrop && delay != 0;
      if (late) {
        before.at(clock.current() + delay, [this, fetch] {
          FetchRequest there = fetch;
          fetches->send_back(there, tlm::BEGIN_RESP);
        });
      }
      return late ? tlm::TLM_ACCEPTED : tlm::TLM_COMPLETED;
    };
  }
  std::vector<isa::Pc> asked() const {
    std::vector<isa::Pc> list;
    for (const auto& [at, fetch] : fetches->seen) list.push_back(fetch.pc);
    return list;
  }

  Cycle delay = 0;  // of a fetch; 0: the instruction is there
};

TEST_F(IssueFetchTest, InstructionsThatAreThereCostNothing) {
  alu();
  exit();
  start();
  enter(0, 0);
  run(60);
  EXPECT_EQ(issues(), (Issues{{0, 0}, {20, 0}}));
  EXPECT_EQ(asked(), (std::vector<isa::Pc>{0, 1, 1})) << "the last is not needed any more";
  EXPECT_EQ(fetches->seen[0].payload.kind, FetchRequest::Kind::kFirst);
  EXPECT_EQ(fetches->seen[1].payload.kind, FetchRequest::Kind::kNext);
  EXPECT_EQ(fetches->seen[2].payload.kind, FetchRequest::Kind::kDrop);
  expect_breakdown(41, 8, 0, 0, 33);
  EXPECT_EQ(stat("w0_fetch"), 0u);
}

TEST_F(IssueFetchTest, WarpsWaitForTheirs) {
  delay = 7;
  alu();
  exit();
  start();
  enter(0, 0);
  run(6);
  EXPECT_EQ(stage->waits_for(0), "its next instruction");
  run(60);
  EXPECT_EQ(issues(), (Issues{{7, 0}, {34, 0}})) << "7 + 20 + 7";
  expect_breakdown(55, 8, 0, 0, 55 - 8 - 14);
  EXPECT_EQ(stat("w0_fetch"), 14u);
}

TEST_F(IssueFetchTest, OnlyTheWarpsOfASchedulerCountForIt) {
  params.schedulers = 2;
  delay = 7;
  exit();
  start();
  enter(0, 1);
  run(20);
  EXPECT_EQ(issues(), (Issues{{7, 1}}));
  stage->kernel_ended(28);
  EXPECT_EQ(stat("w0_fetch"), 7u);
}

// As where warps merge: one leaves its slot before its instruction has come.
TEST_F(IssueFetchTest, AWarpThatLeavesWaitsNoLonger) {
  fetches->answer = [](FetchRequest& fetch, tlm::tlm_phase&) {
    return fetch.kind == FetchRequest::Kind::kDrop ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  };
  exit();
  start();
  enter(0, 0);
  before.at(10, [this] { warp_unit->warps().remove(0); });
  run(30);
  stage->kernel_ended(30);
  EXPECT_EQ(stat("w0_fetch"), 10u);
  EXPECT_EQ(stat("w0_idle"), 20u);
}

}  // namespace issue_stage_fetch_test
}  // namespace warpfold
