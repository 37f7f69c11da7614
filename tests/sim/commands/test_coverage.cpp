// SPDX-License-Identifier: Apache-2.0
// `warpfold coverage`: what RTL blocks came across, summed over kept runs.
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"

namespace warpfold {
namespace coverage_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Coverage : public CommandLineTest {
 protected:
  // A run into `folder` whose blocks are said to have come across this.
  void run(const std::string& folder, const std::string& mechanism, const Json& rtl) {
    const Result r = warpfold("run --mechanism " + mechanism + " --out " + folder + " -- " PRETEND_PROGRAM);
    ASSERT_EQ(r.status, 0) << r.err;
    Json kept = Json::parse(read_file(directory_ / folder / "run.json"));
    kept["rtl"] = rtl;
    write_file(folder + "/run.json", kept.dump());
  }
  static Json stack(const Json& exercised) { return {{"stack", {{"check", "equal"}, {"exercised", exercised}}}}; }
};

TEST_F(Coverage, SumsOverRunsAndNamesWhatNoneReached) {
  run("kept/a", "pdom", stack({{"entries", {{"2", 5}, {"10", 1}}}, {"branch", 7}, {"full", 0}}));
  run("kept/b", "tbc", stack({{"entries", {{"1", 3}, {"2", 900}}}, {"branch", 2}, {"full", 0}}));
  run("kept/c", "tbc", {{"observer:mine", {{"clocks", 3}}}});  // counts nothing
  const Result r = warpfold("coverage kept --json");
  ASSERT_EQ(r.status, 0) << r.err;
  const Json states = Json::parse(r.out).at("states");
  std::string told;
  for (const Json& state : states) {
    told += state.at("block").get<std::string>() + "|" + state.at("state").get<std::string>() + "|" +
            state.at("times").dump() + "|" + state.at("runs").dump() + "|" + state.at("of_runs").dump() + "|" +
            state.at("most_in").dump() + "\n";
  }
  const std::string program = fs::path(PRETEND_PROGRAM).filename();
  EXPECT_EQ(told, "stack|entries 1|3|1|2|\"" + program + " tbc\"\n" +        //
                      "stack|entries 2|905|2|2|\"" + program + " tbc\"\n" +  //
                      "stack|entries 10|1|1|2|\"" + program + " pdom\"\n" +  // by size, not by letters
                      "stack|branch|9|2|2|\"" + program + " pdom\"\n" +      //
                      "stack|full|0|0|2|null\n");
  const Result text = warpfold("coverage kept/a kept/b");
  EXPECT_NE(text.out.find("never"), std::string::npos) << text.out;
}

// What one run did not come to another did; what none did is one state.
TEST_F(Coverage, SizesThatNoRunReachedAreASpan) {
  run("kept/a", "pdom", stack({{"entries", {{"1", 3}, {"2-32", 0}}}}));
  run("kept/b", "tbc", stack({{"entries", {{"1-3", 0}, {"4", 8}, {"5-16", 0}}}}));
  const Json states = Json::parse(warpfold("coverage kept --json").out).at("states");
  std::string told;
  for (const Json& state : states) {
    told +=
        state.at("state").get<std::string>() + "|" + state.at("times").dump() + "|" + state.at("runs").dump() + "\n";
  }
  EXPECT_EQ(told, "entries 1|3|1\nentries 2-3|0|0\nentries 4|8|1\nentries 5-32|0|0\n");
}

TEST_F(Coverage, WhatNoMachineReachesSaysWhy) {
  Json rtl = stack({{"branch", 7}, {"back_to_back", 0}});
  rtl["stack"]["unreachable"] = {{"back_to_back", "one at a time"}};
  run("kept/a", "pdom", rtl);
  const Result r = warpfold("coverage kept");
  EXPECT_NE(r.out.find("never: one at a time"), std::string::npos) << r.out;
}

TEST_F(Coverage, OneProgramThatRanTwiceIsOneColumnAndTwoRuns) {
  run("kept/a", "pdom", stack({{"branch", 7}}));
  run("kept/b", "pdom", stack({{"branch", 2}}));
  const Json state = Json::parse(warpfold("coverage kept --json").out).at("states").at(0);
  EXPECT_EQ(state.at("times"), 9);
  EXPECT_EQ(state.at("runs"), 2);
  EXPECT_EQ(state.at("of_runs"), 2);
}

TEST_F(Coverage, FailedRunsAreLeftOutAndSaid) {
  run("kept/a", "pdom", stack({{"branch", 7}}));
  run("kept/b", "tbc", stack({{"branch", 2}}));
  Json failed = Json::parse(read_file(directory_ / "kept/b/run.json"));
  failed["outcome"] = "the stack differs";
  write_file("kept/b/run.json", failed.dump());
  const Result r = warpfold("coverage kept");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("Runs: 1; left out, as they failed or did not end: 1"), std::string::npos) << r.out;
}

TEST_F(Coverage, MistakesAreOneLine) {
  const auto complaint = [&](const std::string& arguments) {
    const Result r = warpfold("coverage " + arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    return r.err;
  };
  EXPECT_NE(complaint("nowhere").find("nowhere: there is no such folder of results"), std::string::npos);
  run("kept/a", "pdom", Json::object());
  EXPECT_NE(complaint("kept").find("kept: no run with RTL is in it: warpfold run --rtl BLOCKS --out FOLDER"),
            std::string::npos);
}

}  // namespace coverage_test
}  // namespace warpfold
