// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tb/cosim/record/coverage.h"

namespace warpfold::cosim {
namespace coverage_test {

TEST(CoverageTest, EventsAndSizes) {
  Coverage coverage;
  EXPECT_TRUE(coverage.empty());
  const Coverage::Index rows = coverage.sizes("rows"), stalls = coverage.event("stalls"), full = coverage.event("full");
  EXPECT_EQ(coverage.event("stalls"), stalls) << "another core's block counts in the same place";
  coverage.size(rows, 3);
  coverage.size(rows, 3);
  coverage.size(rows, 0);
  coverage.count(stalls);
  coverage.count(stalls, 4);
  coverage.count_if(true, stalls);
  coverage.count_if(false, full);
  EXPECT_EQ(coverage.json().dump(), R"({"rows":{"0":1,"3":2},"stalls":6,"full":0})");
  EXPECT_EQ(coverage.not_exercised(), std::vector<std::string>{"full"});
  EXPECT_FALSE(coverage.empty());
}

}  // namespace coverage_test
}  // namespace warpfold::cosim
