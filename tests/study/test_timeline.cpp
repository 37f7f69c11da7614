// SPDX-License-Identifier: Apache-2.0
// Time traces as means over stretches: what holds between events, and files that are none.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tb/study/timeline.h"

namespace warpfold::study {
namespace timeline_test {

using Json = nlohmann::ordered_json;

class Timeline : public testing::Test {
 protected:
  ~Timeline() override { std::filesystem::remove(file_); }
  auto read(const std::string& text, unsigned bins) {
    std::ofstream(file_) << text;
    return read_timeline(file_, bins);
  }
  const std::string file_ = testing::TempDir() + "/warpfold_timeline_" + std::to_string(getpid()) + ".json";
};

TEST_F(Timeline, AValueHoldsUntilTheNext) {
  const auto timeline = read(R"([
{"ph":"M","pid":1,"ts":0,"name":"process_name","args":{"name":"machine"}},
{"ph":"C","pid":1,"ts":100,"name":"blocks","args":{"core 0":2,"core 1":1}},
{"ph":"X","pid":1000,"tid":1,"ts":100,"dur":40,"name":"add"},
{"ph":"C","pid":1001,"ts":100,"name":"issue slots","args":{"issued":40,"idle":60}},
{"ph":"C","pid":1,"ts":150,"name":"blocks","args":{"core 0":4,"core 1":1}},
{"ph":"C","pid":1001,"ts":175,"name":"issue slots","args":{"issued":0,"idle":100}},
{"ph":"C","pid":1,"ts":190,"name":"blocks","args":{"core 0":0,"core 1":1}},
{"ph":"C","pid":1,"ts":200,"name":"blocks","args":{"core 0":0,"core 1":0}}
])",
                             4);
  ASSERT_TRUE(timeline);
  EXPECT_EQ((*timeline)["from"], 100);
  EXPECT_EQ((*timeline)["cycles"], 25);
  EXPECT_EQ((*timeline)["blocks"].dump(), "[[2.0,2.0,4.0,2.4],[1.0,1.0,1.0,1.0]]");
  EXPECT_TRUE((*timeline)["slots"][0].empty());
  EXPECT_EQ((*timeline)["slots"][1]["issued"].dump(), "[40.0,40.0,40.0,0.0]");
  EXPECT_EQ((*timeline)["slots"][1]["idle"].dump(), "[60.0,60.0,60.0,100.0]");
}

// Stretches shorter than a cycle, and borders that no floating-point number hits.
TEST_F(Timeline, ManyStretchesOfFewCycles) {
  const auto timeline = read(R"([
{"ph":"C","pid":1,"ts":0,"name":"blocks","args":{"core 0":3}},
{"ph":"C","pid":1,"ts":7,"name":"blocks","args":{"core 0":1}},
{"ph":"C","pid":1,"ts":10,"name":"blocks","args":{"core 0":0}}])",
                             30);
  ASSERT_TRUE(timeline);
  double sum = 0;
  for (const Json& value : (*timeline)["blocks"][0]) sum += value.get<double>() / 3;
  EXPECT_NEAR(sum, 7 * 3 + 3 * 1, 0.05);
}

// The writer was killed: what is whole is read.
TEST_F(Timeline, AFileMayEndAnywhere) {
  const auto timeline = read(R"([
{"ph":"C","pid":1,"ts":0,"name":"blocks","args":{"core 0":3}},
{"ph":"C","pid":1,"ts":8,"name":"blocks","args":{"core 0":1}},
{"ph":"C","pid":1,"ts":16,"name":"blo)",
                             2);
  ASSERT_TRUE(timeline);
  EXPECT_EQ((*timeline)["blocks"].dump(), "[[3.0,3.0]]");
}

TEST_F(Timeline, NoCountersAreNoTimeline) {
  EXPECT_FALSE(read("", 4));
  EXPECT_FALSE(read("no trace", 4));
  EXPECT_FALSE(read("[\n{\"ph\":\"C\",\"pid\":1,\"ts\":5,\"name\":\"blocks\",\"args\":{\"core 0\":1}}\n]", 4));
  EXPECT_FALSE(read_timeline(file_ + ".none", 4));
}

}  // namespace timeline_test
}  // namespace warpfold::study
