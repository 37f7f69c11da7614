// SPDX-License-Identifier: Apache-2.0
// What people's programs include besides CUDA itself: each program beside this checks its own results.
#include <gtest/gtest.h>

#include "tests/host/front_end.h"

namespace warpfold {
namespace {

class Libraries : public ::testing::TestWithParam<const char*> {
 protected:
  host::CommandResult run(const std::string& arguments) const {
    return host::run_command("cd '" + folder.path("") + "' && '" WARPFOLD_PROGRAM "' " + arguments +
                             " --machine gtx480 --out out '" LIBRARY_PROGRAMS "/" + GetParam() + "'");
  }
  host::ScratchFolder folder;
};

TEST_P(Libraries, ComputeWhatTheyShould) {
  const host::CommandResult result = run("run --timing functional");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find(" checks, 0 wrong, cudaSuccess\n"), std::string::npos) << result.output;
}

TEST_P(Libraries, ComputeItUnderEveryMechanism) {
  const host::CommandResult result = run("compare --mechanisms all");
  EXPECT_EQ(result.status, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(Each, Libraries, ::testing::Values("thrust", "cub", "libcudacxx"),
                         [](const auto& library) { return std::string(library.param); });

}  // namespace
}  // namespace warpfold
