// SPDX-License-Identifier: Apache-2.0
// `warpfold correlate`: a stand-in with known cycles and a CUDA program beside tables that the test writes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"

namespace warpfold {
namespace correlate_test {

using Json = nlohmann::json;

// The stand-in's kernel is work(int*), which takes 3000 cycles.
class Correlate : public CommandLineTest {
 protected:
  Result correlate(const std::string& table, const std::string& options = "",
                   const std::string& program = PRETEND_PROGRAM) const {
    write_file("m.csv", table);
    return warpfold("correlate m.csv --machine tbc2011 --out here " + options + " -- " + program);
  }
};

TEST_F(Correlate, KernelsAndAllOfThem) {
  const Result r = correlate("kernel,launch,cycles,mood\nwork,1,2400,7\n");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out,
            "pretend on tbc2011 under pdom beside m.csv (table)\n\n"
            "program  kernel  launch  counter  ours  measured  ratio\n"
            "pretend  work         1  cycles   3000      2400   1.25\n\n"
            "In all\n"
            "counter  pairs  mean absolute error  geometric ratio  log correlation  Spearman\n"
            "cycles       1                25.0%             1.25                -         -\n\n"
            "Not compared\n"
            "row      what  why\n"
            "m.csv:1  mood  nothing that the model counts\n");
}

TEST_F(Correlate, TheBoundDecidesTheExitStatus) {
  EXPECT_EQ(correlate("kernel,cycles\nwork,2400\n", "--at-most 25%").status, 0);
  const Result r = correlate("kernel,cycles\nwork,2400\n", "--at-most 24.9");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(
      r.err.find("warpfold: error: m.csv: the mean absolute error of cycles is 25.0%, at most 24.9 is asked for\n"),
      std::string::npos)
      << r.err;
}

TEST_F(Correlate, RowsThatDoNotFitAreToldAndNotAveraged) {
  const std::string table = "kernel,launch,launches,cycles\nwork,,1,3000\nwork,2,,9\ngone,,,9\n";
  const Result r = correlate(table, "--json");
  ASSERT_EQ(r.status, 0) << r.err;
  const Json all = Json::parse(r.out);
  EXPECT_EQ(all["kernels"].size(), 1U);
  EXPECT_EQ(all["agreement"][0]["mean_absolute_error"], 0);
  ASSERT_EQ(all["not_compared"].size(), 2U);
  EXPECT_EQ(all["not_compared"][0], Json::parse(R"({"row": "m.csv:3", "what": "kernel 'work'",
      "why": "launch 2; launches here: 1", "mismatch": true})"));
  const Result bounded = correlate(table, "--at-most 1% -q");
  EXPECT_EQ(bounded.status, 1) << "nobody can say that the bound holds";
  EXPECT_EQ(bounded.err, "warpfold: error: m.csv:3: kernel 'work': launch 2; launches here: 1\n");
}

TEST_F(Correlate, AProgramThatFailsHasNoFigures) {
  const Result r = correlate("kernel,cycles\nwork,3000\n", "--csv --table not_compared", PRETEND_PROGRAM " wrong");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, "row,what,why,mismatch\nm.csv:2,kernel 'work',pretend has failed: exit status 1,true\n");
  EXPECT_NE(r.err.find("pretend wrong pdom: exit status 1\n"), std::string::npos) << r.err;
}

TEST_F(Correlate, Mistakes) {
  const std::string good = "kernel,cycles\nwork,3000\n";
  const std::pair<Result, const char*> cases[] = {
      {correlate("kernel,cycles\ngone,9\n", "-q"), "m.csv: none of its rows has anything of these programs beside it"},
      {correlate("a,b\n1,2\n"), "m.csv: no header that is known"},
      {correlate(good, "--at-most few"), "--at-most few: must be a percentage, such as 25%"},
      {correlate("kernel,l1d_hits\nwork,9\n", "--mechanism none"), "none"},
      {correlate("kernel,launch\nwork,1\n", "-q --at-most 5%"), "m.csv: none of its rows has anything"},
      {correlate(good, "", "nothing-like-it"), "neither a bundled workload nor an executable file"},
      {correlate(good, "", "bfs-4096 bfs-4096"), "it is given twice, as one and the same run"},
      {warpfold("correlate m.csv"), "no program given: warpfold correlate [options] MEASURED.csv -- PROGRAM"},
      {warpfold("correlate gone.csv -- " PRETEND_PROGRAM), "gone.csv"}};
  for (const auto& [r, message] : cases) {
    EXPECT_EQ(r.status, 2) << message;
    EXPECT_NE(r.err.find(message), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

TEST_F(Correlate, ACudaProgramAndItsReport) {
  const Result run = warpfold("run --machine volta --set cores=2 --json --table kernels -- " PLANTED_PROGRAM " serial");
  ASSERT_EQ(run.status, 0) << run.err;
  const Json kernel = Json::parse(run.out)[0];
  const double cycles = kernel["cycles"].get<double>();
  write_file("m.csv", "program,kernel,cycles,instructions,dram_read_sectors\nplanted,\"serial(int const *, int *)\"," +
                          std::to_string(2 * cycles) + ",1000,\n");
  const Result r = warpfold("correlate m.csv --set cores=2 --report m.html --json -- " PLANTED_PROGRAM " serial");
  ASSERT_EQ(r.status, 0) << r.err;
  const Json rows = Json::parse(r.out)["kernels"];
  ASSERT_EQ(rows.size(), 2U) << r.out;
  EXPECT_EQ(rows[0]["counter"], "cycles");
  EXPECT_EQ(rows[0]["ours"].get<double>(), cycles);
  EXPECT_EQ(rows[0]["ratio"].get<double>(), 0.5);
  EXPECT_EQ(rows[0]["launch"], "mean");
  EXPECT_EQ(rows[1]["counter"], "instructions");
  const std::string page = read_file(directory_ / "m.html");
  for (const char* const part : {"\"diagonal\":true", "The model beside measured figures", "echarts"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

}  // namespace correlate_test
}  // namespace warpfold
