// SPDX-License-Identifier: Apache-2.0
// RTL blocks in the place of the C++ ones, and beside them, inside the whole machine: the statistics of real programs
// are the same bytes, and RTL that does something else stops the run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/common/command_line.h"

namespace warpfold {
namespace {

namespace fs = std::filesystem;

// `text` with its only `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class InMachine : public CommandLineTest {
 protected:
  InMachine() {
    environment_ = "WARPFOLD_CACHE='" WARPFOLD_TEST_CACHE "'";
  }  // one for all these tests: a block is built once

  nlohmann::json rtl(const std::string& where) const {
    return nlohmann::json::parse(read_file(directory_ / where / "run.json"))["rtl"];
  }

  std::uint64_t cycles(const std::string& where) const {
    return nlohmann::json::parse(read_file(directory_ / where / "stats.json"))["total"]["cycles"];
  }

  // Runs `what` with and without `blocks`, whose clocks count either way, and returns what the RTL did.
  nlohmann::json same_with(const std::string& blocks, const std::string& what,
                           const std::string& clocks = "rtl") const {
    const std::string counting = "--set core.logic.clocks=" + clocks + " " + what;
    const Result model = warpfold("run --out model " + counting);
    EXPECT_EQ(model.status, 0) << model.err;
    const Result rtl_run = warpfold("run --out rtl --rtl " + blocks + " --rtl-check cycle " + counting);
    EXPECT_EQ(rtl_run.status, 0) << rtl_run.err << rtl_run.out;
    EXPECT_TRUE(read_file(directory_ / "model/stats.json") == read_file(directory_ / "rtl/stats.json")) << what;
    return rtl("rtl");
  }
};

void expect_work(const nlohmann::json& block) {
  EXPECT_GT(block["operations"].get<std::uint64_t>(), 0U);
  EXPECT_GE(block["clocks"].get<std::uint64_t>(), block["operations"].get<std::uint64_t>());
  EXPECT_FALSE(block.contains("note")) << block;
  EXPECT_FALSE(block.contains("late_cycles")) << block;
}

class EveryMechanism : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryMechanism, CompactorAndStackOfBlockCompaction) {
  const auto did = same_with("compactor,stack", std::string("--mechanism ") + GetParam() + " bfs --size small");
  expect_work(did["compactor"]);
  expect_work(did["stack"]);
}
INSTANTIATE_TEST_SUITE_P(InMachine, EveryMechanism, testing::Values("tbc", "tbc-lcp"));

TEST_F(InMachine, CompactorAndStackOfTwoStages) {
  const auto did =
      same_with("compactor,stack",
                "--mechanism tbc --set core.compactor.stages=2 --set mechanism.stack_stages=2 bfs --size small");
  expect_work(did["compactor"]);
  expect_work(did["stack"]);
  EXPECT_EQ(did["compactor"]["model_latency_clocks"], 2);
}

// The same bytes where no clock counts; and each way of counting them costs more cycles than that.
TEST_F(InMachine, WhoseClocksCount) {
  const std::string what = "--mechanism tbc bfs --size small";
  expect_work(same_with("stack", what, "none")["stack"]);
  ASSERT_EQ(warpfold("run --out papers " + what).status, 0);
  ASSERT_EQ(warpfold("run --out counted --set core.logic.clocks=rtl " + what).status, 0);
  ASSERT_EQ(warpfold("run --out played --rtl stack " + what).status, 0);
  EXPECT_EQ(cycles("papers"), cycles("model")) << "by default they do not";
  EXPECT_GT(cycles("counted"), cycles("papers"));
  EXPECT_EQ(cycles("played"), cycles("counted")) << "tbc has no other unit";
}

// A stack that waits a clock before it takes an operation.
TEST_F(InMachine, ASlowerStackCostsCycles) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "block_stack.sv");
  const std::string slow =
      replaced(replaced(right, "assign done_valid_o = done_q;",
                        "assign done_valid_o = done_q;\n  logic waited_q;\n"
                        "  always_ff @(posedge clk_i) waited_q <= op_valid_i && state_q == StIdle && !waited_q;"),
               "StIdle: if (op_valid_i) begin", "StIdle: if (op_valid_i && waited_q) begin");
  write_file("slow.sv", slow);
  const std::string what = "--mechanism tbc bfs --size small";
  ASSERT_EQ(warpfold("run --out ours --rtl stack " + what).status, 0);
  const Result r = warpfold("run --out slow --rtl stack=slow.sv " + what);
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  EXPECT_GT(cycles("slow"), cycles("ours"));
  EXPECT_GT(rtl("slow")["stack"]["late_cycles"], 0);
  const Result forbidden = warpfold("run --rtl stack=slow.sv --rtl-check cycle " + what);
  EXPECT_EQ(forbidden.status, 1);
  EXPECT_NE((forbidden.err + forbidden.out).find("clocks"), std::string::npos) << forbidden.err << forbidden.out;
}

class EveryAdequacy : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryAdequacy, CompactorAndAdequacyUnit) {
  const auto did = same_with("compactor,adequacy",
                             std::string("--machine tstbc2016 --mechanism ") + GetParam() + " nqueens --size small");
  expect_work(did["compactor"]);
  expect_work(did["adequacy"]);
  EXPECT_EQ(did["adequacy"]["latency_clocks"], nlohmann::json({2, 2}));
}
INSTANTIATE_TEST_SUITE_P(InMachine, EveryAdequacy, testing::Values("capri", "tstbc"));

class EveryWarpStack : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryWarpStack, WarpStackOfReconvergence) {
  expect_work(same_with("warp-stack", std::string("--mechanism ") + GetParam() + " bfs --size small")["warp-stack"]);
}
INSTANTIATE_TEST_SUITE_P(InMachine, EveryWarpStack, testing::Values("pdom", "pdom-lcp"));

TEST_F(InMachine, PredictorOfCapri) {
  // A table whose branches share entries.
  expect_work(
      same_with("predictor", "--mechanism capri --set mechanism.table_entries=2 nqueens --size small")["predictor"]);
}

// The seeded bugs of proofs.
TEST_F(InMachine, ShadowsWithoutTheirGuardsStopTheRun) {
  for (const auto& [block, module, from, to, run] :
       {std::tuple{"warp-stack", "warp_stack", "assign replaced = top_q.rpc == op_q.rpc;", "assign replaced = 1'b0;",
                   "--mechanism pdom"},
        std::tuple{"predictor", "wct_predictor", "assign adequate = read_tag != tag || read_adequate;",
                   "assign adequate = read_adequate;", "--mechanism capri --set mechanism.table_entries=2"}}) {
    const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / fmt::format("{}.sv", module));
    write_file("wrong.sv", replaced(right, from, to));
    const Result r = warpfold(fmt::format("run {} --rtl {}=wrong.sv nqueens --size small", run, block));
    EXPECT_EQ(r.status, 1) << block;
    EXPECT_NE((r.err + r.out).find(fmt::format("{}: the RTL differs", block)), std::string::npos) << r.err << r.out;
  }
}

TEST_F(InMachine, BarrierTableOfHarp) {
  expect_work(same_with("barriers", "--machine harp2013 --mechanism harp nqueens --size small")["barriers"]);
}

class EveryWarpPool : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryWarpPool, WarpPoolOfDynamicWarpFormation) { expect_work(same_with("pool", GetParam())["pool"]); }
// At the end with a table that is often full, and with two schedulers.
INSTANTIATE_TEST_SUITE_P(InMachine, EveryWarpPool,
                         testing::Values("--mechanism dwf bfs --size small", "--mechanism dwf-wb nqueens --size small",
                                         "--mechanism dwf --set mechanism.lut_entries=3 nqueens --size small",
                                         "--machine tstbc2016 --mechanism dwf nqueens --size small"));

TEST_F(InMachine, AWarpPoolWhoseThreadsLoseTheirLanesStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "warp_pool.sv");
  write_file("wrong.sv", replaced(right, "? op_mask_i & ~word.lanes :", "? op_mask_i :"));
  const Result r = warpfold("run --mechanism dwf --rtl pool=wrong.sv nqueens --size small");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("enter: threads that join: expected 0x"), std::string::npos) << r.err << r.out;
}

TEST_F(InMachine, PackerOfLargeWarps) {
  for (const char* what : {"nqueens --size small", "--machine harp2013 bfs --size small"}) {
    const auto did = same_with("packer", std::string("--mechanism lwm ") + what);
    expect_work(did["packer"]);
    EXPECT_EQ(did["packer"]["latency_clocks"], nlohmann::json({1, 1}));
  }
}

TEST_F(InMachine, APackerThatTakesAnotherRowStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "thread_compactor.sv");
  write_file("wrong.sv", replaced(right, "= lane_row[b*Lanes + l] &", "= ~lane_row[b*Lanes + l] &"));
  const Result r = warpfold("run --mechanism lwm --rtl packer=wrong.sv nqueens --size small");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("pack: row of a thread: expected 0x"), std::string::npos) << r.err << r.out;
}

TEST_F(InMachine, LookupTablesOfHarp) {
  const auto did = same_with("ready,waiting", "--machine harp2013 --mechanism harp bfs --size small");
  expect_work(did["ready"]);
  expect_work(did["waiting"]);
}

// Without the guard that the proof has, too.
TEST_F(InMachine, LookupTablesThatMergeLanesStopTheRun) {
  for (const auto& [block, right, wrong] :
       {std::tuple{"ready", "join_lanes = rest_q & ~oldest_mask;", "join_lanes = rest_q;"},
        std::tuple{"waiting", "used[e] && same_pc && lanes_free;", "used[e] && same_pc;"}}) {
    const std::string file = fmt::format("{}.sv", block);
    write_file(file,
               replaced(read_file(fs::path(WARPFOLD_TEST_RTL) / fmt::format("{}_lookup.sv", block)), right, wrong));
    const Result r =
        warpfold(fmt::format("run --machine harp2013 --mechanism harp --rtl {}={} bfs --size small", block, file));
    EXPECT_EQ(r.status, 1) << block;
    EXPECT_NE((r.err + r.out).find(fmt::format(".{}_scheduler", block)), std::string::npos) << r.err << r.out;
    EXPECT_NE((r.err + r.out).find("the RTL differs from its C++ twin"), std::string::npos) << r.err << r.out;
  }
}

// Warps of one row, and of mixed rows; of two banks operands want one at a time.
constexpr const char* kTwoBanks = "--machine harp2013 --set core.register_banks=2 nqueens --size small";

TEST_F(InMachine, AccessOfRegistersByLane) {
  for (const char* mechanism : {"pdom", "harp"}) {
    expect_work(same_with("registers", fmt::format("--mechanism {} {}", mechanism, kTwoBanks))["registers"]);
  }
}

TEST_F(InMachine, ARegisterFileThatTakesBusyBanksStopsTheRun) {
  write_file("wrong.sv", replaced(read_file(fs::path(WARPFOLD_TEST_RTL) / "lane_register_access.sv"),
                                  "!= '0 && !busy_i[Bank];", "!= '0;"));
  const Result r = warpfold(fmt::format("run --mechanism harp --rtl registers=wrong.sv {}", kTwoBanks));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("expected none of the busy banks 0x"), std::string::npos) << r.err << r.out;
}

TEST_F(InMachine, ContextSorterOfFrontier) {
  for (const char* order : {"rpo", "depth_pc"}) {
    const auto did = same_with(
        "sorter", std::string("--mechanism frontier --set mechanism.order=") + order + " nqueens --size small");
    expect_work(did["sorter"]);
    EXPECT_EQ(did["sorter"]["latency_clocks"], nlohmann::json({2, 2}));
  }
}

TEST_F(InMachine, ASorterThatSortsWronglyStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "context_sorter.sv");
  write_file("wrong.sv", replaced(right, "assign lower[p] = pc < next_pc;", "assign lower[p] = pc > next_pc;"));
  const Result r = warpfold("run --mechanism frontier --rtl sorter=wrong.sv nqueens --size small");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("sorter"), std::string::npos) << r.err << r.out;
  EXPECT_NE((r.err + r.out).find("expected contexts depth "), std::string::npos) << r.err << r.out;
}

class EveryPacking : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryPacking, SwizzleControlOnTopOfAMechanism) {
  const auto did = same_with("swizzle", GetParam());
  expect_work(did["swizzle"]);
  EXPECT_EQ(did["swizzle"]["latency_clocks"], nlohmann::json({1, 1}));
}
INSTANTIATE_TEST_SUITE_P(
    InMachine, EveryPacking,
    testing::Values("--simd scc --mechanism pdom bfs --size small", "--simd bcc --mechanism tbc bfs --size small",
                    "--simd scc --mechanism dwf --set core.simd_width=4 nqueens --size small",
                    "--simd scc --set core.warp_size=16 --set core.simd_width=4 bfs --size small"));

TEST_F(InMachine, ALongerWaitOfTheCompactorIsTheQueues) {
  expect_work(
      same_with("compactor", "--mechanism tbc --set core.compactor.latency_cycles=5 bfs --size small")["compactor"]);
}

TEST_F(InMachine, ABlockThatNobodyUsesIsANote) {
  const auto did = same_with("compactor,adequacy,swizzle", "--mechanism pdom bfs --size small");
  for (const char* block : {"compactor", "adequacy", "swizzle"}) {
    EXPECT_EQ(did[block]["operations"], 0);
    EXPECT_NE(did[block]["note"].get<std::string>().find("did nothing"), std::string::npos);
  }
}

TEST_F(InMachine, WavesShowTheBlocksOfTheFirstCore) {
  const Result r = warpfold("run --mechanism tbc --rtl compactor,stack --waves run.fst bfs --size small");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_GT(fs::file_size(directory_ / "run.fst"), 1000U);
}

// The user's own versions.
TEST_F(InMachine, RtlThatDiffersStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "thread_compactor.sv");
  write_file("wrong.sv", replaced(right, "= lane_row[b*Lanes + l] &", "= ~lane_row[b*Lanes + l] &"));
  const Result r = warpfold("run --mechanism tbc --rtl compactor=wrong.sv bfs --size small");
  EXPECT_EQ(r.status, 1);
  const std::string said = r.err + r.out;
  EXPECT_NE(said.find("compactor"), std::string::npos) << said;
  EXPECT_NE(said.find("cycle "), std::string::npos) << said;
  EXPECT_NE(said.find("rows ["), std::string::npos) << said;
  EXPECT_NE(said.find("expected mask 0x"), std::string::npos) << said;
  EXPECT_NE(said.find("got mask 0x"), std::string::npos) << said;
  bool left = false;
  for (const auto& entry : fs::directory_iterator(directory_)) left |= entry.path().extension() == ".fst";
  EXPECT_TRUE(left) << "no waveform is left";
}

// Designs of other policies.
class OtherPolicy : public InMachine, public testing::WithParamInterface<const char*> {
 protected:
  static inline const fs::path kData = WARPFOLD_TEST_DATA;
  // The policy's files, as --rtl takes them.
  static std::string files(const std::string& pick) {
    return "compactor=" + (kData / "compactor_policy.sv").string() + "," + pick;
  }
  static std::string pick() { return kData / GetParam() / "compactor_pick.sv"; }
  // What the threads do is the same, although they do it in other warps.
  void expect_same_work(const std::string& one, const std::string& other) const {
    const auto stats = [&](const std::string& run) {
      return nlohmann::json::parse(read_file(directory_ / run / "stats.json"));
    };
    EXPECT_GT(stats(one)["total"]["thread_instructions"], 0);
    EXPECT_EQ(stats(one)["total"]["thread_instructions"], stats(other)["total"]["thread_instructions"]);
  }
};

TEST_P(OtherPolicy, RunsWholeProgramsUnderItsContract) {
  for (const char* program :
       {"--mechanism tbc bfs", "--mechanism tbc nqueens", "--machine tstbc2016 --mechanism tstbc nqueens"}) {
    const std::string what = std::string(program) + " --size small";
    const Result model = warpfold("run --out model " + what);
    ASSERT_EQ(model.status, 0) << model.err;
    const Result r = warpfold("run --out policy --rtl-check contract --rtl " + files(pick()) + " " + what);
    ASSERT_EQ(r.status, 0) << what << r.err << r.out;
    expect_same_work("model", "policy");
    const auto did = rtl("policy")["compactor"];
    EXPECT_EQ(did["check"], "contract");
    EXPECT_EQ(did["files"].size(), 2U);
    const auto policy = did["policy"];
    EXPECT_GE(policy["warps"]["rtl"], policy["warps"]["model"]) << policy;
    EXPECT_GE(policy["cycles"]["rtl"], policy["cycles"]["model"]) << policy;
    if (std::string(GetParam()) == "two_rows") {
      EXPECT_GT(policy["warps"]["rtl"], policy["warps"]["model"]);
      EXPECT_LE(policy["rows_of_warps"]["rtl"].get<double>(), 2 * policy["warps"]["rtl"].get<double>());
    }
    EXPECT_GT(did["exercised"]["requests_that_regroup"], 0);
    EXPECT_EQ(did["latency_clocks"][0], 2);
  }
}

TEST_P(OtherPolicy, IsRefusedWhereEqualityIsAskedFor) {
  const Result r = warpfold("run --mechanism tbc --rtl " + files(pick()) + " bfs --size small");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("differs from its C++ twin"), std::string::npos) << r.err << r.out;
}

// A bug in one row: in the first run that comes to it.
TEST_P(OtherPolicy, ABugInOneRowIsCaught) {
  const std::string right = read_file(pick());
  const std::string row = "row_o[l*RowWidth +: RowWidth] = RowWidth'(r);",
                    after = "waiting_i[r*Lanes +: Lanes] & ~chosen;";
  const struct {
    const char *from, *to, *rule;
  } bugs[] = {
      {row.c_str(), "row_o[l*RowWidth +: RowWidth] = RowWidth'(r == 1 ? 0 : r);",
       "each thread leaves once, in its lane"},
      {after.c_str(), "waiting_i[r*Lanes +: Lanes] & ~(r == 1 ? '0 : chosen);", "each thread leaves once, in its lane"},
      {after.c_str(), "waiting_i[r*Lanes +: Lanes] & ~(r == 1 ? '1 : chosen);",
       "the last warp leaves no thread behind"},
  };
  for (const auto& bug : bugs) {
    write_file("wrong.sv", replaced(right, bug.from, bug.to));
    const Result r =
        warpfold("run --mechanism tbc --rtl-check contract --rtl " + files("wrong.sv") + " bfs --size small");
    EXPECT_EQ(r.status, 1) << bug.to;
    const std::string said = r.err + r.out;
    EXPECT_NE(said.find("the RTL breaks its contract at clock "), std::string::npos) << said;
    EXPECT_NE(said.find(bug.rule), std::string::npos) << said;
    EXPECT_NE(said.find("; waveform: "), std::string::npos) << said;
  }
}
INSTANTIATE_TEST_SUITE_P(InMachine, OtherPolicy, testing::Values("highest_rows", "two_rows"));

TEST_F(InMachine, ContractsOfTheOtherBlocks) {
  const auto run = [&](const std::string& what) {
    const Result r = warpfold("run --out run --rtl-check contract " + what + " nqueens --size small");
    EXPECT_EQ(r.status, 0) << r.err << r.out;
    return rtl("run");
  };
  EXPECT_GT(run("--rtl compactor,stack --mechanism tbc")["stack"]["exercised"]["branch"], 0);
  EXPECT_GT(run("--rtl adequacy --machine tstbc2016 --mechanism capri")["adequacy"]["operations"], 0);
  const std::string control = read_file(fs::path(WARPFOLD_TEST_RTL) / "swizzle_control.sv");
  const auto swizzled = run("--rtl swizzle --simd scc")["swizzle"]["exercised"];
  EXPECT_GT(swizzled["masks_with_lanes_moved"], 0);
  // One that goes quad by quad where SCC would swizzle takes more cycles, which the machine waits for.
  write_file("quads.sv", std::regex_replace(control, std::regex("Swizzle != 0"), "1'b0"));
  const auto quads = run("--rtl swizzle=quads.sv --simd scc")["swizzle"]["exercised"];
  EXPECT_EQ(quads["masks_with_lanes_moved"], 0);
  EXPECT_NE(quads["cycles_per_mask"], swizzled["cycles_per_mask"]);
  // One that lets contexts of a place stay apart: they meet in the list.
  const std::string sorter = read_file(fs::path(WARPFOLD_TEST_RTL) / "context_sorter.sv");
  write_file("apart.sv", replaced(sorter, "there[p] && there[Next] && pc == next_pc;", "1'b0;"));
  EXPECT_EQ(run("--rtl sorter=apart.sv --mechanism frontier")["sorter"]["exercised"]["merges"], 0);
  EXPECT_GT(run("--rtl sorter --mechanism frontier")["sorter"]["exercised"]["merges"], 0);
}

// What a pass does not say.
TEST_F(InMachine, WhatWasNotExercisedIsSaid) {
  const auto did = same_with("compactor,stack", "--mechanism tbc bfs --size small");
  EXPECT_EQ(did["compactor"]["check"], "cycle");
  const auto rows = did["compactor"]["exercised"]["rows_per_request"];
  std::uint64_t requests = 0;
  for (const auto& [size, times] : rows.items()) requests += times.get<std::uint64_t>();
  EXPECT_EQ(requests, did["compactor"]["operations"]);
  const auto none = did["compactor"]["not_exercised"];
  EXPECT_NE(std::find(none.begin(), none.end(), "clocks_a_warp_waits"), none.end()) << none;
  EXPECT_NE(did["stack"]["not_exercised"].dump().find("stacks_overflowed"), std::string::npos);
}

// A version whose warps come a clock later: the same warps, another number of cycles.
TEST_F(InMachine, AnotherLatencyIsReportedOrForbidden) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "thread_compactor.sv");
  const std::string inner = replaced(right, "module thread_compactor", "module inner_compactor");
  const std::string slow = inner + R"(
`default_nettype none
// Takes a request a clock before it hands it on.
module thread_compactor #(
  parameter int Lanes = 32,
  parameter int Rows = 32,
  localparam int RowWidth = simt_pkg::idx_width(Rows)
) (
  input wire clk_i, input wire rst_ni,
  input wire req_valid_i, output logic req_ready_o, input wire req_regroup_i,
  input wire [Rows*Lanes-1:0] req_threads_i,
  output logic warp_valid_o, input wire warp_ready_i, output logic [Lanes-1:0] warp_mask_o,
  output logic [Lanes*RowWidth-1:0] warp_row_o, output logic warp_last_o
);
  logic full_q, regroup_q, ready;
  logic [Rows*Lanes-1:0] threads_q;
  assign req_ready_o = !full_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= 1'b0;
    else if (full_q) full_q <= !ready;
    else full_q <= req_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (!full_q) begin
      threads_q <= req_threads_i;
      regroup_q <= req_regroup_i;
    end
  end
  inner_compactor #(.Lanes(Lanes), .Rows(Rows)) u_inner (
    .clk_i, .rst_ni, .req_valid_i(full_q), .req_ready_o(ready), .req_regroup_i(regroup_q), .req_threads_i(threads_q),
    .warp_valid_o, .warp_ready_i, .warp_mask_o, .warp_row_o, .warp_last_o
  );
endmodule
`default_nettype wire
)";
  write_file("slow.sv", slow);
  const Result allowed = warpfold("run --mechanism tbc --out slow --rtl compactor=slow.sv bfs --size small");
  ASSERT_EQ(allowed.status, 0) << allowed.err << allowed.out;
  EXPECT_EQ(rtl("slow")["compactor"]["latency_clocks"][1], 2);
  EXPECT_EQ(rtl("slow")["compactor"]["model_latency_clocks"], 1);
  EXPECT_GT(rtl("slow")["compactor"]["late_cycles"], 0);
  const Result forbidden = warpfold("run --mechanism tbc --rtl compactor=slow.sv --rtl-check cycle bfs --size small");
  EXPECT_EQ(forbidden.status, 1);
  EXPECT_NE((forbidden.err + forbidden.out).find("in cycle"), std::string::npos) << forbidden.err << forbidden.out;
}

// A block without a twin, on signals of every core.
TEST_F(InMachine, AHungBlockIsObserved) {
  const std::string data = WARPFOLD_TEST_DATA, probe = data + "/branch_probe.sv:" + data + "/branch_probe.yaml";
  const Result model = warpfold("run --out model bfs --size small");
  ASSERT_EQ(model.status, 0) << model.err;
  const Result r = warpfold("run --out run --rtl-block " + probe + " --waves run.fst bfs --size small");
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  EXPECT_TRUE(read_file(directory_ / "model/stats.json") == read_file(directory_ / "run/stats.json"));
  const auto total = nlohmann::json::parse(read_file(directory_ / "run/stats.json"))["total"];
  const auto did = rtl("run")["observer:branch_probe"];
  EXPECT_EQ(did["outputs"]["issue_o"]["high_clocks"], total["warp_instructions"]) << did;
  EXPECT_EQ(did["outputs"]["diverges_o"]["high_clocks"], total["divergent_branches"]) << did;
  EXPECT_GE(did["clocks"], total["warp_instructions"]);
  EXPECT_NE(did["outputs"]["branches_o"]["last"][0], "0x0");
  EXPECT_GT(fs::file_size(directory_ / "run.fst"), 1000U);
}

TEST_F(InMachine, MistakesInAListOfPortsAreOneLine) {
  const std::string data = WARPFOLD_TEST_DATA, right = read_file(data + "/branch_probe.yaml");
  const auto error = [&](const std::string& list) {
    write_file("ports.yaml", list);
    const Result r = warpfold("run --rtl-block " + data + "/branch_probe.sv:ports.yaml bfs --size small");
    EXPECT_EQ(r.status, 2) << r.out;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    return r.err;
  };
  EXPECT_NE(error(replaced(right, "branch_taken", "branch_taken_mask")).find("a core has no such signal"),
            std::string::npos);
  EXPECT_NE(error(replaced(right, "taken_i:", "took_i:")).find("has no port took_i"), std::string::npos);
  EXPECT_NE(error(replaced(right, "issue_mask", "issue_warp"))
                .find("port mask_i of module branch_probe is an input of 32 bits, where an input of 16 bits"),
            std::string::npos);
  EXPECT_NE(error(replaced(right, "  branch_i: branch\n", "")).find("has a port branch_i that nothing drives"),
            std::string::npos);
  EXPECT_NE(error(replaced(right, "Lanes: 32", "Lanes: many")).find("must be a number"), std::string::npos);
  EXPECT_NE(error("inputs: {}\n").find("module"), std::string::npos);
  const Result r = warpfold("run --rtl-block my.sv bfs --size small");
  EXPECT_NE(r.err.find("--rtl-block my.sv: must be files and a list of ports"), std::string::npos) << r.err;
}

// A design in VHDL, by GHDL's synthesis.
TEST_F(InMachine, VhdlRunsWhereGhdlIsInstalled) {
  if (std::system("command -v ghdl > /dev/null") != 0) GTEST_SKIP() << "ghdl is not installed (ghdl-mcode)";
  const std::string design = fs::path(WARPFOLD_TEST_DATA) / "compactor_highest.vhd";
  const Result r =
      warpfold("run --mechanism tbc --out run --rtl-check contract --rtl compactor=" + design + " bfs --size small");
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  EXPECT_GT(rtl("run")["compactor"]["policy"]["warps"]["rtl"], 0);
  write_file("wrong.vhd",
             replaced(read_file(design), "signal busy, together, last : std_logic;", "signal busy : std_logic;"));
  const Result wrong = warpfold("run --mechanism tbc --rtl compactor=wrong.vhd bfs --size small");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("wrong.vhd:"), std::string::npos) << wrong.err;
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
}

TEST_F(InMachine, MistakesAreOneLine) {
  const auto error = [&](const std::string& arguments) {
    const Result r = warpfold("run " + arguments + " bfs --size small");
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    return r.err;
  };
  EXPECT_NE(error("--rtl compacter").find("compactor"), std::string::npos);
  EXPECT_NE(error("--rtl compactor,compactor").find("twice"), std::string::npos);
  EXPECT_NE(error("--rtl compactor=").find("such as"), std::string::npos);
  EXPECT_NE(error("--rtl compactor=nowhere.sv").find("nowhere.sv"), std::string::npos);
  EXPECT_NE(error("--waves run.fst").find("--rtl"), std::string::npos);
  EXPECT_NE(error("--mechanism tbc --rtl compactor --waves nowhere/run.fst").find("nowhere/run.fst: cannot write"),
            std::string::npos);
  EXPECT_NE(error("--rtl compactor --timing functional").find("--timing cycle"), std::string::npos);
  EXPECT_NE(error("--rtl compactor --rtl-check never").find("--rtl-check"), std::string::npos);
  write_file("list.f", "+incdir+here\n");
  EXPECT_NE(error("--rtl compactor=list.f").find("list.f:1: +incdir+here"), std::string::npos);
  write_file("broken.sv", "module thread_compactor (input wire clk_i;\nendmodule\n");
  EXPECT_NE(error("--mechanism tbc --rtl compactor=broken.sv").find("broken.sv:1"), std::string::npos);
}

}  // namespace
}  // namespace warpfold
