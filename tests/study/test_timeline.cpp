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
  auto read(const std::string& text, unsigned bins, std::size_t most = 1000) {
    std::ofstream(file_) << text;
    return read_timeline(file_, bins, most);
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

constexpr const char* kWarps = R"([
{"ph":"M","pid":1,"ts":0,"name":"process_name","args":{"name":"tbc2011 under tbc"}},
{"ph":"M","pid":1001,"ts":0,"tid":1,"name":"thread_name","args":{"name":"warp slot 00"}},
{"ph":"M","pid":1001,"ts":0,"tid":1,"name":"thread_sort_index","args":{"sort_index":8}},
{"ph":"M","pid":1001,"ts":0,"tid":9,"name":"thread_name","args":{"name":"block slot 00"}},
{"ph":"i","pid":1,"ts":0,"tid":2,"name":"run","cat":"run","args":{"warp_size":32}},
{"ph":"C","pid":1,"ts":0,"name":"blocks","args":{"core 0":1,"core 1":1}},
{"ph":"B","pid":1,"ts":0,"tid":2,"name":"kernel","cat":"launch"},
{"ph":"B","pid":1001,"ts":2,"tid":9,"name":"block 0","cat":"block"},
{"ph":"B","pid":1001,"ts":2,"tid":1,"name":"warp of block 0","cat":"warp"},
{"ph":"X","pid":1001,"ts":6,"tid":1,"dur":4,"name":"memory","cat":"wait","args":{"pc":1}},
{"ph":"X","pid":1001,"ts":2,"tid":1,"dur":4,"name":"add","cat":"issue","args":{"pc":0,"source":"k.cu:7","lanes":5}},
{"ph":"b","pid":1001,"ts":6,"id":"0x1","name":"load","cat":"load"},
{"ph":"b","pid":1001,"ts":8,"id":"0x2","name":"load","cat":"load"},
{"ph":"e","pid":1001,"ts":10,"id":"0x1","name":"load","cat":"load"},
{"ph":"E","pid":1001,"ts":12,"tid":1},
{"ph":"E","pid":1001,"ts":12,"tid":9},
{"ph":"C","pid":1,"ts":16,"name":"blocks","args":{"core 0":0,"core 1":0}})";

// A row's numbers: cycles after the slice before, cycles, of which text, lanes or requests. What never ends does so
// with the trace.
TEST_F(Timeline, RowsOfLaunchesBlocksWarpsAndRequests) {
  const auto timeline = read(kWarps, 2);
  ASSERT_TRUE(timeline);
  EXPECT_EQ((*timeline)["title"], "tbc2011 under tbc");
  EXPECT_EQ((*timeline)["lanes"], 32);
  EXPECT_EQ((*timeline)["whats"].dump(),
            R"([["launch","kernel"],["block","block 0"],["memory","pc 1"],["issue","add, pc 0, k.cu:7"],)"
            R"(["requests","load"]])");
  EXPECT_EQ((*timeline)["rows"].dump(), R"([{"core":null,"name":"","slices":[0,16,0,0]},)"
                                        R"({"core":1,"name":"block slot 00","slices":[2,10,1,0]},)"
                                        R"({"core":1,"name":"warp slot 00","slices":[2,4,3,5,0,4,2,0]},)"
                                        R"({"core":1,"name":"load","slices":[6,2,4,1,0,2,4,2,0,6,4,1]}])");
  EXPECT_FALSE(timeline->contains("slices_until"));
}

TEST_F(Timeline, MoreSlicesThanAPageMayHave) {
  const auto timeline = read(kWarps, 2, 1);
  ASSERT_TRUE(timeline);
  EXPECT_EQ((*timeline)["slices_until"], 10);
  EXPECT_EQ((*timeline)["rows"].size(), 3U) << "launch and block had begun, and the warp has one slice";
}

TEST_F(Timeline, ATraceThatSaysWhereItsSlicesEnd) {
  const std::string end = R"(,
{"ph":"i","pid":1,"ts":16,"tid":2,"name":"end","cat":"run","args":{"cycles":16,"slices_end":12}}])";
  const auto timeline = read(kWarps + end, 2);
  ASSERT_TRUE(timeline);
  EXPECT_EQ((*timeline)["slices_until"], 12);
}

// Whatever somebody else's file has, in the place of what ours have.
TEST_F(Timeline, EventsThatAreNone) {
  for (const char* const line :
       {R"({"ph":"X","pid":1001,"ts":"6","tid":[],"dur":-4,"name":"add","cat":"issue","args":7})",
        R"({"ph":"X","pid":1001,"ts":1e300,"tid":1,"dur":1e300,"name":"add","cat":"issue"})",
        R"({"ph":"X","pid":1001,"ts":1,"tid":1,"dur":3,"name":"sleep","cat":"wait"})",
        R"({"ph":"X","pid":7,"ts":1,"tid":1,"dur":3,"name":"add","cat":"issue"})", R"({"ph":{},"name":3})",
        R"({"ph":"E","pid":1001,"ts":9,"tid":1})"}) {
    const auto plain = read(kWarps, 2), with = read(std::string(kWarps) + ",\n" + line, 2);
    ASSERT_TRUE(with) << line;
    for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ((*with)["rows"][row], (*plain)["rows"][row]) << line;
  }
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
  EXPECT_FALSE(read_timeline(file_ + ".none", 4, 1));
}

}  // namespace timeline_test
}  // namespace warpfold::study
