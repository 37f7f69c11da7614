// SPDX-License-Identifier: Apache-2.0
// TSTBC on flow programs and its parameters; Algorithm 1 branch by branch is in tests/papers.
#include <gtest/gtest.h>

#include "tests/divergence/flow_machine.h"
#include "warpfold/common/error.h"

namespace warpfold::divergence {
namespace tstbc_test {

Outcome among(std::vector<unsigned> threads) {
  return
      [threads](Who who, unsigned) { return std::find(threads.begin(), threads.end(), who.thread) != threads.end(); };
}
Program if_else(std::vector<unsigned> taken) {
  return {branch(3, among(std::move(taken))), step(), jump(4), step(), leave()};
}

std::string run(const std::string& mechanism, const Program& program, unsigned threads,
                std::vector<std::string> parameters = {}) {
  FlowMachine machine({mechanism, std::move(parameters)}, program);
  machine.start(0, 0, threads);
  machine.run();
  return machine.issued();
}

TEST(Tstbc, TwoWarpsAreFewerThanN) {
  EXPECT_EQ(run("tstbc", if_else({0, 5, 6}), 8),
            "0{0,1,2,3} 0{4,5,6,7} 3{0,5,6} 1{1,2,3} 2{1,2,3} 1{4,7} 2{4,7} 4{0,1,2,3} 4{4,5,6,7}")
      << "the other path would stay at two warps";
}

TEST(Tstbc, FourWarpsThatSaveEnough) {
  EXPECT_EQ(run("tstbc", if_else({0, 5, 10, 15}), 16),
            "0{0,1,2,3} 0{4,5,6,7} 0{8,9,10,11} 0{12,13,14,15} 3{0,5,10,15} 1{1,2,3} 2{1,2,3} 1{4,6,7} 2{4,6,7} "
            "1{8,9,11} 2{8,9,11} 1{12,13,14} 2{12,13,14} 4{0,1,2,3} 4{4,5,6,7} 4{8,9,10,11} 4{12,13,14,15}")
      << "three threads per lane on the other path: one warp saved of two wanted";
}

TEST(Tstbc, WithNOfOneNobodyWaitsForASecondWarp) {
  const Program program = if_else({0, 5});
  EXPECT_EQ(run("tstbc", program, 4, {"n=1"}), run("pdom", program, 4));
}

// The first n of them do not help: with meetings of warps they are through both sides before the others run theirs.
TEST(Tstbc, MeetingsOfWarpsLetTheFirstGoTheirWay) {
  const Program program = if_else({0, 4, 9, 14});
  const std::string issued = run("tstbc", program, 16, {"n=2", "t_wct=1", "meeting=warp"});
  EXPECT_EQ(issued,
            "0{0,1,2,3} 0{4,5,6,7} 3{0} 1{1,2,3} 2{1,2,3} 4{0,1,2,3} 3{4} 1{5,6,7} 2{5,6,7} 4{4,5,6,7} 0{8,9,10,11} "
            "0{12,13,14,15} 3{9,14} 1{8,10,11} 2{8,10,11} 1{12,13,15} 2{12,13,15} 4{8,9,10,11} 4{12,13,14,15}")
      << "the others save a warp on one side and none on the other";
}

TEST(Tstbc, BranchOrder) {
  EXPECT_EQ(run("tstbc", if_else({0, 1, 2, 4, 5, 7}), 8, {"branch_order=fewest_first"}),
            "0{0,1,2,3} 0{4,5,6,7} 1{6,3} 2{6,3} 3{0,1,2} 3{4,5,7} 4{0,1,2,3} 4{4,5,6,7}")
      << "two threads against six";
}

std::string refusal(std::vector<std::string> parameters, unsigned max_threads, unsigned warp_size) {
  Geometry geometry;
  geometry.max_threads = max_threads;
  geometry.warp_size = warp_size;
  return FlowSetup{"tstbc", std::move(parameters)}.configured().why_not(geometry);
}

TEST(Tstbc, NeedsAsManyWarpsAsItWaitsFor) {
  EXPECT_EQ(refusal({}, 1024, 32), "");
  EXPECT_EQ(refusal({"n=32", "t_wct=32"}, 1024, 32), "");
  EXPECT_EQ(refusal({"n=33"}, 1024, 32), "n = 33 warps of a block, which has no more than 32 here");
  EXPECT_EQ(refusal({"t_wct=17"}, 1024, 64), "t_wct = 17 warps of a block, which has no more than 16 here");
}

TEST(Tstbc, RefusesWhatIsNoNumberOfWarps) {
  EXPECT_THROW((FlowSetup{"tstbc", {"n=0"}}.configured()), UserError);
  EXPECT_THROW((FlowSetup{"tstbc", {"t_wct=0"}}.configured()), UserError);
  EXPECT_THROW((FlowSetup{"tstbc", {"wct_rule=printed"}}.configured()), UserError);
}

}  // namespace tstbc_test
}  // namespace warpfold::divergence
