// SPDX-License-Identifier: Apache-2.0
// RTL blocks in the place of the C++ ones, and beside them, inside the whole machine: the statistics of real programs
// are the same bytes, and RTL that does something else stops the run.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/cosim/fst_text.h"
#include "tests/cosim/in_machine.h"

namespace warpfold {
namespace in_machine_test {

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
  const auto did = same_with("compactor,adequacy", std::string("--machine tstbc2016 --mechanism ") + GetParam() +
                                                       " nqueens-divergent --size small");
  expect_work(did["compactor"]);
  expect_work(did["adequacy"]);
  EXPECT_EQ(did["adequacy"]["latency_clocks"], nlohmann::json({2, 2}));
}
INSTANTIATE_TEST_SUITE_P(InMachine, EveryAdequacy, testing::Values("capri", "tstbc"));

// A pass says how deep stacks were, and that no table was full.
TEST_F(InMachine, DepthsAndFullTablesThatNoProgramReachedAreNamed) {
  const auto named = [&](const std::string& what, const std::string& block) {
    EXPECT_EQ(warpfold("run --out run " + what).status, 0);
    const auto did = rtl("run")[block];
    std::set<std::string> names;
    for (const auto& name : did["not_exercised"]) names.insert(name.get<std::string>());
    EXPECT_GT(did["operations"], 0) << did;
    return names;
  };
  const auto stack = named("--rtl warp-stack --mechanism pdom bfs --size small", "warp-stack");
  for (const char* name : {"entries_of_stacks 4-32", "stacks_filled", "stacks_overflowed", "slots_of_warps 8-31"}) {
    EXPECT_EQ(stack.count(name), 1U) << name;
  }
  EXPECT_EQ(stack.count("branches_that_replace_the_top"), 0U);
  const auto ready = named("--rtl ready --machine harp2013 --mechanism harp nqueens-divergent --size small", "ready");
  for (const char* name : {"entries_in_use 3-8", "tables_filled", "sides_that_find_it_full", "sides_that_join"}) {
    EXPECT_EQ(ready.count(name), 1U) << name;
  }
}

// Every depth, the last entry, and one more than there are.
TEST_F(InMachine, ADeepProgramFillsTheStacks) {
  const std::string program = " -- " DEEP_PROGRAM;
  const auto warps = same_with("warp-stack", "--mechanism pdom" + program)["warp-stack"]["exercised"];
  for (unsigned depth = 1; depth <= 32; ++depth) {
    EXPECT_GT(warps["entries_of_stacks"][std::to_string(depth)], 0) << depth;
  }
  EXPECT_GT(warps["stacks_filled"], 0);
  EXPECT_EQ(warps["stacks_overflowed"], 0);
  const auto beyond = same_with("warp-stack", "--mechanism pdom" + program + " beyond")["warp-stack"];
  EXPECT_GT(beyond["exercised"]["stacks_overflowed"], 0) << beyond;
  const auto block = same_with("stack", "--mechanism tbc" + program)["stack"]["exercised"];
  EXPECT_GT(block["stacks_filled"], 0) << block;
  EXPECT_GT(block["stacks_overflowed"], 0) << block;
}

class EveryWarpStack : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryWarpStack, WarpStackOfReconvergence) {
  expect_work(same_with("warp-stack", std::string("--mechanism ") + GetParam() + " bfs --size small")["warp-stack"]);
}
INSTANTIATE_TEST_SUITE_P(InMachine, EveryWarpStack, testing::Values("pdom", "pdom-lcp"));

TEST_F(InMachine, TokenStackThatSpills) {
  const auto did = same_with("token-stack",
                             "--machine kepler-token --mechanism token-stack --set mechanism.on_chip_tokens=3 --set "
                             "mechanism.spill_tokens=2 nqueens-divergent "
                             "--size small");
  expect_work(did["token-stack"]);
  for (const char* what : {"spills", "reloads"}) EXPECT_GT(did["token-stack"]["exercised"][what], 0) << what;
}

TEST_F(InMachine, PredictorOfCapri) {
  // A table whose branches share entries.
  expect_work(same_with(
      "predictor", "--mechanism capri --set mechanism.table_entries=2 nqueens-divergent --size small")["predictor"]);
}

// Places that share an entry, and meetings that save nothing.
TEST_F(InMachine, IgnoreListOfWarpResizing) {
  const auto did = same_with("ignore-list", "--mechanism dwr --set mechanism.ignore=2 bfs --size small")["ignore-list"];
  expect_work(did);
  for (const char* what : {"places_looked_up_and_ignored", "places_that_replace_another"}) {
    EXPECT_GT(did["exercised"][what], 0) << what;
  }
}

// A table with room for all, and one that is often full; splits that pass branches meet, others wait.
TEST_F(InMachine, SplitTableOfWarpSubdivision) {
  const auto run = [&](const std::string& more) {
    const auto did = same_with("split-table", "--mechanism dws " + more + " bfs --size small")["split-table"];
    expect_work(did);
    return did["exercised"];
  };
  EXPECT_GT(run("")["splits_that_join"], 0);
  const auto few = run("--set mechanism.splits=4");
  for (const char* what : {"tables_filled", "rows_without_room", "whole_rows_with_one_entry_left"}) {
    EXPECT_GT(few[what], 0) << what;
  }
  EXPECT_EQ(run("--set mechanism.beyond=limited")["meet"], 0);
}

// Pools of the core and of blocks; of the most threads, and the oldest.
TEST_F(InMachine, PoolTableOfSpareTimeCompaction) {
  const auto core = same_with("pool-table", "--mechanism stc nqueens-divergent --size small")["pool-table"];
  expect_work(core);
  for (const char* what :
       {"pools_that_get_all_lanes", "pools_given_in_part", "picks_by_threads", "pools_that_waited_too_long"}) {
    EXPECT_GT(core["exercised"][what], 0) << what;
  }
  const auto blocks = same_with("pool-table",
                                "--mechanism stc --set mechanism.scope=block --set mechanism.pick=oldest --set "
                                "mechanism.pools=2 bfs --size small")["pool-table"];
  expect_work(blocks);
  for (const char* what : {"tables_filled", "warps_that_find_no_pool", "picks_by_age"}) {
    EXPECT_GT(blocks["exercised"][what], 0) << what;
  }
  // What the RTL does not decide is left to the model.
  const auto awaited = same_with(
      "pool-table", "--mechanism stc --set mechanism.pick=awaited --set mechanism.release=late bfs --size small");
  EXPECT_EQ(awaited["pool-table"]["exercised"]["pick"], 0);
}

// One set, and several of two schedulers.
TEST_F(InMachine, MaskFitPickerOfWarpInterweaving) {
  const auto all = same_with("mask-fit", "--mechanism swi nqueens-divergent --size small")["mask-fit"];
  expect_work(all);
  EXPECT_EQ(all["latency_clocks"], nlohmann::json({2, 2}));
  for (const char* what : {"several_fit", "others_have_as_many_lanes", "ready_warps_none_of_which_fits"}) {
    EXPECT_GT(all["exercised"][what], 0) << what;
  }
  expect_work(same_with("mask-fit",
                        "--machine tstbc2016 --mechanism swi --set mechanism.sets=2 nqueens-divergent "
                        "--size small")["mask-fit"]);
}

// The seeded bugs of proofs.
TEST_F(InMachine, ShadowsWithoutTheirGuardsStopTheRun) {
  for (const auto& [block, module, from, to, run] :
       {std::tuple{"warp-stack", "warp_stack", "assign replaced = top_q.rpc == op_q.rpc;", "assign replaced = 1'b0;",
                   "--mechanism pdom"},
        std::tuple{"token-stack", "token_stack", "assign fall = op_active_i & ~op_lanes_i;",
                   "assign fall = ~op_lanes_i;", "--mechanism token-stack"},
        std::tuple{"predictor", "wct_predictor", "assign adequate = read_tag != tag || read_adequate;",
                   "assign adequate = read_adequate;", "--mechanism capri --set mechanism.table_entries=2"}}) {
    const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / fmt::format("{}.sv", module));
    write_file("wrong.sv", replaced(right, from, to));
    const Result r = warpfold(fmt::format("run {} --rtl {}=wrong.sv nqueens-divergent --size small", run, block));
    EXPECT_EQ(r.status, 1) << block;
    EXPECT_NE((r.err + r.out).find(fmt::format("{}: the RTL differs", block)), std::string::npos) << r.err << r.out;
  }
}

TEST_F(InMachine, BarrierTableOfHarp) {
  const auto did =
      same_with("barriers", "--machine harp2013 --mechanism harp nqueens-divergent --size small")["barriers"];
  expect_work(did);
  EXPECT_NE(did["not_exercised"].dump().find("leaves_that_complete_a_barrier"), std::string::npos) << did;
  EXPECT_GT(did["exercised"]["reaches_that_complete_a_barrier"], 0);
}

class EveryWarpPool : public InMachine, public testing::WithParamInterface<const char*> {};

TEST_P(EveryWarpPool, WarpPoolOfDynamicWarpFormation) { expect_work(same_with("pool", GetParam())["pool"]); }
// At the end with a table that is often full, and with two schedulers.
INSTANTIATE_TEST_SUITE_P(InMachine, EveryWarpPool,
                         testing::Values("--mechanism dwf bfs --size small",
                                         "--mechanism dwf-wb nqueens-divergent --size small",
                                         "--mechanism dwf --set mechanism.lut_entries=3 nqueens-divergent --size small",
                                         "--machine tstbc2016 --mechanism dwf nqueens-divergent --size small"));

TEST_F(InMachine, AWarpPoolWhoseThreadsLoseTheirLanesStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "warp_pool.sv");
  write_file("wrong.sv", replaced(right, "? op_mask_i & ~word.lanes :", "? op_mask_i :"));
  const Result r =
      warpfold("run --mechanism dwf --rtl pool=wrong.sv --set mechanism.lut_entries=3 nqueens-divergent --size small");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("enter: threads that join: expected 0x"), std::string::npos) << r.err << r.out;
}

TEST_F(InMachine, PackerOfLargeWarps) {
  for (const char* what : {"nqueens-divergent --size small", "--machine harp2013 bfs --size small"}) {
    const auto did = same_with("packer", std::string("--mechanism lwm ") + what);
    expect_work(did["packer"]);
    EXPECT_EQ(did["packer"]["latency_clocks"], nlohmann::json({1, 1}));
    EXPECT_TRUE(did["packer"]["exercised"].contains("subwarps_per_request"));
  }
}

TEST_F(InMachine, APackerThatTakesAnotherRowStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "thread_compactor.sv");
  write_file("wrong.sv", replaced(right, "assign made_row = lane_row;", "assign made_row = ~lane_row;"));
  const Result r =
      warpfold("run --mechanism lwm --rtl packer=wrong.sv --set core.max_threads=256 nqueens-divergent --size small");
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

// Two banks for each of eight lanes, quickly compiled.
constexpr const char* kBanksByLane =
    "--set core.warp_size=8 --set core.simd_width=8 --set core.register_banks=2 --set core.register_file.decoder=lane";

// Warps of one row, and of mixed rows.
TEST_F(InMachine, AccessOfRegistersByLane) {
  for (const char* mechanism : {"pdom", "tbc"}) {
    const auto did =
        same_with("registers", fmt::format("--mechanism {} {} bfs --size small", mechanism, kBanksByLane))["registers"];
    expect_work(did);
    for (const char* what : {"accesses_of_one_clock", "accesses_of_several_clocks", "clocks_beside_other_accesses"}) {
      EXPECT_GT(did["exercised"][what], 0) << what;
    }
    EXPECT_EQ(did["exercised"]["accesses_of_mixed_rows"] > 0, std::string("tbc") == mechanism) << did;
  }
}

TEST_F(InMachine, ARegisterFileThatTakesBusyBanksStopsTheRun) {
  write_file("wrong.sv", replaced(read_file(fs::path(WARPFOLD_TEST_RTL) / "lane_register_access.sv"),
                                  "!= '0 && !busy_i[Bank];", "!= '0;"));
  const Result r =
      warpfold(fmt::format("run --mechanism tbc --rtl registers=wrong.sv {} bfs --size small", kBanksByLane));
  EXPECT_EQ(r.status, 1);
  EXPECT_NE((r.err + r.out).find("none of the busy banks"), std::string::npos) << r.err << r.out;
}

TEST_F(InMachine, ContextSorterOfFrontier) {
  for (const char* order : {"rpo", "depth_pc"}) {
    const auto did = same_with("sorter", std::string("--mechanism frontier --set mechanism.order=") + order +
                                             " nqueens-divergent --size small");
    expect_work(did["sorter"]);
    EXPECT_EQ(did["sorter"]["latency_clocks"], nlohmann::json({2, 2}));
  }
}

TEST_F(InMachine, ASorterThatSortsWronglyStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "context_sorter.sv");
  write_file("wrong.sv", replaced(right, "assign lower[p] = pc < next_pc;", "assign lower[p] = pc > next_pc;"));
  const Result r = warpfold("run --mechanism frontier --rtl sorter=wrong.sv nqueens-divergent --size small");
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
                    "--simd scc --mechanism dwf --set core.simd_width=4 nqueens-divergent --size small",
                    "--simd scc --set core.warp_size=16 --set core.simd_width=4 bfs --size small"));

// Beside the model's control, and beside its RTL, whose clocks are to count as without them.
TEST_F(InMachine, CrossbarsOfSwizzledLanes) {
  for (const char* also : {"", "swizzle,"}) {
    const auto did = same_with(std::string(also) + "operand-crossbar,result-crossbar",
                               "--simd scc --set core.warp_size=16 --set core.simd_width=4 bfs --size small");
    for (const char* block : {"operand-crossbar", "result-crossbar"}) {
      expect_work(did[block]);
      EXPECT_GT(did[block]["exercised"]["masks_with_lanes_moved"], 0) << block;
    }
  }
}

TEST_F(InMachine, CrossbarsThatConfuseLanesStopTheRun) {
  for (const auto& [block, top, right, wrong, said] :
       {std::tuple{"operand-crossbar", "swizzle_crossbar", "data_valid_i ? data_i : data_q;", "data_i;",
                   "lane 0 of the unit"},
        std::tuple{"result-crossbar", "unswizzle_crossbar", "from &= set_enable_i[n];", ";",
                   "lanes that are written"}}) {
    write_file("wrong.sv", replaced(read_file(fs::path(WARPFOLD_TEST_RTL) / fmt::format("{}.sv", top)), right, wrong));
    const Result r = warpfold(fmt::format("run --simd scc --rtl {}=wrong.sv bfs --size small", block));
    EXPECT_EQ(r.status, 1) << block;
    EXPECT_NE((r.err + r.out).find("the RTL differs from its C++ twin"), std::string::npos) << r.err << r.out;
    EXPECT_NE((r.err + r.out).find(said), std::string::npos) << r.err << r.out;
  }
}

TEST_F(InMachine, ALongerWaitOfTheCompactorIsTheQueues) {
  expect_work(
      same_with("compactor", "--mechanism tbc --set core.compactor.latency_cycles=5 bfs --size small")["compactor"]);
}

// From the program to the figure: what switched in its run costs energy, more of it where more ran.
TEST_F(InMachine, EnergyOfLogicOfRecordedRuns) {
  const auto pj = [&](const std::string& program) {
    const Result r = warpfold(
        fmt::format("run --set core.warp_size=4 --set core.simd_width=4 --set core.max_threads=256 --rtl warp-stack "
                    "--waves {0}.fst --out {0}/pdom {0} --size small",
                    program));
    EXPECT_EQ(r.status, 0) << r.err << r.out;
    const Result area = warpfold(fmt::format("area --results {} --lib osu018 --table runs --json", program));
    EXPECT_EQ(area.status, 0) << area.err;
    const nlohmann::json run = nlohmann::json::parse(area.out)[0];
    EXPECT_EQ(run.at("lower_bound"), false) << "the mechanism's only block was recorded";
    const nlohmann::json stats = nlohmann::json::parse(read_file(directory_ / program / "pdom/stats.json"))["total"];
    const double mj = run.at("logic_mj"), tables_mj = run.at("table_mj"), instructions = stats["thread_instructions"];
    EXPECT_GT(mj, 0);
    EXPECT_NEAR(run.at("thread_pj").get<double>(), 1e9 * (mj + tables_mj) / instructions, 1e-3);
    return 1e9 * mj / rtl(program + "/pdom")["warp-stack"]["clocks"].get<double>();
  };
  // Of one block on one library: what differs is how often its bits switch.
  const double nqueens = pj("nqueens-divergent"), bfs = pj("bfs");
  EXPECT_GT(nqueens / bfs, 0.5);
  EXPECT_LT(nqueens / bfs, 2);
  EXPECT_NE(nqueens, bfs);
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
  const cosim::FstFile waves(directory_ / "run.fst", WARPFOLD_TEST_CACHE);
  const auto value = [](const std::string& bits) { return std::stoull(bits, nullptr, 2); };
  // A warp leaves with each clock of a request, and the machine's cycle goes with it.
  const cosim::Changes& masks = waves["core0.thread_compactor_sockets.warp_mask"];
  EXPECT_GT(masks.size(), 50U);
  const cosim::Changes& cycles = waves["core0.thread_compactor_sockets.cycle"];
  ASSERT_GT(cycles.size(), masks.size() / 2);
  std::uint64_t before = 0;
  for (auto cycle = std::next(cycles.begin()); cycle != cycles.end(); ++cycle) {
    EXPECT_GT(value(cycle->second), before);
    before = value(cycle->second);
  }
  std::set<std::string> asked;
  for (const auto& [time, name] : waves["core0.stack_block0_sockets.operation"]) asked.insert(name);
  EXPECT_GE(asked.size(), 4U) << "start, branch, arrive, exit";
}

// What they are was asked once; another that is put in their place is asked again.
TEST_F(InMachine, ToolsAreAskedWhatTheyAreOnce) {
  const std::string tool = directory_ / "bin/verilator", asked = directory_ / "asked";
  const auto install = [&](const std::string& more) {
    write_file("bin/verilator", "#!/bin/sh\necho x >> '" + asked + "'\n" + more + "exec /usr/bin/verilator \"$@\"\n");
    fs::permissions(tool, fs::perms::owner_all);
  };
  environment_ += " PATH='" + (directory_ / "bin").string() + ":/usr/bin:/bin'";
  const auto times_asked = [&] {
    const Result r = warpfold("run --rtl compactor --mechanism tbc bfs --size small");
    EXPECT_EQ(r.status, 0) << r.err;
    return read_file(asked).size();
  };
  install("");
  const std::size_t once = times_asked();
  EXPECT_GT(once, 0U);
  EXPECT_EQ(times_asked(), once);
  install("# another\n");
  EXPECT_GT(times_asked(), once);
}

// The user's own versions.
TEST_F(InMachine, RtlThatDiffersStopsTheRun) {
  const std::string right = read_file(fs::path(WARPFOLD_TEST_RTL) / "thread_compactor.sv");
  write_file("wrong.sv", replaced(right, "assign made_row = lane_row;", "assign made_row = ~lane_row;"));
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
  write_file("list.f", "-f list.f\n");
  EXPECT_NE(error("--rtl compactor=list.f").find("list.f:1: list.f: includes itself"), std::string::npos);
  write_file("broken.sv", "module thread_compactor (input wire clk_i;\nendmodule\n");
  EXPECT_NE(error("--mechanism tbc --rtl compactor=broken.sv").find("broken.sv:1"), std::string::npos);
}

}  // namespace in_machine_test
}  // namespace warpfold
