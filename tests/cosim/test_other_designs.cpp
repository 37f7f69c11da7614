// SPDX-License-Identifier: Apache-2.0
// Designs of the user's inside the whole machine: of other policies and latencies, without a twin, in VHDL; and what a
// run says that it has exercised.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tests/cosim/in_machine.h"

namespace warpfold {
namespace other_designs_test {

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
  for (const char* program : {"--mechanism tbc bfs", "--mechanism tbc nqueens-divergent",
                              "--machine tstbc2016 --mechanism tstbc nqueens-divergent"}) {
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
    // Further warps, a first one, and one whose request came while another was at work.
    EXPECT_EQ(did["latency_clocks"][0], 1);
    EXPECT_EQ(did["latency_clocks"][1], 3);
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
    const Result r = warpfold("run --out run --rtl-check contract " + what + " nqueens-divergent --size small");
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

// Properties that a design says are to be covered are states as ours are: over all cores, by name; those that never
// came.
TEST_F(InMachine, ADesignsOwnCoverPropertiesAreCounted) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "wct_predictor.sv");
  write_file(
      "covered.sv",
      std::regex_replace(right, std::regex("\nendmodule"),
                         "\n  taken: cover property (@(posedge clk_i) disable iff (!rst_ni) op_valid_i && op_ready_o);"
                         "\n  unknown: cover property (@(posedge clk_i) op_valid_i && op_kind_i == 2'd3);\nendmodule"));
  const std::string what =
      "--machine tstbc2016 --mechanism capri --rtl predictor=covered.sv nqueens-divergent --size small";
  for (const char* waves : {"", "--waves run.fst "}) {
    const Result r = warpfold("run --out run " + std::string(waves) + what);
    ASSERT_EQ(r.status, 0) << r.err << r.out;
    const auto did = rtl("run")["predictor"];
    std::uint64_t taken = 0;
    for (const auto& [state, times] : did["exercised"].items()) {
      if (std::regex_match(state, std::regex("cover covered.sv:\\d+ taken"))) taken = times;
    }
    EXPECT_EQ(taken, did["operations"]) << did;
    EXPECT_TRUE(std::regex_search(did["not_exercised"].dump(), std::regex("cover covered.sv:\\d+ unknown"))) << did;
  }
  EXPECT_NE(warpfold("coverage run").out.find("unknown"), std::string::npos);
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

// A design of several units in VHDL, by GHDL's synthesis. Its choices have what GHDL 2.0 forgets in Verilog.
TEST_F(InMachine, VhdlRuns) {
  const std::string design = fs::path(WARPFOLD_TEST_DATA) / "compactor_highest.vhd";
  const Result r =
      warpfold("run --mechanism tbc --out run --rtl-check contract --rtl compactor=" + design + " bfs --size small");
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  EXPECT_GT(rtl("run")["compactor"]["policy"]["warps"]["rtl"], 0);
  EXPECT_EQ(rtl("run")["compactor"]["latency_clocks"][1], 3);  // with one of another request before it
  write_file("wrong.vhd",
             replaced(read_file(design), "signal together, last : std_logic;", "signal last : std_logic;"));
  const Result wrong = warpfold("run --mechanism tbc --rtl compactor=wrong.vhd bfs --size small");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("wrong.vhd:"), std::string::npos) << wrong.err;
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
}

// Packages, interfaces, macros and folders of a list of files, which scripts/rtl-* take, too (tests/rtl/frontend.sh).
TEST_F(InMachine, AListOfFilesRuns) {
  const std::string list = fs::path(WARPFOLD_TEST_RTL) / "../tests/rtl/data/modern/design.f";
  const Result r = warpfold("run --mechanism tbc --out run --rtl-check contract --rtl compactor=" + list +
                            ",stack bfs --size small");
  ASSERT_EQ(r.status, 0) << r.err << r.out;
  EXPECT_GT(rtl("run")["compactor"]["policy"]["warps"]["rtl"], 0);
  EXPECT_EQ(rtl("run")["compactor"]["files"].size(), 4U) << rtl("run")["compactor"];
}

}  // namespace other_designs_test
}  // namespace warpfold
