// SPDX-License-Identifier: Apache-2.0
// `warpfold profile` on a CUDA program: its listing, its files, and the likely-convergence profile that it writes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/common/command_line.h"

namespace warpfold {
namespace profile_command_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kWithLines = PROFILED_PROGRAMS "_with_lines", kWithoutLines = PROFILED_PROGRAMS "_without_lines";

class ProfileCommand : public CommandLineTest {
 protected:
  Result profile(const std::string& options, const std::string& program = kWithLines) const {
    return warpfold("profile --set cores=2 " + options + " -- " + program);
  }
  Json read_json(const std::string& path) const { return Json::parse(read_file(directory_ / path), nullptr, false); }
  // Of the source, by the comment at its end.
  static unsigned line_of(const std::string& comment) {
    std::istringstream source(read_file(PROFILED_SOURCE));
    unsigned number = 0;
    for (std::string line; std::getline(source, line);) {
      ++number;
      if (line.ends_with("// " + comment)) return number;
    }
    ADD_FAILURE() << "no line ends with " << comment;
    return 0;
  }
  static std::string place_of(const std::string& comment) { return "profiled.cu:" + std::to_string(line_of(comment)); }
  // The first line of the text that begins so.
  static std::string row(const std::string& text, const std::string& begin) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(begin + " ")) return line;
    }
    return "";
  }
  static std::string table_of(const std::string& out, const std::string& head) {
    const auto at = out.find("\n" + head);
    return at == std::string::npos ? "" : out.substr(at, out.find("\n\n", at + 1) - at);
  }
  std::uint64_t cycles(const std::string& options) const {
    EXPECT_EQ(warpfold("run --set cores=2 --out r " + options + " -- " + kWithLines).status, 0) << options;
    return read_json("r/stats.json").at("total").at("cycles").get<std::uint64_t>();
  }
};

TEST_F(ProfileCommand, ShowsBranchesAndLinesOfTheSource) {
  const Result r = profile("--out here");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_LT(r.out.find("turns "), r.out.find("profiled_with_lines on tbc2011 under pdom, results in here\n"));
  EXPECT_LT(r.out.find("\nturns: 1 launch, "), r.out.find("\nplain: 1 launch, ")) << "hottest first\n" << r.out;
  const std::string branches = table_of(r.out, "branch "), lines = table_of(r.out, "line ");
  EXPECT_NE(row(branches, place_of("late if")).find(" late if "), std::string::npos) << r.out;
  EXPECT_NE(row(branches, place_of("exit")).find(" loop "), std::string::npos) << r.out;
  EXPECT_NE(row(lines, place_of("gather")).find("    int x = in[(thread * 7 + turn)"), std::string::npos) << r.out;
  EXPECT_NE(row(lines, place_of("inner loop")), "") << r.out;
  EXPECT_NE(row(lines, place_of("result")), "") << r.out;
  EXPECT_EQ(r.out.find("-lineinfo"), std::string::npos);
  EXPECT_TRUE(fs::exists(directory_ / "here/stats.json"));
}

TEST_F(ProfileCommand, ShowsAsManyLinesAsAskedFor) {
  const Result r = profile("--lines 2 --out here");
  const std::string lines = table_of(r.out, "line ");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4) << "the header, two lines, and what is missing\n" << lines;
  EXPECT_NE(lines.find(" of the cycles; --lines "), std::string::npos) << lines;
}

TEST_F(ProfileCommand, WritesAllFigures) {
  const Result r = profile("--json --mechanism tbc --out here");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.err.find("turns "), std::string::npos) << "what the program says is out of the way: " << r.err;
  const Json all = Json::parse(r.out, nullptr, false), kept = read_json("here/profile.json");
  EXPECT_EQ(all.at("mechanism"), "tbc");
  EXPECT_EQ(all.at("cycles"), read_json("here/stats.json").at("total").at("cycles"));
  const Json& kernel = all.at("kernels").at(0);
  EXPECT_EQ(kernel.at("function"), "turns");
  EXPECT_EQ(kernel.at("instructions"), kept.at("kernels").at(0).at("instructions"));
  // Lines are sums of their instructions; each thread comes to the last one once.
  std::uint64_t lanes = 0, of_lines = 0;
  for (const Json& instruction : kernel.at("instructions")) lanes += instruction.at("lanes").get<std::uint64_t>();
  bool result = false;
  for (const Json& line : kernel.at("lines")) {
    of_lines += line.at("lanes").get<std::uint64_t>();
    if (line.at("line") != line_of("result") || !line.at("file").get<std::string>().ends_with("profiled.cu")) continue;
    result = true;
    EXPECT_EQ(line.at("accesses"), line.at("issued"));
    EXPECT_EQ(line.at("lanes"), 2 * 128);
  }
  EXPECT_TRUE(result);
  EXPECT_EQ(lanes, of_lines);
}

TEST_F(ProfileCommand, WithoutLineInformationLinesAreOfThePtx) {
  const Result r = profile("--out here", kWithoutLines);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("compile with -lineinfo"), std::string::npos) << r.out;
  EXPECT_NE(table_of(r.out, "line ").find("ld.global"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("profiled.cu:"), std::string::npos) << r.out;
}

TEST_F(ProfileCommand, FunctionalRunsHaveNoCycles) {
  const Result r = profile("--timing functional --out here");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out.find("cycles"), std::string::npos) << r.out;
  EXPECT_NE(row(table_of(r.out, "branch "), place_of("late if")), "") << r.out;
}

// What it writes is what the mechanisms read, and it gives them the points that the analysis finds.
TEST_F(ProfileCommand, LikelyConvergencePointsOfAProfileAreTaken) {
  ASSERT_EQ(profile("--likely-convergence points.yaml --out here").status, 0);
  const std::string points = read_file(directory_ / "points.yaml");
  EXPECT_NE(points.find("\n_Z5turnsPKiPi:\n  "), std::string::npos) << points;
  EXPECT_NE(points.find("\n_Z5plainPi: {}\n"), std::string::npos) << points;
  write_file("none.yaml", "_Z5turnsPKiPi: {}\n_Z5plainPi: {}\n");
  for (const std::string mechanism : {"pdom-lcp", "tbc-lcp"}) {
    const auto with = [&](const std::string& file) {
      return cycles("--mechanism " + mechanism + (file.empty() ? "" : " --set mechanism.profile=" + file));
    };
    EXPECT_EQ(with("points.yaml"), with("")) << mechanism;
    EXPECT_LT(with("points.yaml"), with("none.yaml")) << mechanism;
  }
}

TEST_F(ProfileCommand, WhatHadEndedIsShownOfARunThatFails) {
  const Result fault = profile("--out here", kWithLines + " fault");
  EXPECT_EQ(fault.status, 1);
  EXPECT_NE(fault.out.find("the run failed ("), std::string::npos) << fault.out;
  EXPECT_NE(fault.out.find("\nturns: 1 launch, "), std::string::npos) << fault.out;
  const Result dead = profile("--out here", kWithLines + " die");
  EXPECT_EQ(dead.status, 1);
  EXPECT_NE(dead.out.find("\nturns: 1 launch, "), std::string::npos) << dead.out;
}

TEST_F(ProfileCommand, KernelsOfAPtxFileShowItsText) {
  write_file("k.ptx",
             ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
             "  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n  st.global.u32 [%rd1], 7;\n  ret;\n}\n");
  write_file("launch.yaml", "grid: [1]\nblock: [32]\nbuffers:\n  x: {type: u32, count: 32}\narguments: [x]\n");
  const Result r = warpfold("profile --out here --ptx k.ptx launch.yaml");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(row(r.out, "k.ptx:8").find("    st.global.u32 [%rd1], 7;"), std::string::npos) << r.out;
}

TEST_F(ProfileCommand, MistakesAreOneLineBeforeTheProgramRuns) {
  const auto refused = [this](const std::string& options) {
    const Result r = profile(options);
    EXPECT_EQ(r.status, 2) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    return r.err;
  };
  EXPECT_NE(
      refused("--likely-convergence no/such.yaml").find("--likely-convergence no/such.yaml: there is no directory "),
      std::string::npos);
  EXPECT_NE(refused("--likely-convergence .").find("--likely-convergence .: this is a directory"), std::string::npos);
  EXPECT_NE(refused("--lines 0").find("--lines"), std::string::npos);
  EXPECT_NE(refused("--mechanism tcb").find("did you mean 'tbc'?"), std::string::npos);
  EXPECT_NE(refused("--jsn x").find("did you mean '--json'?"), std::string::npos);
  EXPECT_EQ(warpfold("profile").status, 2);
}

}  // namespace profile_command_test
}  // namespace warpfold
