// SPDX-License-Identifier: Apache-2.0
// Which decision about compaction falls into which class of TSTBC Fig. 7.
#include <gtest/gtest.h>

#include "tests/divergence/fake_core.h"
#include "warpfold/divergence/parts/validity.h"

namespace warpfold::divergence {
namespace validity_test {

TEST(Validity, FourClasses) {
  FakeCore core(1, 1);
  Validity validity(core.stats());
  const auto count = [&](bool stalled, bool should_stall, unsigned times) {
    for (unsigned i = 0; i < times; ++i) validity.count(stalled, should_stall);
  };
  count(true, true, 1);
  count(false, false, 2);
  count(true, false, 3);
  count(false, true, 4);
  EXPECT_EQ(core.statistic("validity_stall_stall"), 1U);
  EXPECT_EQ(core.statistic("validity_bypass_bypass"), 2U);
  EXPECT_EQ(core.statistic("validity_stall_bypass"), 3U);
  EXPECT_EQ(core.statistic("validity_bypass_stall"), 4U);
}

}  // namespace validity_test
}  // namespace warpfold::divergence
