// SPDX-License-Identifier: Apache-2.0
// Same inputs, same bytes out: on a second run, and with the cores made in the opposite order. And figures that add up.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/divergence/mechanism_variants.h"
#include "tests/gpu/contract/contract_kernels.h"
#include "tests/gpu/kernel_machine.h"
#include "tests/host/front_end.h"

namespace warpfold {
namespace determinism_test {

struct Results {
  std::string json, csv, launches;
};

// Three launches of different kernels, more blocks than fit, on five cores that share four channels.
Results run(const MechanismVariant& variant, bool reverse_construction) {
  const host::ScratchFolder folder;
  std::vector<std::string> sets{"cores=5", "memory.channels=4", "core.max_blocks=2", "l1d.mshr_entries=4"};
  sets.insert(sets.end(), variant.sets.begin(), variant.sets.end());
  RunOptions options = RunOptions::resolve("tbc2011", variant.mechanism, sets);
  options.out = folder.path("out");
  GpuOptions gpu;
  gpu.reverse_construction = reverse_construction;
  KernelMachine<> machine(random_kernel(7), options, gpu);
  const Address in = machine.upload(noise(4000));
  const Address out = machine.upload(std::vector<std::uint32_t>(4000));
  machine.run("k", {31}, {100}, out, in);
  machine.run("k", {3, 2}, {64, 2}, out, in);
  machine.run("k", {40}, {96}, out, in);
  machine.device.finish();
  return {folder.read("out/stats.json"), folder.read("out/stats.csv"), folder.read("out/launches.csv")};
}

using Statistics = std::map<std::string, std::map<std::string, double>>;  // by object and name

Statistics parse(const std::string& csv) {
  Statistics statistics;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);  // object,stat,value,unit
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string object, name, value;
    std::getline(fields, object, ',');
    std::getline(fields, name, ',');
    std::getline(fields, value, ',');
    statistics[object][name] = std::stod(value);
  }
  return statistics;
}

// "launch.<n>" for a row of launches.csv.
Statistics parse_launches(const std::string& csv) {
  Statistics statistics;
  std::istringstream lines(csv);
  std::string line, name, value;
  std::getline(lines, line);
  const std::string header = line;
  while (std::getline(lines, line)) {
    std::istringstream names(header), values(line);
    auto& launch = statistics[fmt::format("launch.{}", statistics.size())];
    while (std::getline(names, name, ',') && std::getline(values, value, ',')) {
      if (!value.empty()) launch[name] = std::stod(value);
    }
  }
  return statistics;
}

// The run that both tests look at.
const Results& first_run(const MechanismVariant& variant) {
  static std::map<std::string, Results> known;
  const auto [at, unknown] = known.try_emplace(variant.name());
  if (unknown) at->second = run(variant, false);
  return at->second;
}

class Determinism : public testing::TestWithParam<MechanismVariant> {};
INSTANTIATE_TEST_SUITE_P(Every, Determinism, testing::ValuesIn(mechanism_variants()),
                         [](const auto& suite) { return suite.param.name(); });

TEST_P(Determinism, SecondRunAndReverseOrder) {
  const Results& first = first_run(GetParam());
  const Results second = run(GetParam(), false);
  const Results reversed = run(GetParam(), true);
  EXPECT_NE(first.csv.find("core4,"), std::string::npos);
  EXPECT_NE(first.csv.find("dram_3,"), std::string::npos);
  EXPECT_EQ(first.json, second.json);
  EXPECT_EQ(first.csv, second.csv);
  EXPECT_EQ(first.launches, second.launches);
  EXPECT_EQ(first.launches, reversed.launches);
  EXPECT_EQ(first.json, reversed.json);
  EXPECT_EQ(first.csv, reversed.csv);
}

constexpr const char* kBreakdown[] = {"issue_w1_4",   "issue_w5_8",   "issue_w9_12",  "issue_w13_16",
                                      "issue_w17_20", "issue_w21_24", "issue_w25_28", "issue_w29_32",
                                      "stall",        "w0_mem",       "w0_idle"};

TEST_P(Determinism, FiguresAddUp) {
  const Results& results = first_run(GetParam());
  Statistics statistics = parse(results.csv);
  statistics.merge(parse_launches(results.launches));
  unsigned launches = 0;
  std::map<std::string, double> sums;
  for (const auto& [object, values] : statistics) {
    const bool launch = object.starts_with("launch.");
    if (!launch && object != "total" && object != "kernel.0.k") continue;
    launches += launch ? 1 : 0;
    double charged = 0;
    for (const char* part : kBreakdown) charged += values.at(part);
    EXPECT_EQ(charged, values.at("cycles") * values.at("schedulers")) << object;
    EXPECT_EQ(values.at("ipc"), values.at("thread_instructions") / values.at("cycles")) << object;
    for (const char* name :
         {"cycles", "warp_instructions", "thread_instructions", "stall", "w0_mem", "l2_accesses", "dram_reads"}) {
      if (launch) sums[name] += values.at(name);
    }
  }
  EXPECT_EQ(launches, 3U);
  for (const auto& [name, sum] : sums) {
    EXPECT_EQ(sum, statistics.at("total").at(name)) << name;
    EXPECT_EQ(sum, statistics.at("kernel.0.k").at(name)) << name;
  }
  EXPECT_EQ(statistics.at("total").at("schedulers"), 5);
  EXPECT_EQ(statistics.at("total").at("kernels"), 3);
  EXPECT_EQ(statistics.at("total").at("blocks"), 31 + 6 + 40);
}

}  // namespace determinism_test
}  // namespace warpfold
