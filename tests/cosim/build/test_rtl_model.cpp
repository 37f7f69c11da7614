// SPDX-License-Identifier: Apache-2.0
// A verilated module through its pins.
#include <set>

#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace rtl_model_test {

using RtlModelTest = RtlTest;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

TEST_F(RtlModelTest, RegistersTakeWhatWasSettled) {
  RtlModel model(counter(), "count", 1);
  Pin step = model.pin("step_i"), count = model.pin("count_o"), next = model.pin("next_o");
  EXPECT_EQ(count.get(), 0U);
  step.set(3);
  model.eval();
  EXPECT_EQ(next.get(), 3U) << "outputs follow inputs without a clock";
  EXPECT_EQ(count.get(), 0U);
  model.clock(1000);
  EXPECT_EQ(count.get(), 3U);
  step.set(5);
  model.clock(2000);
  EXPECT_EQ(count.get(), 8U) << "inputs that nobody let settle are settled before the edge";
  EXPECT_EQ(model.clocks(), 2U);
  EXPECT_EQ(model.evals(), 4U);
  model.reset();
  EXPECT_EQ(count.get(), 0U);
  EXPECT_EQ(step.get(), 0U) << "reset takes the inputs back";
  EXPECT_EQ(model.clocks(), 0U);
}

// What follows from inputs is worked out when they change, and at no edge.
TEST_F(RtlModelTest, SettlesWhereInputsChange) {
  RtlModel model(changed("assign unset_o = unset_q;",
                         "assign unset_o = unset_q;\n  always_comb if (step_i[0]) $display(\"settles %0d\", short_i);"),
                 "count", 1);
  model.clock(0);
  CaptureStderr();
  model.pin("step_i").set(1);
  model.eval();
  EXPECT_EQ(GetCapturedStderr(), "count: clock 1: settles 0\n");
  CaptureStderr();
  for (unsigned clock = 0; clock < 3; ++clock) {
    model.clock(0);
    model.eval();
    model.eval();
  }
  EXPECT_EQ(GetCapturedStderr(), "");
  EXPECT_EQ(model.pin("count_o").get(), 3U);
  CaptureStderr();
  model.pin("short_i").set(7);
  model.clock(0);
  EXPECT_EQ(GetCapturedStderr(), "count: clock 4: settles 7\n");
}

TEST_F(RtlModelTest, OutputsOfRegistersDoNotFollowInputs) {
  const RtlModel model(counter(), "count", 1);
  EXPECT_FALSE(model.follows_inputs("unset_o"));
  EXPECT_TRUE(model.follows_inputs("next_o"));
  EXPECT_TRUE(model.follows_inputs("wide_o"));
}

// An edge changes logic that the clock is an input of.
TEST_F(RtlModelTest, AGatedClock) {
  RtlModel model(changed("assign unset_o = unset_q;",
                         "wire gated = clk_i & step_i[0];\n  logic [31:0] gated_q;\n  assign unset_o = gated_q;\n"
                         "  always_ff @(posedge gated) gated_q <= gated_q + 1;"),
                 "count", 1);
  const std::uint64_t before = model.pin("unset_o").get();
  for (const unsigned step : {1U, 0U, 1U, 0U, 0U, 1U}) {
    model.pin("step_i").set(step);
    model.clock(0);
    model.eval();
  }
  EXPECT_EQ(model.pin("unset_o").get(), before + 3);
}

TEST_F(RtlModelTest, PinsOfEveryWidth) {
  for (const unsigned width : {1U, 8U, 9U, 16U, 17U, 32U, 33U, 64U}) {
    RtlModel model(counter(kCounter, width), "count", 1);
    Pin step = model.pin("step_i");
    EXPECT_EQ(step.bits(), width);
    EXPECT_EQ(step.bytes(), width <= 8 ? 1U : width <= 16 ? 2U : width <= 32 ? 4U : 8U);
    step.set(1);
    model.eval();
    EXPECT_EQ(model.pin("next_o").get(), 1U) << width;
  }
  RtlModel model(counter(), "count", 1);
  Pin wide = model.pin("wide_i");
  model.pin("short_i").set(0x1000);
  model.pin("quad_i").set(0xfff'ffff'ffff'fff0);
  wide.set_field(3, 64, 0xfedc'ba98'7654'3210);
  wide.set_field(98, 2, 0b11);
  model.eval();
  EXPECT_EQ(model.pin("short_o").get(), 0xfffU);
  EXPECT_EQ(model.pin("quad_o").get(), 0xfU);
  EXPECT_EQ(wide.field(3, 64), 0xfedc'ba98'7654'3210U);
  EXPECT_EQ(wide.field(0, 3), 0U);
  EXPECT_EQ(wide.text(), "0xc00000007f6e5d4c3b2a19080");
  const Pin out = model.pin("wide_o");
  EXPECT_EQ(out.field(3, 64), ~0xfedc'ba98'7654'3210U);
  EXPECT_EQ(out.field(67, 33), 0x7fff'ffffU);
  EXPECT_EQ(out.field(96, 4), 0b0011U);
  EXPECT_EQ(out.bytes(), 16U);
  wide.clear();
  EXPECT_EQ(wide.text(), "0x0");
  EXPECT_THROW(model.pin("nobody_i"), InternalError);
}

// Registers without reset start with anything, the same for the same seed.
TEST_F(RtlModelTest, SeedsDrawTheUnknown) {
  std::set<std::uint64_t> values;
  for (unsigned seed = 0; seed < 8; ++seed) {
    RtlModel model(counter(), "count", seed), again(counter(), "again", seed);
    EXPECT_EQ(model.pin("unset_o").get(), again.pin("unset_o").get());
    values.insert(model.pin("unset_o").get());
  }
  EXPECT_EQ(values.size(), 8U);
}

// The process lives on, and so do other models and the next attempt with this one.
TEST_F(RtlModelTest, AFailingAssertionIsAnError) {
  RtlModel model(counter(), "core0.count", 1), other(counter(), "core1.count", 2);
  model.clock(0);
  model.pin("step_i").set(9);
  model.eval();
  EXPECT_EQ(complaint([&] { model.clock(1); }),
            "core0.count: clock 2: counter.sv:41: Assertion failed in core0.count.counter.SmallSteps: a step of 9");
  other.pin("step_i").set(8);
  EXPECT_EQ(complaint([&] { other.clock(1); }), "");
  EXPECT_EQ(other.pin("count_o").get(), 8U);
  model.reset();
  EXPECT_EQ(complaint([&] { model.clock(0); }), "");
}

TEST_F(RtlModelTest, FatalStopAndFinishAreErrors) {
  for (const auto& [call, text] : std::vector<std::pair<std::string, std::string>>{
           {"$fatal(1, \"no more\");", "no more"}, {"$finish;", "$finish"}, {"$stop;", "$stop"}}) {
    RtlModel model(changed("$display(\"count %0d\", count_o);", call), "count", 1);
    model.clock(0);
    model.pin("say_i").set(1);
    const std::string said = complaint([&] { model.clock(1); });
    EXPECT_TRUE(said.starts_with("count: clock 2: ")) << said;
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_NE(said.find("counter.sv:37"), std::string::npos) << said;
  }
}

TEST_F(RtlModelTest, WhatItPrintsGoesToStandardError) {
  RtlModel model(counter(), "count", 1);
  model.pin("step_i").set(5);
  model.clock(0);
  model.pin("say_i").set(1);
  CaptureStderr();
  model.clock(1);
  EXPECT_EQ(GetCapturedStderr(), "count: clock 2: count 5\n");
}

TEST_F(RtlModelTest, CoverageIsWritten) {
  RtlSource source = counter();
  source.coverage = true;
  RtlModel model(source, "count", 1);
  model.clock(0);
  model.write_coverage(directory / "coverage.dat");
  const std::string text = read_text(directory / "coverage.dat").value_or("");
  EXPECT_NE(text.find("counter.sv"), std::string::npos);
  EXPECT_NE(text.find("toggle"), std::string::npos);
  EXPECT_NE(complaint([&] { model.write_coverage(directory / "nowhere/coverage.dat"); }), "");
  RtlModel without(counter(), "count", 1);
  EXPECT_THROW(without.write_coverage(directory / "coverage.dat"), InternalError);
}

}  // namespace rtl_model_test
}  // namespace warpfold::cosim
