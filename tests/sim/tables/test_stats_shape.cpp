// SPDX-License-Identifier: Apache-2.0
// Result files that are not as a run leaves them are told, not taken apart.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tb/sim/runs/point.h"
#include "tb/sim/tables/stats_shape.h"
#include "tb/sim/tables/table.h"

namespace warpfold::sim {
namespace stats_shape_test {

using Json = nlohmann::json;

Json whole() {
  return Json::parse(R"({
    "total": {"cycles": 9, "ipc": 0.5},
    "kernels": {"kernel.0.k": {"cycles": 9}},
    "resources": {"kernel.0.k": [{"block": [1, 1, 1], "registers_per_thread": 3, "limit": "blocks", "launches": 2}]},
    "modules": 7})");
}

// `path` of whole() replaced.
std::string wrong_with(const char* path, const char* value) {
  Json stats = whole();
  stats[Json::json_pointer(path)] = Json::parse(value);
  return wrong_in_statistics(stats);
}

TEST(StatsShape, WhatARunLeavesIsRight) {
  EXPECT_EQ(wrong_in_statistics(whole()), "");
  EXPECT_EQ(wrong_in_statistics(Json::parse(R"({"total": {"cycles": 3}})")), "");
}

TEST(StatsShape, EachPartIsHeldToItsShape) {
  EXPECT_EQ(wrong_in_statistics(Json::array()), "no table of statistics");
  EXPECT_EQ(wrong_in_statistics(Json(Json::value_t::discarded)), "no table of statistics");
  EXPECT_EQ(wrong_with("/total", "[1]"), "total is no table");
  EXPECT_EQ(wrong_with("/total/cycles", "\"9\""), "total: cycles is no number");
  EXPECT_EQ(wrong_with("/kernels", "3"), "kernels is no table");
  EXPECT_EQ(wrong_with("/kernels/kernel.0.k", "null"), "kernel.0.k is no table");
  EXPECT_EQ(wrong_with("/kernels/kernel.0.k/cycles", "{}"), "kernel.0.k: cycles is no number");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k", "1"), "kernel.0.k is no list");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k/0", "1"), "kernel.0.k is no table");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k/0/limit", "1"), "kernel.0.k: limit is no text");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k/0/block", "\"1\""), "kernel.0.k: block is no number");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k/0", "{}"), "kernel.0.k has no limit");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k/0", "{\"limit\": \"\"}"), "kernel.0.k has no number of launches");
  EXPECT_EQ(wrong_with("/resources/kernel.0.k/0/launches", "-1"), "kernel.0.k has no number of launches");
  EXPECT_EQ(wrong_with("/kernels/kernel.1.k", "{}"), "kernel.1.k has no resources");
  EXPECT_EQ(wrong_in_statistics(Json::parse(R"({"kernels": {"kernel.0.k": {}}})")), "no total, or no resources");
}

TEST(StatsShape, KernelsHaveNumbersThatCanBeSorted) {
  for (const char* name :
       {"kernel", "kernel.", "kernel.0", "kernel.x.k", "core0.0.k", "kernel.-1.k", "kernel.99999999999999999999.k"}) {
    const std::string path = std::string("/resources/") + name;
    EXPECT_EQ(wrong_with(path.c_str(), "[]"), std::string("resources: ") + name + " is no kernel");
  }
}

TEST(StatsShape, ValuesOfAnotherTypeSayNothing) {
  const Json run = Json::parse(R"({"finished": true, "threads": 3, "key": "0a"})");
  EXPECT_TRUE(value_in(run, "finished", false));
  EXPECT_EQ(value_in(run, "threads", 1U), 3U);
  EXPECT_EQ(value_in(run, "key", std::string()), "0a");
  EXPECT_FALSE(value_in(run, "key", false));
  EXPECT_FALSE(value_in(run, "threads", false));
  EXPECT_EQ(value_in(run, "finished", 1U), 1U);
  EXPECT_EQ(value_in(run, "threads", std::string()), "");
  EXPECT_EQ(value_in(run, "none", std::string("-")), "-");
  EXPECT_EQ(value_in(Json::parse(R"({"threads": -1})"), "threads", 1U), 1U);
  for (const char* other : {"[]", "3", "null"}) EXPECT_FALSE(value_in(Json::parse(other), "finished", false)) << other;
  EXPECT_FALSE(value_in(Json(Json::value_t::discarded), "finished", false));
}

// Whether there are cycles decides the columns; a launch does not choose others than its table has.
TEST(StatsShape, ARowHasTheColumnsOfItsTable) {
  Json stats = whole();
  stats["total"] = {{"warp_instructions", 3}};
  const std::string table = text_of({{}, {kernel_table(stats, 32)}}, {}, 0);
  EXPECT_NE(table.find("EU none"), std::string::npos) << table;
  EXPECT_EQ(table.find('9'), std::string::npos) << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
}

TEST(StatsShape, APointWithOtherFilesIsWrong) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("warpfold_stats_shape_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto reason = [&](const std::string& stats, const std::string& run) {
    std::ofstream(folder / "stats.json") << stats;
    std::ofstream(folder / "run.json") << run;
    Point point;
    point.options.out = folder;
    collect(point);
    return point.state == Point::State::kDone ? "done" : point.reason;
  };
  const std::string finished = R"({"finished": true})";
  EXPECT_EQ(reason(whole().dump(), finished), "done");
  EXPECT_EQ(reason("[]", finished), "it launched no kernel (built by warpfold-cc? warpfold's options come before it)");
  EXPECT_EQ(reason(whole().dump(), "[]"), "it left before its results were complete (by _exit?)");
  EXPECT_EQ(reason(R"({"kernels": [1]})", finished), "its stats.json is not as a run leaves it: kernels is no table");
  std::filesystem::remove_all(folder);
}

}  // namespace stats_shape_test
}  // namespace warpfold::sim
