// SPDX-License-Identifier: Apache-2.0
// Where `warpfold` puts results: by a key of all that decides them, one run at a time in a directory.
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/common/command_line.h"
#include "warpfold/common/files/digest.h"

namespace warpfold {
namespace results_directory_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class ResultsDirectory : public CommandLineTest {
 protected:
  // What lies in a directory, by name; hidden files do not count.
  std::vector<std::string> in(const std::string& where) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_ / where)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with(".")) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  Json read_json(const std::string& path) const { return Json::parse(read_file(directory_ / path)); }
  // run.json of the only key below results/PROGRAM/pdom.
  Json only_run(const std::string& program) const {
    const std::string where = "results/" + program + "/pdom";
    EXPECT_EQ(in(where).size(), 1U) << where;
    return read_json(where + "/" + in(where).front() + "/run.json");
  }
  // The key of a run of the stand-in with other options or arguments.
  std::string key_of(const std::string& options, const std::string& arguments) const {
    fs::remove_all(directory_ / "results");
    const Result r = warpfold("run " + options + " -- ./prog " + arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    return only_run("prog").at("key");
  }
  template <class Condition>
  static bool comes_true(Condition condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
  }

  ResultsDirectory() { fs::copy_file(PRETEND_PROGRAM, directory_ / "prog"); }
};

TEST_F(ResultsDirectory, KeyIsTheDigestOfWhatDecides) {
  ASSERT_EQ(warpfold("compare --mechanisms pdom './prog say x'").status, 0);
  const std::string key = in("results/prog/pdom").at(0);
  const Json run = read_json("results/prog/pdom/" + key + "/run.json");
  EXPECT_EQ(run.at("key"), key);
  EXPECT_EQ(Sha256().update(run.at("decided_by").dump()).hex().substr(0, 12), key);
  EXPECT_EQ(run.at("decided_by").at("arguments"), (Json{"say", "x"}));
  EXPECT_EQ(run.at("decided_by").at("program_file"), Sha256().update_file(PRETEND_PROGRAM).hex());
  EXPECT_EQ(run.at("outcome"), "ok");
}

// Every one of these decides: all keys differ.
TEST_F(ResultsDirectory, WhatDecidesMakesAnotherKey) {
  write_file("graph", "one");
  write_file("lut", "a table");
  std::set<std::string> keys{key_of("", "")};
  const auto expect_new = [&keys](const std::string& key, const char* what) {
    EXPECT_TRUE(keys.insert(key).second) << what;
  };
  expect_new(key_of("--machine gtx480", ""), "machine");
  expect_new(key_of("--set core.alu_latency_cycles=9", ""), "a value of the machine");
  expect_new(key_of("--set core.lane_packing=scc", ""), "lane packing");
  expect_new(key_of("--timing functional", ""), "timing");
  expect_new(key_of("--detail work", ""), "detail");
  expect_new(key_of("--code as-written", ""), "code");
  expect_new(key_of("", "say 1"), "an argument");
  expect_new(key_of("", "'say 1'"), "how arguments are separated");
  expect_new(key_of("", "graph --lut=lut"), "arguments that name files");
  write_file("graph", "two");
  expect_new(key_of("", "graph --lut=lut"), "a file that an argument names");
  write_file("lut", "another table");
  expect_new(key_of("", "graph --lut=lut"), "a file that an option names");
  std::ofstream(directory_ / "prog", std::ios::app) << "rebuilt";
  expect_new(key_of("", ""), "the program");
}

TEST_F(ResultsDirectory, WhatDoesNotDecideLeavesTheKey) {
  const std::string key = key_of("", "");
  EXPECT_EQ(key_of("--size small", ""), key) << "of bundled workloads";
  EXPECT_EQ(key_of("--set core.warp_size=32", ""), key) << "the value that it has anyway";
  fs::create_directory(directory_ / "elsewhere");
  fs::rename(directory_ / "prog", directory_ / "elsewhere/prog");
  ASSERT_EQ(warpfold("compare --mechanisms capri,pdom --out moved elsewhere/prog").status, 0);
  EXPECT_EQ(in("moved/prog/pdom"), std::vector<std::string>{key}) << "where the program lies";
}

TEST_F(ResultsDirectory, PtxFilesWithWhatTheirLaunchReads) {
  write_file("store.ptx",
             ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry store(.param .u64 p)\n{\n  ret;\n}\n");
  write_file("launch.yaml", "grid: [1]\nblock: [32]\nbuffers:\n  x: {type: u8, file: x.bin}\narguments: [x]\n");
  std::set<std::string> keys;
  for (const char* contents : {"one", "two"}) {
    write_file("x.bin", contents);
    const Result r = warpfold("run --ptx store.ptx launch.yaml");
    ASSERT_EQ(r.status, 0) << r.err;
    keys.insert(in("results/store/pdom").back());
  }
  EXPECT_EQ(in("results/store/pdom").size(), 2U);
}

TEST_F(ResultsDirectory, ASecondMachineIsARowOfItsOwn) {
  ASSERT_EQ(warpfold("compare --mechanisms pdom ./prog").status, 0);
  const Result r = warpfold("compare --machine gtx480 --mechanisms pdom ./prog");
  ASSERT_EQ(r.status, 0) << r.err;
  const std::vector<std::string> keys = in("results/prog/pdom");
  EXPECT_EQ(keys.size(), 2U);
  for (const std::string& key : keys) {
    const bool told = r.out.find("  results/prog/pdom/" + key + "/\n") != std::string::npos;
    const std::string machine = read_json("results/prog/pdom/" + key + "/run.json").at("machine");
    EXPECT_EQ(told, machine == "gtx480") << r.out;
  }
}

TEST_F(ResultsDirectory, FailedRunsSaySo) {
  EXPECT_EQ(warpfold("compare --mechanisms pdom './prog fail'").status, 1);
  EXPECT_EQ(only_run("prog").at("outcome"), "WRONG: FAIL: node 3 is wrong (exit status 1)");
  EXPECT_EQ(only_run("prog").at("finished"), false);
  fs::remove_all(directory_ / "results");
  EXPECT_EQ(warpfold("run -- ./prog wrong").status, 1);  // after it has finished its results
  EXPECT_EQ(only_run("prog").at("outcome"), "WRONG: exit status 1");
  EXPECT_EQ(only_run("prog").at("finished"), true);
}

TEST_F(ResultsDirectory, NoResultsAreNamedThatAreNotThere) {
  const Result nothing = warpfold("run --out here -- ./prog fail");
  EXPECT_NE(nothing.err.find("failed: exit status 1; it left no results\n"), std::string::npos) << nothing.err;
  const Result some = warpfold("run --out here -- ./prog wrong");
  EXPECT_NE(some.err.find("failed: exit status 1; results so far in here\n"), std::string::npos) << some.err;
}

TEST_F(ResultsDirectory, AnyNameOfADirectory) {
  for (const std::string name : {"a\nb", "tab\there", "it's \"quoted\"", "# no comment: é", " blanks "}) {
    fs::remove_all(directory_ / name);
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    const Result r = warpfold("run --out " + quoted + "' -- ./prog");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(fs::exists(directory_ / name / "stats.json")) << name;
  }
  const Result r = warpfold("run --out \"$(printf 'a\\377')\" -- ./prog");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("not UTF-8"), std::string::npos) << r.err;
}

TEST_F(ResultsDirectory, ArgumentsOfAnyBytes) {
  const auto key = [this](const char* word) { return key_of("", std::string("\"$(printf '") + word + "')\""); };
  const std::string one = key("\\377"), other = key("\\376");
  EXPECT_NE(one, other);
  EXPECT_EQ(only_run("prog").at("decided_by").at("arguments")[0], (Json{{"bytes", "fe"}}));
}

// A killed second run must not leave the first one's figures beside its own configuration.
TEST_F(ResultsDirectory, NothingOfAnEarlierRunBesideANewOne) {
  ASSERT_EQ(warpfold("run --out here -- ./prog").status, 0);
  EXPECT_EQ(warpfold("run --machine gtx480 --out here -- ./prog crash").status, 1);
  EXPECT_EQ(in("here"), (std::vector<std::string>{"run.json", "run.yaml"}));
  EXPECT_NE(read_json("here/run.json").at("outcome"), "ok");
}

// The stand-in hangs until a file lets it go; both comparisons are alive at the same time.
TEST_F(ResultsDirectory, TheSecondOfTwoComparisonsTakesTheFirstOnesResult) {
  const std::string arguments = "compare --mechanisms pdom './prog until go'";
  const pid_t first = begin(arguments, "first");
  ASSERT_TRUE(comes_true([&] { return read_file(directory_ / "started") == "x"; }));
  const pid_t second = begin(arguments, "second");
  ASSERT_TRUE(comes_true(
      [&] { return read_file(directory_ / "second").find("another process runs it; waiting") != std::string::npos; }));
  write_file("go", "");
  EXPECT_EQ(end_of(first), 0) << read_file(directory_ / "first");
  EXPECT_EQ(end_of(second), 0) << read_file(directory_ / "second");
  EXPECT_EQ(read_file(directory_ / "started"), "x") << "a second run";
  for (const char* said : {"first", "second"}) {
    EXPECT_NE(read_file(directory_ / said).find("[1/1] prog pdom: ok"), std::string::npos);
    EXPECT_NE(read_file(directory_ / said).find(" 3000 "), std::string::npos);
  }
}

TEST_F(ResultsDirectory, TheSecondOfTwoComparisonsRunsWhatTheFirstDidNotFinish) {
  const std::string arguments = "compare --mechanisms pdom './prog until go'";
  const pid_t first = begin(arguments, "first");
  ASSERT_TRUE(comes_true([&] { return read_file(directory_ / "started") == "x"; }));
  const pid_t second = begin(arguments, "second");
  ASSERT_TRUE(comes_true(
      [&] { return read_file(directory_ / "second").find("another process runs it; waiting") != std::string::npos; }));
  kill(first, SIGKILL);
  end_of(first);
  ASSERT_TRUE(comes_true([&] { return read_file(directory_ / "started") == "xx"; }));
  write_file("go", "");
  EXPECT_EQ(end_of(second), 0) << read_file(directory_ / "second");
}

// Its key would tell of another input than the one that it reads.
TEST_F(ResultsDirectory, WhatChangesOnTheWayIsNotRun) {
  write_file("graph", "one");
  const pid_t compared = begin("compare -j 1 --mechanisms pdom,capri './prog graph until go'", "said");
  ASSERT_TRUE(comes_true([&] { return read_file(directory_ / "started") == "x"; }));
  write_file("graph", "another");
  write_file("go", "");
  EXPECT_EQ(end_of(compared), 1);
  const std::string said = read_file(directory_ / "said");
  EXPECT_NE(said.find("[1/3] prog pdom: ok"), std::string::npos) << said;
  EXPECT_NE(said.find("\ncapri      WRONG: its program, an input or the simulator has changed"), std::string::npos)
      << said;
}

TEST_F(ResultsDirectory, OneRunAtATimeInADirectoryOfTheUsers) {
  const pid_t first = begin("run --out here -- ./prog until go", "first");
  ASSERT_TRUE(comes_true([&] { return read_file(directory_ / "started") == "x"; }));
  const Result second = warpfold("run --machine gtx480 --out here -- ./prog");
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.err,
            "warpfold: error: --out here: another run is writing its results there; name another directory\n");
  write_file("go", "");
  EXPECT_EQ(end_of(first), 0) << read_file(directory_ / "first");
  EXPECT_EQ(read_json("here/run.json").at("machine"), "tbc2011");
}

// Many points, all of them wanted by several processes at once.
TEST_F(ResultsDirectory, ManyComparisonsIntoOneDirectory) {
  const std::string arguments = "compare -j 2 --mechanisms pdom,tbc,dwf './prog 1' './prog 2'";
  std::vector<pid_t> all;
  for (int i = 0; i < 3; ++i) all.push_back(begin(arguments, "said" + std::to_string(i)));
  for (int i = 0; i < 3; ++i) {
    const std::string said = "said" + std::to_string(i);
    EXPECT_EQ(end_of(all[static_cast<std::size_t>(i)]), 0) << read_file(directory_ / said);
    EXPECT_EQ(read_file(directory_ / said).find("WRONG"), std::string::npos) << read_file(directory_ / said);
  }
  for (const char* mechanism : {"pdom", "tbc", "dwf"}) {
    for (const std::string& key : in(std::string("results/prog/") + mechanism)) {
      const std::string where = std::string("results/prog/") + mechanism + "/" + key;
      EXPECT_EQ(in(where), (std::vector<std::string>{"config.effective.yaml", "launches.csv", "program.out", "run.json",
                                                     "run.yaml", "stats.csv", "stats.json"}));
    }
  }
}

TEST_F(ResultsDirectory, RunsOfOneProgramAreToldApart) {
  const Result r = warpfold("compare --mechanisms pdom './prog say 1' './prog say 2' " PRETEND_PROGRAM);
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* part : {"./prog say 1 on tbc2011\n", "./prog say 2 on tbc2011\n", "pretend on tbc2011\n",
                           "\n./prog say 1    1.00\n", "\npretend         1.00\n"}) {
    EXPECT_NE(r.out.find(part), std::string::npos) << part << r.out;
  }
  EXPECT_EQ(in("results/prog/pdom").size(), 2U);
}

TEST_F(ResultsDirectory, PathsWithBlanks) {
  fs::copy_file(PRETEND_PROGRAM, directory_ / "my prog");
  for (const char* program : {"\"'./my prog' say hello\"", "'./my\\ prog say hello'"}) {
    const Result r = warpfold(std::string("compare --mechanisms pdom ") + program);
    EXPECT_EQ(r.status, 0) << r.err;
  }
  EXPECT_EQ(only_run("my prog").at("decided_by").at("arguments"), (Json{"say", "hello"}));
  EXPECT_EQ(warpfold("compare --mechanisms pdom './my prog'").status, 0);
  EXPECT_EQ(warpfold("run -- './my prog' say 'two words'").out.find("saying two words\n"), 0U);
  const Result open = warpfold("compare --mechanisms pdom \"'./my prog say\"");
  EXPECT_EQ(open.status, 2);
  EXPECT_EQ(open.err, "warpfold: error: './my prog say: the quotation that ' begins does not end\n");
}

// Every write of a run fails from some size on, as on a full disk.
TEST_F(ResultsDirectory, FullDisksAreOneLineAndOne) {
  ASSERT_EQ(warpfold("compare --mechanisms pdom ./prog").status, 0);
  const fs::path earlier = directory_ / keyed("results/prog/pdom") / "stats.json";
  const std::string before = read_file(earlier);
  environment_ = "trap '' XFSZ; ulimit -f 8;";
  const Result compared = warpfold("compare --mechanisms pdom,tbc './prog say 1'");
  EXPECT_EQ(compared.status, 1);
  EXPECT_NE(compared.out.find("\npdom       WRONG: "), std::string::npos) << compared.out;
  EXPECT_NE(compared.out.find("\ntbc        WRONG: "), std::string::npos) << compared.out;
  EXPECT_NE(compared.out.find(": cannot write this file: File too large\n"), std::string::npos) << compared.out;
  const Result ran = warpfold("run --out here -- ./prog");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_NE(ran.err.find("cannot write this file: File too large"), std::string::npos) << ran.err;
  EXPECT_EQ(read_file(earlier), before);
}

}  // namespace results_directory_test
}  // namespace warpfold
