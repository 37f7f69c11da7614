// SPDX-License-Identifier: Apache-2.0
// RTL blocks in the place of the C++ ones, and beside them, inside the whole machine: the statistics of real programs
// are the same bytes, and RTL that does something else stops the run.
#include <algorithm>
#include <nlohmann/json.hpp>

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

  // Runs `what` with and without `blocks` and returns what the RTL did.
  nlohmann::json same_with(const std::string& blocks, const std::string& what) const {
    const Result model = warpfold("run --out model " + what);
    EXPECT_EQ(model.status, 0) << model.err;
    const Result rtl_run = warpfold("run --out rtl --rtl " + blocks + " --rtl-check cycle " + what);
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

class EveryAdequacy : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryAdequacy, CompactorAndAdequacyUnit) {
  const auto did = same_with("compactor,adequacy",
                             std::string("--machine tstbc2016 --mechanism ") + GetParam() + " nqueens --size small");
  expect_work(did["compactor"]);
  expect_work(did["adequacy"]);
  EXPECT_EQ(did["adequacy"]["latency_clocks"], nlohmann::json({2, 2}));
}
INSTANTIATE_TEST_SUITE_P(InMachine, EveryAdequacy, testing::Values("capri", "tstbc"));

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
  write_file("broken.sv", "module thread_compactor (input wire clk_i;\nendmodule\n");
  EXPECT_NE(error("--mechanism tbc --rtl compactor=broken.sv").find("broken.sv:1"), std::string::npos);
}

}  // namespace
}  // namespace warpfold
