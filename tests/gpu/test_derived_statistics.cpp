// SPDX-License-Identifier: Apache-2.0
// Figures computed from counters, against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "warpfold/gpu/gpu.h"

namespace warpfold {
namespace {

double derived(const std::string& name, const StatValues& values) {
  StatRegistry stats;
  MachineConfig config;
  config.core.warp_size = 16;
  config.core.simd_width = 4;
  config.memory.l2.line_bytes = 128;
  derive_statistics(stats, config);
  for (const DerivedStat& stat : stats.derived()) {
    if (stat.info.name == name) return stat.compute(values);
  }
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
  const StatValues values{
      {"blocks", 90}, {"block_slots", 60}, {"cycles", 100}, {"core_busy_cycles", 1500}, {"few_cores_cycles", 25}};
  EXPECT_EQ(derived("waves", values), 1.5);
  EXPECT_EQ(derived("core_utilisation", values), 0.5) << "1500 of 30 cores x 100 cycles";
  EXPECT_EQ(derived("few_cores_share", values), 0.25);
}

// Thread instructions of launches without timing belong to no cycles.
TEST(DerivedStatistics, NoIpcBesideFunctionalLaunches) {
  EXPECT_TRUE(std::isnan(derived("ipc", {{"thread_instructions", 12}, {"cycles", 8}, {"functional_kernels", 1}})));
}

TEST(DerivedStatistics, Memory) {
  EXPECT_EQ(derived("l1d_hit_rate", {{"l1d_hits", 3}, {"l1d_misses", 1}, {"l1d_merged", 2}}), 0.5);
  EXPECT_EQ(derived("oracle_lane_activity", {{"thread_instructions", 1200}, {"oracle_warp_instructions", 80}}), 0.9375);
  EXPECT_TRUE(std::isnan(derived("oracle_lane_activity", {{"thread_instructions", 1200}})));
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
  EXPECT_TRUE(std::isnan(derived("scc_saving", {})));
}

TEST(DerivedStatistics, Compaction) {
  EXPECT_EQ(derived("validity_accuracy", {{"validity_stall_stall", 2},
                                          {"validity_bypass_bypass", 4},
                                          {"validity_stall_bypass", 1},
                                          {"validity_bypass_stall", 1}}),
            0.75);
  EXPECT_EQ(derived("capri_accuracy", {{"capri_predictions", 8}, {"capri_predictions_correct", 5}}), 0.625);
}

TEST(DerivedStatistics, WhatDoesNotExistIsNoNumber) {
  for (const char* name : {"ipc", "waves", "core_utilisation", "few_cores_share", "simd_efficiency", "lane_activity",
                           "l1d_hit_rate", "l2_hit_rate", "dram_row_hit_rate", "validity_accuracy", "capri_accuracy"}) {
    EXPECT_TRUE(std::isnan(derived(name, {}))) << name;
  }
}

}  // namespace
}  // namespace warpfold
