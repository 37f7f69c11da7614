// SPDX-License-Identifier: Apache-2.0
// Programs that rely on a warp's threads meeting again after a branch (TBC §2.3, HARP footnote 1): which mechanisms run
// them right. The twin with barriers must come out right under every one.
#include <gtest/gtest.h>

#include "tests/divergence/mechanism_variants.h"
#include "tests/host/front_end.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace implicit_synchronisation_test {

host::CommandResult run(const std::string& workload, const std::string& mechanism) {
  const host::ScratchFolder folder;
  const RunOptions options = RunOptions::resolve("tbc2011", mechanism, {});
  return host::run_command(fmt::format("{}='{}' '{}/{}' --size small", kRunVariable,
                                       folder.write("run.yaml", options.run_file()), WARPFOLD_WORKLOADS, workload));
}

class ImplicitSynchronisation : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, ImplicitSynchronisation, testing::ValuesIn(plain_mechanisms()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(ImplicitSynchronisation, IsNotNeededWithBarriers) {
  const host::CommandResult result = run("nvrt-sync", GetParam().mechanism);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(result.output.ends_with("PASS\n")) << result.output;
}

TEST(ImplicitSynchronisation, IsKeptWhereAWarpsThreadsMeetAgain) {
  for (const char* mechanism : {"pdom", "pdom-lcp", "token-stack", "tbc", "tbc-lcp", "lwm", "dwf-wb", "exec-mask",
                                "frontier", "its", "multipath", "sbi", "swi"}) {
    const host::CommandResult result = run("nvrt", mechanism);
    EXPECT_EQ(result.status, 0) << mechanism << ": " << result.output;
    EXPECT_TRUE(result.output.ends_with("PASS\n")) << mechanism << ": " << result.output;
  }
}

// Under `vws` and `dwr` slices of a warp slip apart.
TEST(ImplicitSynchronisation, IsLostUnderDwfVwsAndDwr) {
  for (const char* mechanism : {"dwf", "vws", "dwr"}) {
    const host::CommandResult result = run("nvrt", mechanism);
    EXPECT_NE(result.status, 0) << mechanism;
    EXPECT_NE(result.output.find("FAIL: pixel "), std::string::npos) << "a stale task shows: " << result.output;
  }
}

}  // namespace implicit_synchronisation_test
}  // namespace warpfold
