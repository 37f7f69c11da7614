// SPDX-License-Identifier: Apache-2.0
// Figures computed from counters, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/memory/simulation.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"

namespace warpfold {
namespace derived_statistics_test {

// The figures that a machine with this mechanism has.
std::map<std::string, DerivedStat> figures_of(const std::string& mechanism, const std::vector<std::string>& sets = {}) {
  test::Simulation simulation;
  const GpuSetup setup = GpuSetup::of("tbc2011", mechanism, sets);
  StatRegistry stats;
  const Gpu gpu("gpu", setup.machine, setup.mechanism, stats);
  std::map<std::string, DerivedStat> figures;
  for (const DerivedStat& figure : stats.derived()) figures.emplace(figure.info.name, figure);
  return figures;
}

double derived(const std::string& name, const StatValues& values, const std::string& mechanism = "pdom") {
  const auto figures = figures_of(mechanism, {"core.warp_size=16", "core.simd_width=4"});
  const auto found = figures.find(name);
  if (found != figures.end()) return found->second.compute(values);
  ADD_FAILURE() << "no statistic " << name;
  return 0;
}

TEST(DerivedStatistics, Core) {
  const StatValues values{
      {"thread_instructions", 1200}, {"warp_instructions", 100}, {"cycles", 800}, {"simd_active_cycles", 375}};
  EXPECT_EQ(derived("ipc", values), 1.5);
  EXPECT_EQ(derived("simd_efficiency", values), 0.75) << "1200 of 100 x 16 lanes";
  EXPECT_EQ(derived("lane_activity", values), 0.8) << "1200 of 375 x 4 lanes";
}

TEST(DerivedStatistics, UseOfTheCores) {
  const StatValues values{{"blocks", 90},           {"block_slots", 60},
                          {"cycles", 100},          {"core_busy_cycles", 1500},
                          {"few_cores_cycles", 25}, {"few_waves_cycles", 60}};
  EXPECT_EQ(derived("waves", values), 1.5);
  EXPECT_EQ(derived("core_utilisation", values), 0.5) << "1500 of 30 cores x 100 cycles";
  EXPECT_EQ(derived("few_cores_share", values), 0.25);
  EXPECT_EQ(derived("few_waves_share", values), 0.6);
}

// Thread instructions of launches without timing belong to no cycles.
TEST(DerivedStatistics, NoIpcBesideFunctionalLaunches) {
  EXPECT_TRUE(std::isnan(derived("ipc", {{"thread_instructions", 12}, {"cycles", 8}, {"functional_kernels", 1}})));
}

TEST(DerivedStatistics, Memory) {
  EXPECT_EQ(derived("l1d_hit_rate", {{"l1d_hits", 3}, {"l1d_misses", 1}, {"l1d_merged", 2}}), 0.5);
  EXPECT_EQ(
      derived("pipeline_depth_utilisation",
              {{"cycles", 50}, {"schedulers", 2}, {"stall", 10}, {"w0_fetch", 10}, {"w0_mem", 25}, {"w0_idle", 5}}),
      0.5);
  EXPECT_EQ(derived("l2_hit_rate", {{"l2_hits", 3}, {"l2_accesses", 4}}), 0.75);
  EXPECT_EQ(derived("dram_row_hit_rate", {{"dram_row_hits", 1}, {"dram_row_misses", 3}}), 0.25);
  EXPECT_EQ(derived("core_memory_bytes", {{"core_to_memory_bytes", 72}, {"memory_to_core_bytes", 8}}), 80);
  EXPECT_EQ(derived("dram_bytes", {{"dram_read_bytes", 384}, {"dram_write_bytes", 256}}), 640);
}

// Beyond what Ivy Bridge saves, of what is left then.
TEST(DerivedStatistics, LanePacking) {
  const StatValues values{
      {"simd_cycles_none", 1000}, {"simd_cycles_ivb", 800}, {"simd_cycles_bcc", 600}, {"simd_cycles_scc", 500}};
  EXPECT_EQ(derived("bcc_saving", values), 0.25);
  EXPECT_EQ(derived("scc_saving", values), 0.375);
}

TEST(DerivedStatistics, OfAMechanism) {
  const StatValues decisions{{"validity_stall_stall", 2},
                             {"validity_bypass_bypass", 4},
                             {"validity_stall_bypass", 1},
                             {"validity_bypass_stall", 1}};
  EXPECT_EQ(derived("validity_accuracy", decisions, "capri"), 0.75);
  EXPECT_EQ(derived("validity_accuracy", decisions, "tstbc"), 0.75);
  EXPECT_EQ(derived("capri_accuracy", {{"capri_predictions", 8}, {"capri_predictions_correct", 5}}, "capri"), 0.625);
  const StatValues regrouped{{"thread_instructions", 1200}, {"oracle_warp_instructions", 80}};
  EXPECT_EQ(derived("oracle_lane_activity", regrouped, "oracle"), 0.9375);
  EXPECT_FALSE(figures_of("pdom").contains("capri_accuracy")) << "each mechanism says its own";
}

// Every figure of a machine in which nothing has happened is 0/0; none asks for what the machine does not count.
TEST(DerivedStatistics, NothingIsComputedFromWhatNobodyCounts) {
  for (const std::string mechanism : {"pdom", "capri", "tstbc", "oracle"}) {
    for (const std::string memory : {"dram", "external"}) {
      test::Simulation simulation;
      const GpuSetup setup = GpuSetup::of("tbc2011", mechanism, {"memory.boundary.memory=" + memory});
      StatRegistry stats;
      const Gpu gpu("gpu", setup.machine, setup.mechanism, stats);
      StatValues zeroes;
      for (const StatGroup& group : stats.groups()) {
        for (const StatGroup::Entry& entry : group.entries()) zeroes[entry.info.name] = 0;
      }
      for (const DerivedStat& figure : stats.derived()) {
        double value = 0;
        EXPECT_NO_THROW(value = figure.compute(zeroes)) << figure.info.name;
        EXPECT_TRUE(std::isnan(value) || value == 0) << figure.info.name;
      }
    }
  }
  EXPECT_THROW(derived("l2_hit_rate", {{"l2_hits", 3}}), InternalError);
}

}  // namespace derived_statistics_test
}  // namespace warpfold
