// SPDX-License-Identifier: Apache-2.0
// CAPRI on flow programs: what runs in whose company while a branch is predicted adequate, and once it no longer is.
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "tests/divergence/flow_machine.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace capri_test {

Outcome among(std::vector<unsigned> threads) {
  return [threads = std::move(threads)](Who who, unsigned) {
    return std::find(threads.begin(), threads.end(), who.thread) != threads.end();
  };
}
Program if_else(std::vector<unsigned> taken) {
  return {branch(3, among(std::move(taken))), step(), jump(4), step(), leave()};
}

struct Ran {
  std::string first, second;  // what two blocks issue, one after the other
};
Ran run(const Program& program, std::vector<std::string> parameters = {}) {
  FlowMachine machine({"capri", std::move(parameters)}, program);
  Ran ran;
  for (std::string* issued : {&ran.first, &ran.second}) {
    machine.start(0, 0, 8);
    machine.run();
    *issued = machine.issued();
    machine.trace.clear();
  }
  return ran;
}

std::string pdom(const Program& program) {
  FlowMachine machine({"pdom", {}}, program);
  machine.start(0, 0, 8);
  machine.run();
  return machine.issued();
}

// What is issued, in whatever order: warps that bypass still meet at reconvergence points.
std::multiset<std::string> company(const std::string& issued) {
  std::istringstream words(issued);
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(Capri, AnAdequateBranchIsCompactedEveryTime) {
  const Ran ran = run(if_else({0, 5, 6}));
  EXPECT_EQ(ran.first, "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{4,1,2,3} 2{4,1,2,3} 1{7} 2{7} 4{0,1,2,3} 4{4,5,6,7}")
      << "as TBC";
  EXPECT_EQ(ran.second, ran.first);
}

TEST(Capri, AnInadequateOneOnlyTheFirstTime) {
  const Program program = if_else({0, 4});
  const Ran ran = run(program);
  EXPECT_EQ(ran.first, "0{0,1,2,3} 0{4,5,6,7} 3{0} 3{4} 1{1,2,3} 2{1,2,3} 1{5,6,7} 2{5,6,7} 4{0,1,2,3} 4{4,5,6,7}");
  EXPECT_EQ(ran.second, "0{0,1,2,3} 3{0} 0{4,5,6,7} 3{4} 1{1,2,3} 2{1,2,3} 1{5,6,7} 2{5,6,7} 4{0,1,2,3} 4{4,5,6,7}")
      << "then no warp waits before it is through the first side";
}

// C = {0, 1, 2, 4, 5, 7} has two threads in lanes 0 and 1, B = {3, 6} none in common.
TEST(Capri, WhichSideIsAdequateIsAParameter) {
  const Program program = if_else({0, 1, 2, 4, 5, 7});
  EXPECT_EQ(run(program, {"adequacy=either"}).second, run(program, {"adequacy=either"}).first);
  EXPECT_EQ(company(run(program, {"adequacy=entered"}).second), company(pdom(program)));
  EXPECT_EQ(run(program, {"adequacy=entered", "branch_order=not_taken_first"}).second,
            run(program, {"branch_order=not_taken_first"}).first)
      << "B is entered now";
}

// A side without instructions has no warps to save.
TEST(Capri, ASideAtTheReconvergencePointIsNotAdequate) {
  const Program program{branch(2, among({3, 6})), step(), leave()};  // {0, 1, 2, 4, 5, 7} run pc 1
  EXPECT_EQ(company(run(program).second), company(pdom(program)));
}

// Always bypassing, its warps are those of PDOM, and it counts what PDOM misses.
TEST(Capri, AlwaysBypassingKeepsTheWarpsOfPdom) {
  for (const Program& program : {if_else({0, 5, 6}), if_else({0, 4})}) {
    EXPECT_EQ(company(run(program, {"prediction=bypass"}).first), company(pdom(program)));
  }
  FlowMachine machine({"capri", {"prediction=bypass"}}, if_else({0, 5, 6}));
  machine.start(0, 0, 8);
  machine.run();
  EXPECT_EQ(machine.core.statistic("validity_bypass_stall"), 1U);
}

// With meetings of warps, whoever bypasses runs as under PDOM, instruction by instruction.
TEST(Capri, WarpsThatMeetNobodyRunAsUnderPdom) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    EXPECT_EQ(run(program, {"meeting=warp", "prediction=bypass"}).first, pdom(program)) << "seed " << seed;
  }
}

TEST(Capri, MeetingsOfWarpsLeaveThoseAloneThatBypass) {
  const Program program = if_else({0, 4});
  const Ran ran = run(program, {"meeting=warp"});
  EXPECT_EQ(ran.first, run(program).first) << "the first time it stalls";
  EXPECT_EQ(ran.second, pdom(program));
  EXPECT_EQ(run(if_else({0, 5, 6}), {"meeting=warp"}).second, run(if_else({0, 5, 6})).second) << "adequate";
}

// Stalling is predicted the first time: rightly for {0, 5, 6}, wrongly for {0, 4}, of which it bypasses the second.
TEST(Capri, CountsThePredictionsThatWereRight) {
  const auto counts = [](std::vector<unsigned> taken) {
    FlowMachine machine({"capri", {}}, if_else(std::move(taken)));
    std::string text;
    for (unsigned block = 0; block < 2; ++block) {
      machine.start(0, 0, 8);
      machine.run();
      text += fmt::format("{}{} of {}", block == 0 ? "" : ", ", machine.core.statistic("capri_predictions_correct"),
                          machine.core.statistic("capri_predictions"));
    }
    return text;
  };
  EXPECT_EQ(counts({0, 5, 6}), "1 of 1, 2 of 2");
  EXPECT_EQ(counts({0, 4}), "0 of 1, 1 of 2");
}

TEST(Capri, AlwaysStallingLearnsNothing) {
  const Ran ran = run(if_else({0, 4}), {"prediction=stall"});
  EXPECT_EQ(ran.second, ran.first);
}

// Two branches in a row that are inadequate: the second time, both are known to be, unless they share an entry.
TEST(Capri, BranchesThatShareAnEntryReplaceEachOther) {
  const auto correct = [](unsigned entries) {
    const Outcome apart = among({0, 4});
    FlowMachine machine(
        {"capri", {fmt::format("table_entries={}", entries)}},
        {branch(3, apart), step(), jump(4), step(), branch(7, apart), step(), jump(8), step(), leave()});
    for (unsigned block = 0; block < 2; ++block) {
      machine.start(0, 0, 8);
      machine.run();
    }
    return fmt::format("{} of {}, {} replaced", machine.core.statistic("capri_predictions_correct"),
                       machine.core.statistic("capri_predictions"), machine.core.statistic("capri_replaced"));
  };
  EXPECT_EQ(correct(8), "2 of 4, 0 replaced");
  EXPECT_EQ(correct(4), "0 of 4, 3 replaced") << "the branches are at 0 and 4";
}

}  // namespace capri_test
}  // namespace warpfold::divergence
