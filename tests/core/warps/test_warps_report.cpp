// SPDX-License-Identifier: Apache-2.0
// What watchdogs learn of the warps.
#include "tests/core/warps_fixture.h"

namespace warpfold {
namespace warps_report_test {

TEST_F(WarpsTest, ReportsWhoWaitsForWhat) {
  start_block({kAll, 0xff});
  kernel.file = "k.ptx";
  kernel.ops[2].line = 77;
  warps.warp(0).pc = warps.warp(1).pc = 2;
  commits(1, barrier, 2);
  const auto waits_for = [](WarpId) { return std::string("Godot"); };
  EXPECT_EQ(
      warps.report(waits_for),
      (Calls{
          "core 0 block 40 warp 0 (32 threads at k.ptx:77) waits for Godot",
          "core 0 block 40 warp 1 (8 threads at k.ptx:77) waits for a barrier that 8 of 40 live threads have reached",
          "core 0 block 40, threads in no warp: none"}));
}

}  // namespace warps_report_test
}  // namespace warpfold
