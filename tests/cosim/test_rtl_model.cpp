// SPDX-License-Identifier: Apache-2.0
// A verilated module through its pins.
#include <set>

#include "tests/cosim/rtl_fixture.h"

namespace warpfold::cosim {
namespace {

using RtlModelTest = RtlTest;

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

}  // namespace
}  // namespace warpfold::cosim
