// SPDX-License-Identifier: Apache-2.0
// Result files: differences per kernel, combination over objects, the same bytes every time, whole files at any
// instant.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/results.h"

namespace warpfold {
namespace results_test {

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Two cores that count, and a derived figure.
struct Machine {
  StatRegistry registry;
  Counter *cycles, *issued0, *issued1, *deepest0, *deepest1;
  Machine() {
    cycles = &registry.group("gpu").counter("cycles", "cycles", "core cycles");
    StatGroup& core0 = registry.group("core0");
    StatGroup& core1 = registry.group("core1");
    issued0 = &core0.counter("issued", "instructions", "warp instructions issued");
    deepest0 = &core0.counter("deepest", "entries", "deepest stack", Combine::kMax);
    issued1 = &core1.counter("issued", "instructions", "warp instructions issued");
    deepest1 = &core1.counter("deepest", "entries", "deepest stack", Combine::kMax);
    core0.derive("rate", "instructions/cycle", "issued / cycles",
                 [](const StatValues& v) { return value_of(v, "issued") / value_of(v, "cycles"); });
    core0.derive("twice_rate", "", "from a derived figure", [](const StatValues& v) {
      const auto rate = v.find("rate");
      return rate == v.end() ? 0.0 : 2 * rate->second;
    });
  }
};

class Results : public testing::Test {
 protected:
  // Tests run side by side, each in a process of its own.
  Results() { std::filesystem::remove_all(top_); }
  ~Results() override { std::filesystem::remove_all(top_); }
  RunInfo info() const { return {directory_, "tiny", "pdom", "cycle", "placed", "machine: {}\n"}; }
  // Two kernels with known figures.
  static void simulate(Machine& m, ResultWriter& writer) {
    *m.issued0 += 100;  // before the first kernel: in the total only
    m.deepest0->raise_to(1);
    writer.kernel_begin("first<int,2>", {4, 1, 1}, {32, 2, 1});
    *m.cycles += 10;
    *m.issued0 += 3;
    *m.issued1 += 4;
    m.deepest0->raise_to(9);
    m.deepest1->raise_to(5);
    writer.kernel_end();
    writer.kernel_begin("second", {1, 1, 1}, {64, 1, 1});
    *m.cycles += 4;
    *m.issued1 += 1;
    m.deepest1->raise_to(2);
    writer.kernel_end();
  }
  const std::string top_ = testing::TempDir() + "warpfold_results_" + std::to_string(getpid());
  const std::string directory_ = top_ + "/a/b";
};

TEST_F(Results, KernelsAreDifferencesAndTotalsCoverAll) {
  Machine m;
  ResultWriter writer(m.registry, info());
  simulate(m, writer);
  writer.finish();
  const auto stats = nlohmann::json::parse(read_file(directory_ + "/stats.json"));
  const auto& first = stats["kernels"]["kernel.0.first<int,2>"];
  EXPECT_EQ(first["cycles"], 10);
  EXPECT_EQ(first["issued"], 7);
  EXPECT_EQ(first["deepest"], 9);
  EXPECT_EQ(first["rate"], 0.7);
  EXPECT_EQ(first["twice_rate"], 1.4);
  const auto& second = stats["kernels"]["kernel.1.second"];
  EXPECT_EQ(second["cycles"], 4);
  EXPECT_EQ(second["issued"], 1);
  EXPECT_EQ(second["deepest"], 2);
  EXPECT_EQ(second["rate"], 0.25);
  EXPECT_EQ(stats["total"]["cycles"], 14);
  EXPECT_EQ(stats["total"]["issued"], 108);
  EXPECT_EQ(stats["total"]["deepest"], 9);
  EXPECT_EQ(stats["modules"]["core0"]["issued"], 103);
  EXPECT_EQ(stats["modules"]["core1"]["issued"], 5);
  EXPECT_EQ(stats["modules"]["core1"]["deepest"], 5);
  EXPECT_EQ(stats["resources"]["kernel.0.first<int,2>"][0]["block"], (std::vector<int>{32, 2, 1}));
  EXPECT_EQ(stats["statistics"]["issued"]["unit"], "instructions");
}

TEST_F(Results, CsvIsLongFormatWithQuotedNames) {
  Machine m;
  ResultWriter writer(m.registry, info());
  simulate(m, writer);
  writer.finish();
  const std::string csv = read_file(directory_ + "/stats.csv");
  EXPECT_TRUE(csv.starts_with("object,stat,value,unit\ntotal,cycles,14,cycles\ntotal,issued,108,instructions\n"))
      << csv;
  EXPECT_NE(csv.find("\n\"kernel.0.first<int,2>\",rate,0.7,instructions/cycle\n"), std::string::npos);
  EXPECT_NE(csv.find("\nkernel.1.second,issued,1,instructions\n"), std::string::npos);
  EXPECT_NE(csv.find("\ncore1,deepest,5,entries\n"), std::string::npos);
}

TEST_F(Results, SameRunSameBytes) {
  std::string json[2], csv[2];
  for (int i = 0; i < 2; ++i) {
    Machine m;
    ResultWriter writer(m.registry, info());
    simulate(m, writer);
    writer.finish();
    json[i] = read_file(directory_ + "/stats.json");
    csv[i] = read_file(directory_ + "/stats.csv");
  }
  EXPECT_EQ(json[0], json[1]);
  EXPECT_EQ(csv[0], csv[1]);
}

TEST_F(Results, FirstKernelIsOnDiskWhenItEnds) {
  Machine m;
  ResultWriter writer(m.registry, info());
  EXPECT_EQ(read_file(directory_ + "/config.effective.yaml"), "machine: {}\n");
  EXPECT_FALSE(nlohmann::json::parse(read_file(directory_ + "/run.json"))["finished"].get<bool>());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/stats.json"));
  writer.kernel_begin("k", {1, 1, 1}, {1, 1, 1});
  *m.cycles += 2;
  writer.kernel_end();
  EXPECT_EQ(nlohmann::json::parse(read_file(directory_ + "/stats.json"))["kernels"]["kernel.0.k"]["cycles"], 2);
}

// A kernel's launches are one object; each has a row.
TEST_F(Results, LaunchesOfAKernelAreSummedUpAndHaveARowEach) {
  Machine m;
  ResultWriter writer(m.registry, info());
  simulate(m, writer);
  writer.kernel_begin("first<int,2>", {9, 8, 7}, {32, 2, 1}, {});
  *m.cycles += 30;
  m.deepest1->raise_to(3);
  writer.kernel_end();
  writer.kernel_begin("first<int,2>", {4, 1, 1}, {16, 1, 1}, {.shared_bytes = 64, .limit = "threads"});
  writer.kernel_end();
  writer.finish();
  const auto stats = nlohmann::json::parse(read_file(directory_ + "/stats.json"));
  EXPECT_EQ(stats["kernels"].size(), 2U);
  const auto& first = stats["kernels"]["kernel.0.first<int,2>"];
  EXPECT_EQ(first["cycles"], 40);
  EXPECT_EQ(first["issued"], 7);
  EXPECT_EQ(first["deepest"], 9);
  EXPECT_EQ(first["rate"], 7 / 40.0);
  const auto& shapes = stats["resources"]["kernel.0.first<int,2>"];
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0]["launches"], 2);
  EXPECT_EQ(shapes[1]["launches"], 1);
  EXPECT_EQ(shapes[1]["limit"], "threads");
  EXPECT_EQ(read_file(directory_ + "/launches.csv"),
            "launch,kernel,grid_x,grid_y,grid_z,block_x,block_y,block_z,shared_bytes_per_block,cycles,issued,deepest,"
            "rate,twice_rate\n"
            "0,0,4,1,1,32,2,1,0,10,7,9,0.7,1.4\n"
            "1,1,1,1,1,64,1,1,0,4,1,2,0.25,0.5\n"
            "2,0,9,8,7,32,2,1,0,30,0,3,0,0\n"
            "3,0,4,1,1,16,1,1,64,0,0,0,,0\n");  // no rate in no time
}

TEST_F(Results, ThousandsOfLaunchesTakeNoMemoryAndAreNotWrittenAgainAndAgain) {
  Machine m;
  ResultWriter writer(m.registry, info());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20'000; ++i) {
    writer.kernel_begin("k", {1, 1, 1}, {1, 1, 1});
    ++*m.cycles;
    writer.kernel_end();
  }
  writer.finish();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 20.0);  // a write per kernel would take minutes
  const std::string stats = read_file(directory_ + "/stats.json"), launches = read_file(directory_ + "/launches.csv");
  EXPECT_EQ(nlohmann::json::parse(stats)["kernels"]["kernel.0.k"]["cycles"], 20'000);
  EXPECT_LT(stats.size(), 10'000U);
  EXPECT_EQ(std::count(launches.begin(), launches.end(), '\n'), 1 + 20'000);
  EXPECT_TRUE(launches.ends_with("\n19999,0,1,1,1,1,1,1,0,1,0,0,0,0\n")) << launches.substr(launches.size() - 100);
}

TEST_F(Results, RunFileHoldsTheHostsFigures) {
  Machine m;
  m.registry.group("gpu2").counter("thread_instructions", "instructions", "executed by lanes") += 1000;
  ResultWriter writer(m.registry, info());
  simulate(m, writer);
  writer.finish();
  const auto run = nlohmann::json::parse(read_file(directory_ + "/run.json"));
  EXPECT_TRUE(run["finished"].get<bool>());
  EXPECT_NE(run["command"][0].get<std::string>().find("test_common"), std::string::npos);
  EXPECT_EQ(run["launches"], 2);
  EXPECT_GT(run["host"]["cpu_seconds"].get<double>(), 0);
  EXPECT_GT(run["host"]["peak_rss_bytes"].get<double>(), 1e5);
  EXPECT_NEAR(
      run["host"]["thread_instructions_per_cpu_second"].get<double>() * run["host"]["cpu_seconds"].get<double>(), 1000,
      1e-6);
  EXPECT_NE(run["versions"]["systemc"].get<std::string>().find("2.3"), std::string::npos);
  EXPECT_EQ(read_file(directory_ + "/stats.json").find("seconds"), std::string::npos);  // simulated figures only
}

TEST_F(Results, KeyAndWhatDecidedIt) {
  Machine m;
  RunInfo decided = info();
  decided.decided_by = R"({"program":"bfs","arguments":["7"]})";
  ResultWriter(m.registry, decided).finish();
  const auto run = nlohmann::ordered_json::parse(read_file(directory_ + "/run.json"));
  EXPECT_EQ(run["decided_by"].dump(), decided.decided_by);
  EXPECT_EQ(run["key"], "3759e756c581");  // printf … | sha256sum
  EXPECT_EQ(run["key"], result_key(decided.decided_by));
  ResultWriter(m.registry, info()).finish();
  EXPECT_FALSE(nlohmann::json::parse(read_file(directory_ + "/run.json")).contains("key"));
}

// A run that is killed before its first kernel ends must not leave its configuration beside another run's figures.
TEST_F(Results, NothingOfAnEarlierRunStays) {
  Machine m;
  {
    ResultWriter writer(m.registry, info());
    simulate(m, writer);
    writer.finish();
  }
  std::ofstream(directory_ + "/stats.csv.tmp-1-0") << "of a killed run";
  std::ofstream(directory_ + "/program.out") << "being written";
  Machine other;
  const ResultWriter writer(other.registry, info());
  for (const char* name : {"stats.json", "stats.csv", "launches.csv", "stats.csv.tmp-1-0"}) {
    EXPECT_FALSE(std::filesystem::exists(directory_ + "/" + name)) << name;
  }
  for (const char* name : {"run.json", "config.effective.yaml", "program.out"}) {
    EXPECT_TRUE(std::filesystem::exists(directory_ + "/" + name)) << name;
  }
}

TEST_F(Results, WriteThatFailsIsToldOnce) {
  Machine m;
  ResultWriter writer(m.registry, info());
  std::filesystem::remove_all(directory_);
  writer.kernel_begin("k", {1, 1, 1}, {1, 1, 1});
  try {
    writer.kernel_end();
    FAIL() << "written";
  } catch (const WriteError& error) {
    EXPECT_EQ(error.what(), directory_ + "/launches.csv: cannot write this file: No such file or directory");
  }
  EXPECT_NO_THROW(writer.finish());
}

TEST_F(Results, FigureThatDoesNotExistHasNoRow) {
  Machine m;
  ResultWriter writer(m.registry, info());
  writer.finish();  // no cycle: rate = 0 / 0
  const auto stats = nlohmann::json::parse(read_file(directory_ + "/stats.json"));
  EXPECT_FALSE(stats["total"].contains("rate"));
  EXPECT_EQ(stats["total"]["twice_rate"], 0);
  EXPECT_EQ(stats["kernels"].size(), 0U);
}

TEST_F(Results, KernelThatFailsLeavesNoFigures) {
  Machine m;
  ResultWriter writer(m.registry, info());
  simulate(m, writer);
  writer.kernel_begin("broken", {1, 1, 1}, {1, 1, 1});
  *m.cycles += 1;
  writer.finish();
  EXPECT_EQ(nlohmann::json::parse(read_file(directory_ + "/stats.json"))["kernels"].size(), 2U);
}

// Its figures are the same, whoever else counts meanwhile; what a launch that fails counted is taken back there, too.
TEST_F(Results, GroupsThatAnnounceWhatTheyCount) {
  Machine m;
  StatGroup& core1 = m.registry.groups()[2];
  ResultWriter writer(m.registry, info());
  simulate(m, writer);
  m.registry.announce(core1);
  const auto launch = [&](std::uint64_t issued, bool touches) {
    writer.kernel_begin("third", {1, 1, 1}, {1, 1, 1});
    if (touches) m.registry.touch(core1);
    *m.issued0 += 1;
    *m.issued1 += issued;
    m.deepest1->raise_to(issued);
  };
  const auto expect = [&](double issued, double deepest) {
    writer.kernel_end();
    EXPECT_EQ(writer.last_launch().at("issued"), issued);
    EXPECT_EQ(writer.last_launch().at("deepest"), deepest);
  };
  launch(0, false);
  expect(1, 0);
  launch(20, true);
  expect(21, 20);
  launch(0, false);
  expect(1, 0);
  launch(3, true);
  writer.kernel_failed("why");
  launch(2, true);
  expect(3, 2);
  EXPECT_EQ(writer.total().at("issued"), 108 + 1 + 21 + 1 + 3);
  EXPECT_EQ(writer.total().at("deepest"), 20);
}

TEST_F(Results, WhatIsCountedForAllObjectsIsSettledBeforeTheyAreWritten) {
  Machine m;
  Counter& together = m.registry.group("").counter("issued", "instructions", "of core1");
  m.registry.announce(m.registry.groups()[2]);
  m.registry.on_settle = [&] {
    m.registry.touch(m.registry.groups()[2]);
    *m.issued1 += together.value();
    together.reset();
  };
  ResultWriter writer(m.registry, info());
  for (unsigned launch = 0; launch < 2; ++launch) {
    writer.kernel_begin("k", {1, 1, 1}, {1, 1, 1});
    together += 50;
    writer.kernel_end();
    EXPECT_EQ(writer.last_launch().at("issued"), 50);
  }
  writer.finish();
  const auto stats = nlohmann::json::parse(read_file(directory_ + "/stats.json"));
  EXPECT_EQ(stats["total"]["issued"], 100);
  EXPECT_EQ(stats["kernels"]["kernel.0.k"]["issued"], 100);
  EXPECT_EQ(stats["modules"]["core1"]["issued"], 100);
  EXPECT_EQ(stats["modules"].size(), 3U) << "the group without a name is none";
}

TEST_F(Results, WithoutADirectoryNothingIsWrittenButValuesAreThere) {
  Machine m;
  RunInfo none = info();
  none.directory.clear();
  ResultWriter writer(m.registry, none);
  simulate(m, writer);
  EXPECT_EQ(writer.last_launch().at("issued"), 1);
  EXPECT_EQ(writer.total().at("issued"), 108);
  writer.finish();
  EXPECT_FALSE(std::filesystem::exists(directory_));
}

TEST_F(Results, MisuseIsReported) {
  Machine m;
  ResultWriter writer(m.registry, info());
  EXPECT_THROW(writer.kernel_end(), InternalError);
  writer.kernel_begin("a", {1, 1, 1}, {1, 1, 1});
  EXPECT_THROW(writer.kernel_begin("b", {1, 1, 1}, {1, 1, 1}), InternalError);
  writer.kernel_end();
  m.registry.group("late").counter("late", "", "declared after the first kernel");
  EXPECT_THROW(writer.kernel_begin("b", {1, 1, 1}, {1, 1, 1}), InternalError);
}

TEST_F(Results, DirectoryThatCannotBeMadeIsAUserError) {
  Machine m;
  RunInfo bad = info();
  bad.directory = "/dev/null/results";
  try {
    ResultWriter writer(m.registry, bad);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("/dev/null/results: cannot make this result directory"),
              std::string::npos);
  }
}

TEST_F(Results, HostThreadsThatLaunchAreCounted) {
  Machine m;
  ResultWriter writer(m.registry, info());
  const auto launch = [&writer] {
    writer.kernel_begin("k", {1, 1, 1}, {32, 1, 1});
    writer.kernel_end();
  };
  launch();
  launch();
  for (int i = 0; i < 2; ++i) std::thread(launch).join();  // the second may well get the first one's number
  writer.finish();
  EXPECT_EQ(nlohmann::json::parse(read_file(directory_ + "/run.json"))["launching_threads"], 3);
}

}  // namespace results_test
}  // namespace warpfold
