// SPDX-License-Identifier: Apache-2.0
// Study files: what they come to, and what is said of those that are wrong.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tb/study/plan.h"
#include "tb/study/study.h"
#include "warpfold/common/error.h"

namespace warpfold::study {
namespace study_file_test {

namespace fs = std::filesystem;

class StudyFile : public testing::Test {
 protected:
  StudyFile() : folder_(fs::path(testing::TempDir()) / ("warpfold_study_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    for (const char* const name : {"prog", "other"}) {
      std::ofstream(folder_ / name) << "#!/bin/sh\n";
      fs::permissions(folder_ / name, fs::perms::owner_all);
    }
  }
  ~StudyFile() override { fs::remove_all(folder_); }

  Study load(const std::string& text, bool quick = false) const {
    std::ofstream(folder_ / "s.yaml") << "title: a study\n" << text;
    return load_study(folder_ / "s.yaml", quick);
  }
  std::vector<Planned> planned(const std::string& text, bool quick = false) const {
    return plan(load(text, quick), folder_ / "store");
  }
  std::string program(const char* name = "prog") const { return folder_ / name; }
  // With the folder's name taken out.
  std::string complaint(const std::string& text, bool quick = false) const {
    try {
      planned(text, quick);
    } catch (const UserError& error) {
      std::string said = error.what();
      for (auto at = said.find(folder_.string() + "/"); at != std::string::npos;
           at = said.find(folder_.string() + "/")) {
        said.erase(at, folder_.string().size() + 1);
      }
      return said;
    }
    return "";
  }
  std::string part(const std::string& more, const std::string& mechanism = "pdom") const {
    return "points:\n  - part: main\n    machine: tbc2011\n    mechanism: " + mechanism + "\n    workload: [\"" +
           program() + " {seed}\"]\n" + more;
  }

  fs::path folder_;
};

TEST_F(StudyFile, IsTheProductOfItsLists) {
  const auto points = planned(part("    seeds: 2\n    set: {core.warp_size: [16, 32]}\n", "[pdom, tbc]"));
  ASSERT_EQ(points.size(), 8U);
  EXPECT_EQ(points[0].point.label(), "prog pdom, seed 1, core.warp_size=16");
  EXPECT_EQ(points[1].point.label(), "prog pdom, seed 2, core.warp_size=16");
  EXPECT_EQ(points[2].point.label(), "prog tbc, seed 1, core.warp_size=16");
  EXPECT_EQ(points[7].point.label(), "prog tbc, seed 2, core.warp_size=32");
  EXPECT_EQ(points[7].settings, R"({"core.warp_size":32})");
  EXPECT_EQ(points[7].point.options.machine.core.warp_size, 32U);
  EXPECT_EQ(points[7].point.program.command, (std::vector<std::string>{program(), "2"}));
  std::set<std::string> keys;
  for (const Planned& one : points) keys.insert(one.key);
  EXPECT_EQ(keys.size(), 8U);
}

TEST_F(StudyFile, ALinkTakesTheValueOfThePoint) {
  const auto points =
      planned(part("    seeds: 1\n    set:\n      core.simd_width: \"= core.warp_size / 2\"\n"
                   "      core.warp_size: [16, 32]\n      core.registers: \"= core.max_threads * 64\"\n"));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].point.options.machine.core.simd_width, 8U);
  EXPECT_EQ(points[1].point.options.machine.core.simd_width, 16U);
  EXPECT_EQ(points[0].settings, R"({"core.registers":65536,"core.simd_width":8,"core.warp_size":16})");
  EXPECT_EQ(complaint(part("    seeds: 1\n    set: {core.warp_size: \"= core.warp_siz\"}\n")),
            "s.yaml:3:5: part main: core.warp_siz: no such parameter (warpfold list parameters)");
  EXPECT_EQ(complaint(part("    seeds: 1\n    set: {core.warp_size: \"= core.simd_width\", core.simd_width: \"= "
                           "core.warp_size\"}\n")),
            "s.yaml:3:5: part main: core.simd_width: it is linked to itself");
}

TEST_F(StudyFile, WhatMatchesAllOfARuleIsLeftOut) {
  const auto points = planned(part("    seeds: 2\n    exclude: [{mechanism: tbc, seed: 2}]\n", "[pdom, tbc]"));
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[2].point.label(), "prog tbc, seed 1");
  EXPECT_EQ(complaint(part("    seeds: 2\n    exclude: [{core.warp_size: 2}]\n")),
            "s.yaml:8:16: points[0].exclude[0].core.warp_size = 2: this part has no such list");
}

TEST_F(StudyFile, AMechanismThatCannotRunIsNotApplicable) {
  const auto points = planned(part("    seeds: 1\n    set: {core.schedulers: [1, 2]}\n", "lwm"));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_FALSE(points[0].key.empty());
  for (const Planned& one : points) {
    EXPECT_EQ(one.key.empty(), !one.point.reason.empty());
  }
}

// Each once, whatever several points ask for; none where the orders are the same.
TEST_F(StudyFile, BothOrdersAreRunWhereTheyDiffer) {
  const std::string text = part("    seeds: 1\n", "[pdom, tbc, tbc-lcp, lwm]");
  EXPECT_EQ(planned(text).size(), 4U);
  const auto points = planned(text + "    both_orders: true\n");
  ASSERT_EQ(points.size(), 7U);
  EXPECT_EQ(points[4].point.label(), "prog pdom, seed 1, core.warp_policy=AGE");
  EXPECT_EQ(points[5].point.label(), "prog tbc, seed 1, core.warp_policy=LRR");
  EXPECT_EQ(points[6].point.label(), "prog tbc-lcp, seed 1, core.warp_policy=LRR");
  EXPECT_EQ(points[5].choice.part, "other-orders");
  ASSERT_TRUE(points[2].others);
  EXPECT_EQ(points[2].others->baseline, 4U);
  EXPECT_EQ(points[2].others->own, 6U);
  EXPECT_FALSE(points[3].others);
}

// In each scope and width once; what mixes no threads has none.
TEST_F(StudyFile, TheOracleIsRunBesideWhatRegroups) {
  const std::string text = part("    seeds: 1\n", "[pdom, its, tbc, tstbc, dwf, harp]");
  EXPECT_EQ(planned(text).size(), 6U);
  const auto points = planned(text + "    bound: true\n");
  ASSERT_EQ(points.size(), 9U);
  EXPECT_FALSE(points[0].bound);
  EXPECT_FALSE(points[1].bound);
  EXPECT_EQ(points[2].bound, 6U);
  EXPECT_EQ(points[3].bound, 6U);
  EXPECT_EQ(points[4].bound, 7U);
  EXPECT_EQ(points[5].bound, 8U);
  EXPECT_EQ(points[6].point.label(), "prog oracle, seed 1");
  EXPECT_EQ(points[7].settings, R"({"mechanism.scope":"core"})");
  EXPECT_EQ(points[8].settings, R"({"mechanism.scope":"core","mechanism.width":8})");
  EXPECT_EQ(points[8].choice.part, "bounds");
  EXPECT_EQ(points[8].choice.timing, "functional");
}

// A setting that the baseline is run with is the machine's; an order that it is not run in is the mechanism's.
TEST_F(StudyFile, AnOrderOfItsOwnHasTheBaselineInTheMachines) {
  const std::string set = "    seeds: 1\n    set: {core.warp_policy: [AGE, SRR]}\n";
  const auto alone =
      planned(part("    seeds: 1\n") + "  - part: orders\n    machine: tbc2011\n    mechanism: tbc\n    workload: [\"" +
              program() + " {seed}\"]\n" + set);
  ASSERT_EQ(alone.size(), 3U);
  EXPECT_EQ(alone[2].settings, R"({"core.warp_policy":"SRR"})");
  EXPECT_EQ(alone[2].machine_settings, "{}");
  const auto both = planned(part(set, "[pdom, tbc]"));
  ASSERT_EQ(both.size(), 4U);
  EXPECT_EQ(both[3].machine_settings, R"({"core.warp_policy":"SRR"})");
}

TEST_F(StudyFile, QuickStudiesTakeOtherSizesAndFewerPoints) {
  const std::string text =
      "points:\n"
      "  - {part: a, machine: tbc2011, mechanism: pdom, workload: [bfs, lps, matmul]}\n"
      "  - {part: b, machine: tbc2011, mechanism: pdom, workload: bfs, size: one-block}\n"
      "  - {part: c, machine: tbc2011, mechanism: pdom, workload: bfs, seeds: 5}\n"
      "area: true\nquick: {size: small, seeds: [7], parts: [a, b], workload: [bfs, lps]}\n";
  EXPECT_EQ(load(text).choices.size(), 9U);
  const Study quick = load(text, true);
  EXPECT_EQ(quick.name, "s-quick");
  EXPECT_FALSE(quick.area);
  EXPECT_TRUE(load(text).area);
  ASSERT_EQ(quick.choices.size(), 3U);
  EXPECT_EQ(quick.choices[0].size + quick.choices[0].seed, "small7");
  EXPECT_EQ(quick.choices[1].workload, "lps");
  EXPECT_EQ(quick.choices[2].size, "one-block");
}

TEST_F(StudyFile, BundledProgramsGetTheSeedAsAnOption) {
  const auto points = planned(
      "points: [{part: a, machine: tbc2011, mechanism: pdom, workload: [bfs, "
      "\"single-loop --n {input}\"], seeds: 1, input: 3..3, exclude: [{workload: bfs}]}]\n");
  ASSERT_EQ(points.size(), 1U);
  const auto& words = points[0].point.program.command;
  EXPECT_EQ(std::vector<std::string>(words.begin() + 1, words.end()),
            (std::vector<std::string>{"--n", "3", "--seed", "1"}));
  EXPECT_EQ(points[0].point.program.shown(), "single-loop");
}

// Or their results would be taken for those of one program.
TEST_F(StudyFile, CommandsOfOneNameAreToldApart) {
  const auto points =
      planned("points: [{part: a, machine: tbc2011, mechanism: pdom, workload: [\"" + program() + " a {input}\", \"" +
              program() + " b {input}\", \"" + program("other") + " {input}\"], input: x}]\n");
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].point.program.shown(), program() + " a {input}");
  EXPECT_EQ(points[1].point.program.shown(), program() + " b {input}");
  EXPECT_EQ(points[2].point.program.shown(), "other");
}

TEST_F(StudyFile, Mistakes) {
  struct Mistake {
    std::string text, said;
  };
  const std::string where = "s.yaml:3:5: part main: ";
  const auto part_name = [](const std::string& name) {
    return "s.yaml:3:5: points[0].part = " + name +
           ": a part's name has 1 to 100 bytes, no '/' and no control characters";
  };
  const Mistake mistakes[] = {
      {part("    seeds: 1\n", "tbcc"), where + "no mechanism 'tbcc': did you mean 'tbc'?"},
      {part("    seeds: 1\n    set: {core.warp_size: 33}\n"),
       where + "core.warp_size = 33: must be a power of two in [1, 64] lanes"},
      {part("    seeds: 1\n    set: {mechanism.n: 3}\n"), where + "mechanism.n: unknown key; known are branch_order"},
      {part("    seeds: 1\n    simd: sc\n"), where + "--simd sc: no such lane packing; did you mean 'scc'?"},
      {part("    seeds: 1\n    timing: fast\n"), where + "--timing fast: must be cycle or functional"},
      {part(""), where + program() + " {seed}: no `seeds` say what {seed} is"},
      {part("    seeds: 1\n    input: x\n"), where + program() + " {seed}: put {input} where the input belongs"},
      {part("    seed: 1\n"), "s.yaml:7:5: points[0].seed: unknown key; did you mean 'seeds'?"},
      {part("    seeds: x\n"), "s.yaml:7:5: points[0].seeds = x: must be a whole number: in [0, 10000] seeds"},
      {"points:\n  - part: main\n    mechanism: pdom\n    workload: bfs\n",
       "s.yaml:3:5: points[0]: no machine is named"},
      {"points:\n  - part: main\n    machine: tbc2011\n    mechanism: pdom\n",
       "s.yaml:3:5: points[0]: no workload is named"},
      {"points:\n  - part: main\n    machine: tbc2011\n    mechanism: pdom\n    workload: tbc:diverging\n",
       "s.yaml:6:5: points[0].workload: no set of workloads 'tbc:diverging': did you mean 'tbc:divergent'?"},
      {"points: 3\n", "s.yaml:2:1: points: expected a list"},
      {"points: [3]\n", "s.yaml:2:10: points[0]: expected a table of lists"},
      {"point: []\n", "s.yaml:2:1: point: unknown key; did you mean 'points'?"},
      {part("    seeds: 1\n") + part("    seeds: 1\n").substr(8),
       "s.yaml:8:5: points[1].part = main: another part has this name"},
      {part("    seeds: 1\n") + "figures: [{name: A-1, title: t, sql: SELECT 1}]\n",
       "s.yaml:8:12: figures[0].name = A-1: a figure's name is of a-z, 0-9 and _, and begins with a letter"},
      {"points:\n  - part: ../evil\n", part_name("../evil")},
      {"points:\n  - part: /tmp/evil\n", part_name("/tmp/evil")},
      {"points:\n  - part: ..\n", part_name("..")},
      {"points:\n  - part: \"a\\tb\"\n", part_name("a\tb")},
      {"points:\n  - part: \"\"\n", part_name("(nothing)")},
      {"points:\n  - part: " + std::string(101, 'a') + "\n", part_name(std::string(101, 'a'))},
      {part("    seeds: 1\n") + "limits: {minutes: -1}\n",
       "s.yaml:8:10: limits.minutes = -1: must be a number above 0"},
  };
  for (const Mistake& mistake : mistakes) {
    std::string said = mistake.said;
    const auto at = said.find(folder_.string() + "/");
    if (at != std::string::npos) said.erase(at, folder_.string().size() + 1);
    EXPECT_EQ(complaint(mistake.text), said) << mistake.text;
  }
  EXPECT_EQ(complaint(part("    seeds: 1\n"), true),
            "s.yaml:1:1: this study has no quick form (a table `quick` with size, seeds, parts or workload)");
}

}  // namespace study_file_test
}  // namespace warpfold::study
