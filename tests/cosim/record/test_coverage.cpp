// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tb/cosim/record/coverage.h"

namespace warpfold::cosim {
namespace coverage_test {

TEST(CoverageTest, EventsAndSizes) {
  Coverage coverage;
  EXPECT_TRUE(coverage.empty());
  const Coverage::Index rows = coverage.sizes("rows", 1, 6), stalls = coverage.event("stalls"),
                        full = coverage.event("full");
  EXPECT_EQ(coverage.event("stalls"), stalls) << "another core's block counts in the same place";
  coverage.size(rows, 3);
  coverage.size(rows, 3);
  coverage.size(rows, 0);
  coverage.count(stalls);
  coverage.count(stalls, 4);
  coverage.count_if(true, stalls);
  coverage.count_if(false, full);
  EXPECT_EQ(coverage.json().dump(), R"({"rows":{"0":1,"1-2":0,"3":2,"4-6":0},"stalls":6,"full":0})")
      << "a size beyond the range is told, too";
  EXPECT_EQ(coverage.not_exercised(), (std::vector<std::string>{"rows 1-2", "rows 4-6", "full"}));
  EXPECT_FALSE(coverage.empty());
}

TEST(CoverageTest, SizesThatNeverCameAreStates) {
  Coverage coverage;
  const Coverage::Index lanes = coverage.sizes("lanes", 2, 3);
  EXPECT_EQ(coverage.not_exercised(), std::vector<std::string>{"lanes 2-3"});
  EXPECT_EQ(coverage.sizes("lanes", 1, 5), lanes) << "another core's, of another size";
  EXPECT_EQ(coverage.not_exercised(), std::vector<std::string>{"lanes 1-5"});
  coverage.each(lanes, 0b101100);
  EXPECT_EQ(coverage.json().dump(), R"({"lanes":{"1":0,"2":1,"3":1,"4":0,"5":1}})");
}

TEST(CoverageTest, WhatAMachineCannotBringAboutSaysWhy) {
  Coverage coverage;
  coverage.cannot("back_to_back", "one at a time");
  coverage.event("full");
  EXPECT_EQ(coverage.json().dump(), R"({"back_to_back":0,"full":0})");
  EXPECT_EQ(coverage.not_exercised(), std::vector<std::string>{"full"});
  EXPECT_EQ(coverage.unreachable().dump(), R"({"back_to_back":"one at a time"})");
}

}  // namespace coverage_test
}  // namespace warpfold::cosim
