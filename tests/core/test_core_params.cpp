// SPDX-License-Identifier: Apache-2.0
// The table of a core's parameters: loads what it writes, and refuses what no core can be.
#include <gtest/gtest.h>

#include "warpfold/common/config/config.h"
#include "warpfold/common/error.h"
#include "warpfold/core/core_params.h"

namespace warpfold {
namespace core_params_test {

ConfigNode defaults() { return ConfigNode::from_text(dump(fields_of(CoreParams{})), "core.yaml"); }

// What the parameters say when `assignment` is applied to the defaults: the complaint, or nothing.
std::string complaint(const std::string& assignment) {
  ConfigNode node = defaults();
  node.set(assignment);
  CoreParams params;
  try {
    load(params, node);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(CoreParams, WhatIsWrittenLoadsAgain) {
  CoreParams written;
  written.warp_size = 16;
  written.warp_policy = WarpPolicy::kGto;
  written.scoreboard = ScoreboardKind::kPerRegister;
  written.compactor.latency_cycles = 3;
  CoreParams read;
  load(read, ConfigNode::from_text(dump(fields_of(written)), "core.yaml"));
  EXPECT_EQ(read.warp_size, 16u);
  EXPECT_EQ(read.warp_policy, WarpPolicy::kGto);
  EXPECT_EQ(read.scoreboard, ScoreboardKind::kPerRegister);
  EXPECT_EQ(read.compactor.latency_cycles, 3u);
}

TEST(CoreParams, TheDefaultsAreTheTbcPapersCore) {
  const CoreParams params;  // TBC Table 2
  EXPECT_EQ(params.rows(), 32u);
  const divergence::Geometry geometry = params.geometry();
  EXPECT_EQ(geometry.warp_size, 32u);
  EXPECT_EQ(geometry.simd_width, 8u);
  EXPECT_EQ(geometry.max_threads, 1024u);
  EXPECT_EQ(geometry.max_warps, 32u);
  EXPECT_EQ(geometry.max_blocks, 8u);
  EXPECT_EQ(geometry.schedulers, 1u);
}

// A mechanism that makes warps half as wide has twice as many of them in the same stages.
TEST(CoreParams, StagesBeforeTheLoadStoreUnitHoldGroupsOfLanes) {
  CoreParams params;
  params.simd_width = 16;
  params.lsu_queue_entries = 9;
  divergence::Configured narrow, wide;
  narrow.shape = [](const divergence::Geometry&) { return divergence::Shape{16, 64}; };
  EXPECT_EQ(params.shaped_by(wide).lsu_queue_entries, 9U);
  EXPECT_EQ(params.shaped_by(narrow).lsu_queue_entries, 9U);
  params.lsu.queue_groups = 6;
  EXPECT_EQ(params.shaped_by(wide).lsu_queue_entries, 4U) << "three warps of two groups, and one at fetch";
  EXPECT_EQ(params.shaped_by(narrow).lsu_queue_entries, 7U);
}

TEST(CoreParams, RefusesWhatNoCoreCanBe) {
  for (const char* wrong : {"warp_size=33",
                            "warp_size=128",
                            "warp_size=0",
                            "simd_width=12",
                            "schedulers=0",
                            "schedulers=17",
                            "max_threads=0",
                            "warp_policy=FIFO",
                            "scoreboard=none",
                            "alu_latency_cycles=0",
                            "register_banks=3",
                            "lsu_queue_entries=0",
                            "shared_banks=15",
                            "clock_mhz=0",
                            "pipes=two",
                            "issue_interval_cycles=0",
                            "lsu_lines_per_cycle=0",
                            "compactor.latency_cycles=65",
                            "registers=many",
                            "sfu_width=3",
                            "units.sfu=17",
                            "units.tensor=1",
                            "issue_width=65",
                            "operations.int_mul.unit=alu",
                            "operations.int_mul.latency_cycles=1001",
                            "fetch.cached=yes",
                            "fetch.buffer_entries=0"}) {
    const std::string text = complaint(wrong);
    const std::string key = std::string(wrong).substr(0, std::string(wrong).find('='));
    EXPECT_NE(text.find(key), std::string::npos) << wrong << ": '" << text << "' names the key";
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(CoreParams, AcceptsTheEndsOfTheRanges) {
  for (const char* right : {"warp_size=1", "warp_size=64", "schedulers=4", "max_blocks=64", "registers=1",
                            "shared_bytes=0", "warp_policy=GTO", "scoreboard=per_register", "simd_width=64",
                            "units.memory=16", "operations.dp_div.unit=sfu", "fetch.cached=true"}) {
    EXPECT_EQ(complaint(right), "") << right;
  }
}

// Each class of operations has its own entry in the table, under its own key.
TEST(CoreParams, OperationsByKey) {
  OperationTable table;
  load_optional(table, ConfigNode::from_text("int_add: {latency_cycles: 2}\nfp_mad: {latency_cycles: 3}\n"
                                             "dp_div: {latency_cycles: 4}\nother: {latency_cycles: 5}\n",
                                             "core.yaml"));
  EXPECT_EQ(table.of(isa::Operation::kIntAdd).latency_cycles, 2u);
  EXPECT_EQ(table.of(isa::Operation::kFpMad).latency_cycles, 3u);
  EXPECT_EQ(table.of(isa::Operation::kDpDiv).latency_cycles, 4u);
  EXPECT_EQ(table.of(isa::Operation::kOther).latency_cycles, 5u);
  EXPECT_EQ(table.of(isa::Operation::kControl).latency_cycles, 0u);
}

TEST(CoreParams, AnOperationIsItsUnitsUnlessTheTableKnowsBetter) {
  CoreParams params;
  isa::MicroOp op;
  op.unit = isa::Unit::kSfu;
  op.operation = isa::Operation::kIntDiv;
  EXPECT_EQ(params.unit_of(op), isa::Unit::kSfu);
  EXPECT_EQ(params.latency_of(op), params.sfu_latency_cycles);
  EXPECT_EQ(params.interval_of(op), 0u);
  params.operations.int_div = {OperationUnit::kFp64, 0, 7};
  EXPECT_EQ(params.unit_of(op), isa::Unit::kFp64);
  EXPECT_EQ(params.latency_of(op), params.fp64_latency_cycles);
  EXPECT_EQ(params.unit_lanes(op), params.fp64_width);
  EXPECT_EQ(params.interval_of(op), 7u);
  params.operations.int_div.latency_cycles = 145;
  EXPECT_EQ(params.latency_of(op), 145u);
}

TEST(CoreParams, ComplainsAboutAMisspeltKey) {
  const std::string text = complaint("warp_sise=32");
  EXPECT_NE(text.find("warp_size"), std::string::npos) << text;
}

}  // namespace core_params_test
}  // namespace warpfold
