// SPDX-License-Identifier: Apache-2.0
// The report on a kernel that cannot end is one line of bounded length, whatever the number of warps.
#include <gtest/gtest.h>

#include "warpfold/common/error.h"
#include "warpfold/gpu/run/stuck.h"

namespace warpfold {
namespace stuck_test {

std::string report(std::size_t warps) {
  isa::Kernel kernel;
  kernel.name = "k";
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < warps; ++i) lines.push_back("warp " + std::to_string(i));
  try {
    report_stuck(kernel, "nothing happens", 3, 10, lines);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Stuck, NamesKernelReasonAndWarps) {
  EXPECT_EQ(report(0), "kernel 'k': nothing happens with 3 of 10 blocks finished");
  EXPECT_EQ(report(2), "kernel 'k': nothing happens with 3 of 10 blocks finished; warp 0; warp 1");
}

TEST(Stuck, ShowsSixWarps) {
  const std::string six =
      "kernel 'k': nothing happens with 3 of 10 blocks finished; warp 0; warp 1; warp 2; warp 3; warp 4; warp 5";
  EXPECT_EQ(report(6), six);
  EXPECT_EQ(report(7), six + "; and 1 more");
  EXPECT_EQ(report(960), six + "; and 954 more");
}

}  // namespace stuck_test
}  // namespace warpfold
