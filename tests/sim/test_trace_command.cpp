// SPDX-License-Identifier: Apache-2.0
// `warpfold run --trace perfetto`: a file beside the results that says what they say, or one line on why there is none.
#include <algorithm>

#include "tests/common/command_line.h"
#include "tests/gpu/trace_events.h"
#include "tests/sim/ptx_program.h"

namespace warpfold {
namespace trace_command_test {

class TraceCommand : public CommandLineTest {
 protected:
  TraceCommand() {
    write_file("loop.ptx", kLoopPtx);
    write_file("launch.yaml", kLoopLaunch);
  }
  Result run(const std::string& options) const {
    return warpfold("run --out here " + options + " --ptx loop.ptx launch.yaml");
  }
  std::string trace() const { return read_file(directory_ / "here/trace.json"); }
};

TEST_F(TraceCommand, SaysWhatTheStatisticsSay) {
  const Result ran = run("--mechanism tbc --trace perfetto --trace-cores all");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const TraceEvents trace(this->trace());
  EXPECT_EQ(trace.problems(), std::vector<std::string>());
  const auto total = nlohmann::json::parse(read_file(directory_ / "here/stats.json"))["total"];
  EXPECT_EQ(trace.count("issue"), total["warp_instructions"]);
  EXPECT_EQ(trace.count("compaction"), total["compactions"]);
  ASSERT_EQ(trace.count("launch"), 1U);
  EXPECT_EQ(trace.slices()[0].name, "loop(unsigned int*)");
  EXPECT_EQ(trace.slices()[0].until, total["cycles"]);
  const auto* const about = trace.instant("run");
  ASSERT_NE(about, nullptr);
  EXPECT_EQ(about->arguments["machine"], "tbc2011");
  EXPECT_EQ(about->arguments["mechanism"], "tbc");
}

TEST_F(TraceCommand, IsOfTheRunWhoseResultsAreThere) {
  ASSERT_EQ(run("--trace perfetto").status, 0);
  const std::string statistics = read_file(directory_ / "here/stats.json");
  EXPECT_NE(read_file(directory_ / "here/run.yaml").find("trace:"), std::string::npos);
  EXPECT_EQ(read_file(directory_ / "here/config.effective.yaml").find("trace:"), std::string::npos);
  ASSERT_EQ(run("").status, 0);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "here/trace.json"));
  EXPECT_EQ(read_file(directory_ / "here/stats.json"), statistics);
}

TEST_F(TraceCommand, ShowsWhatIsAskedFor) {
  ASSERT_EQ(
      run("--trace perfetto --trace-window 50-90 --trace-every 20 --trace-launches loop --trace-cores 1-2,0").status,
      0);
  const TraceEvents some(trace());
  EXPECT_EQ(some.problems(), std::vector<std::string>());
  EXPECT_GT(some.count("issue"), 0U);
  for (const TraceEvents::Slice& slice : some.slices()) {
    if (slice.category == "launch") continue;
    EXPECT_GE(slice.from, 50U);
    EXPECT_LE(slice.until, 90U);
  }
  ASSERT_EQ(run("--trace perfetto --trace-launches 1-7").status, 0);
  EXPECT_EQ(TraceEvents(trace()).count("issue"), 0U) << "there is but launch 0";
}

TEST_F(TraceCommand, CannotBeWritten) {
  std::filesystem::create_directories(directory_ / "here/trace.json/folder");
  const Result ran = run("--trace perfetto");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("here/trace.json: "), std::string::npos) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
}

TEST_F(TraceCommand, Mistakes) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"--trace vcd", "--trace: vcd not in {perfetto}"},
      {"--trace-every 5", "--trace-every 5: there is no trace; add --trace perfetto"},
      {"--trace-cores all", "--trace-cores all: there is no trace; add --trace perfetto"},
      {"--trace perfetto --trace-every 0", "--trace-every 0: must be in [1, 1000000000000] cycles"},
      {"--trace perfetto --trace-window 7", "--trace-window 7: must be cycles of the run such as 10000-20000"},
      {"--trace perfetto --trace-launches 3-", "--trace-launches: launches = 3-: must be a kernel's name"},
      {"--trace perfetto --trace-cores 30", "--trace-cores 30: the machine's cores are 0 to 29"},
      {"--trace perfetto --trace-limit x", "--trace-limit x: must be in [1, 1000000] MB"},
      {"--trace perfetto --timing functional", "--trace perfetto: there is no time in a functional run"}};
  for (const auto& [options, message] : mistakes) {
    const Result r = run(options);
    EXPECT_EQ(r.status, 2) << options;
    EXPECT_TRUE(r.err.starts_with("warpfold: error: ") && r.err.find(message) != std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

TEST_F(TraceCommand, MistakesOfTimelines) {
  std::filesystem::create_directories(directory_ / "none");
  write_file("other.json", "{\"ph\":\"C\",\"pid\":\"x\",\"ts\":-1e300}\n[{\"ph\":7},\n");
  for (const auto& [words, message] : {std::pair("none", "none/trace.json: there is no such file"),
                                       {"other.json", "other.json: no cycles with counters are in it"},
                                       {"launch.yaml", "launch.yaml: no cycles with counters are in it"}}) {
    const Result r = warpfold(std::string("timeline ") + words);
    EXPECT_EQ(r.status, 2) << words;
    EXPECT_TRUE(r.err.starts_with("warpfold: error: ") && r.err.find(message) != std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

}  // namespace trace_command_test
}  // namespace warpfold
