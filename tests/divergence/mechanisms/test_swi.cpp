// SPDX-License-Identifier: Apache-2.0
// Simultaneous warp interweaving: which warps go together, and that its contexts are those of `frontier`.
#include <gtest/gtest.h>

#include "tests/divergence/parts_walk.h"
#include "tests/divergence/random_program.h"

namespace warpfold::divergence {
namespace swi_test {

// Rows of four threads that stand at 0, with these lanes alone.
class Rows : public testing::Test {
 protected:
  Rows() : mechanism_(setup_.configured().make(setup_.geometry(), core_)), kernel_(kernel_of({step(), leave()})) {
    mechanism_->kernel_started(kernel_);
  }
  void start(const std::vector<LaneMask>& rows) { mechanism_->block_started({0, 0, 0, 0, rows}); }
  WarpId partner(WarpId first, const std::vector<WarpId>& others, unsigned count = 1) {
    WarpSet ready(8);
    for (const WarpId id : others) ready.insert(id);
    return mechanism_->partner({first, core_.warp(first).mask, count}, ready, 0);
  }

  FlowSetup setup_{"swi", {}};
  FakeCore core_{8, 8};
  std::unique_ptr<Mechanism> mechanism_;
  isa::Kernel kernel_;
};

TEST_F(Rows, DistinctLanesGoTogether) {
  start({0b0011, 0b1100, 0b0110});
  EXPECT_EQ(partner(0, {1}), 1U);
  EXPECT_EQ(partner(0, {2}), kNoWarp);
  EXPECT_EQ(partner(1, {2}), kNoWarp);
  EXPECT_EQ(partner(0, {}), kNoWarp);
  EXPECT_EQ(partner(0, {1}, 2), kNoWarp) << "two a cycle";
}

TEST_F(Rows, MostLanesThenTheLowestSlot) {
  start({0b0001, 0b0010, 0b1100, 0b0110, 0b1111});
  EXPECT_EQ(partner(0, {1, 2, 3, 4}), 2U);
  EXPECT_EQ(partner(0, {1, 3}), 3U);
  EXPECT_EQ(partner(0, {1}), 1U);
}

TEST(Swi, OnlyOfThePicksSet) {
  const FlowSetup setup{"swi", {"sets=2"}};
  FakeCore core(8, 8);
  const auto mechanism = setup.configured().make(setup.geometry(), core);
  const isa::Kernel kernel = kernel_of({step(), leave()});
  mechanism->kernel_started(kernel);
  mechanism->block_started({0, 0, 0, 0, {0b0001, 0b1110, 0b0010, 0b0001}});
  WarpSet ready(8);
  for (const WarpId id : {1U, 2U, 3U}) ready.insert(id);
  EXPECT_EQ(mechanism->partner({0, 0b0001, 1}, ready, 0), 2U) << "1, of more lanes, is in the other set";
  ready.erase(2);
  EXPECT_EQ(mechanism->partner({0, 0b0001, 1}, ready, 0), kNoWarp);
  const auto none = FlowSetup{"swi", {"sets=0"}}.configured().make(setup.geometry(), core);
  ready.insert(2);
  EXPECT_EQ(none->partner({0, 0b0001, 1}, ready, 0), kNoWarp);
}

// Each warp walks as under frontier, in whatever order warps have their turns.
TEST(Swi, IssuesWhatFrontierIssues) {
  EXPECT_EQ(walk("swi", {}, short_circuit_program()), walk("frontier", {}, short_circuit_program()));
  EXPECT_EQ(walk("swi", {}, loop_program()), walk("frontier", {}, loop_program()));
  for (std::uint64_t seed = 1; seed <= 1000 && !HasFailure(); ++seed) {
    const Program program = seed % 4 == 0 ? arbitrary_program(seed) : StructuredProgram(seed, seed % 2 == 0).make();
    for (const char* order : {"order=rpo", "order=pc", "order=depth_pc"})
      EXPECT_EQ(walk("swi", {order}, program), walk("frontier", {order}, program)) << "seed " << seed;
  }
}

TEST(Swi, NeverTakesMoreCyclesThanFrontierHasIssues) {
  std::size_t less = 0;
  for (std::uint64_t seed = 1; seed <= 500 && !HasFailure(); ++seed) {
    const Program program = StructuredProgram(seed, true).make();
    FlowMachine frontier({"frontier", {}}, program), swi({"swi", {}}, program), none({"swi", {"sets=0"}}, program);
    frontier.start(0, 0, 22);
    frontier.run();
    const std::size_t cycles = walk_in_parts(swi, 22).cycles;
    EXPECT_LE(cycles, frontier.trace.size());
    EXPECT_EQ(walk_in_parts(none, 22).cycles, frontier.trace.size());
    less += cycles < frontier.trace.size() ? 1 : 0;
  }
  EXPECT_GT(less, 250U);
}

TEST(Swi, SaysWhatItLacks) {
  Geometry core;
  const Configured swi = FlowSetup{"swi", {}}.configured();
  EXPECT_EQ(swi.why_not(core), "");
  core.packs_lanes = true;
  EXPECT_NE(swi.why_not(core).find("core.lane_packing"), std::string::npos);
}

TEST(Swi, DeclaresItsHardware) {
  const HardwareGeometry geometry;
  const Hardware hardware = FlowSetup{"swi", {}}.configured().hardware(geometry);
  EXPECT_EQ(hardware.text(), "cold contexts (992 × 65 bits), rtl/context_sorter, rtl/mask_fit_picker");
  EXPECT_EQ(hardware.unknown.size(), 1U);
  EXPECT_TRUE((FlowSetup{"swi", {"sets=0"}}.configured().hardware(geometry).unknown.empty())) << "it is frontier";
}

}  // namespace swi_test
}  // namespace warpfold::divergence
