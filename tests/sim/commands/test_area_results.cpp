// SPDX-License-Identifier: Apache-2.0
// `warpfold area --results`: what mechanisms cost beside what they gain; and RTL blocks through synthesis.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "tests/sim/area_fixture.h"
#include "warpfold/area/scaling.h"

namespace warpfold {
namespace area_results_test {

namespace fs = std::filesystem;

class AreaResults : public AreaCommandLine {};

TEST_F(AreaResults, TimeAndPerformancePerAreaOfRuns) {
  without_synthesis();
  run("made", "pdom", {{"cycles", 3'000'000}, {"divergent_branches", 1000}, {"warp_instructions", 4000}});
  run("made", "dwf",
      {{"cycles", 2'000'000},
       {"dwf_lut_lookups", 500},
       {"warp_instructions", 4000},
       {"dwf_warps_formed", 300},
       {"dwf_lut_hits", 200}});
  const Json tables = area("--results results --die 400");
  const Json& pdom = tables.at("runs")[0];
  const Json& dwf = tables.at("runs")[1];
  EXPECT_EQ(pdom.at("mechanism"), "pdom");
  EXPECT_EQ(pdom.at("program"), "made");
  EXPECT_EQ(pdom.at("limited_by"), "machine");
  EXPECT_EQ(pdom.at("mhz"), 1300);
  EXPECT_NEAR(pdom.at("time_ms").get<double>(), 3e6 / 1.3e9 * 1e3, 1e-3);
  EXPECT_EQ(pdom.at("speed_up_in_time"), 1);
  EXPECT_NEAR(dwf.at("speed_up_in_cycles").get<double>(), 1.5, 1e-9);
  EXPECT_NEAR(dwf.at("speed_up_in_time").get<double>(), 1.5, 1e-3);
  const double with_pdom = 400 + row(tables.at("mechanisms"), "mechanism", "pdom").at("chip_mm2").get<double>();
  const double with_dwf = 400 + row(tables.at("mechanisms"), "mechanism", "dwf").at("chip_mm2").get<double>();
  EXPECT_NEAR(dwf.at("chip_mm2").get<double>(), with_dwf, 0.01);
  EXPECT_NEAR(dwf.at("gain_per_mm2").get<double>(), 1.5 * with_pdom / with_dwf, 2e-3);
  // 1000 branches × 5 accesses and a look after each of 4000 instructions.
  const double pj = row(tables.at("structures"), "structure", "reconvergence stacks").at("access_pj");
  const double live_pj = row(tables.at("structures"), "structure", "live threads").at("access_pj");
  EXPECT_NEAR(pdom.at("table_mj").get<double>(), (9000 * pj + 4000 * live_pj) * 1e-9, 1e-4);
  // The machine's clock gives way to a slower table.
  const Json slow = area("--results results --die 400 --node 90").at("runs")[1];
  EXPECT_EQ(slow.at("limited_by"), "warp lookup");
  EXPECT_LT(slow.at("mhz"), 1300);
  EXPECT_LT(slow.at("speed_up_in_time"), slow.at("speed_up_in_cycles"));
}

// Without tools all logic is unknown: the baseline against itself is 1, of two bounds the ratio is none.
TEST_F(AreaResults, UnknownLogicIsABound) {
  without_synthesis();
  run("made", "pdom", {{"cycles", 3'000'000}, {"divergent_branches", 1000}, {"warp_instructions", 0}});
  run("made", "tbc",
      {{"cycles", 2'000'000},
       {"divergent_branches", 10},
       {"compactions", 10},
       {"warp_instructions", 10},
       {"compacted_warps", 10}});
  const Json runs = area("--results results").at("runs");
  EXPECT_EQ(runs[0].at("lower_bound"), true);
  EXPECT_EQ(runs[0].at("gain_bound"), "exact");
  EXPECT_EQ(runs[1].at("gain_bound"), "neither");
  EXPECT_EQ(runs[1].at("unknown_logic"), "lane_register_access, thread_compactor, block_stack");
  const std::string shown = warpfold("area --results results --markdown").out;
  EXPECT_NE(shown.find("| ≤ 1300 | machine | ≥ 2.3077 | 1.000 | 1.000 |"), std::string::npos) << shown;
  EXPECT_NE(shown.find("| 1.500 | ~ 1.500 | ≥ "), std::string::npos) << shown;
}

TEST_F(AreaResults, PerformancePerAreaOfCoresAndOfChipsOfThem) {
  without_synthesis();
  run("made", "pdom", {{"cycles", 3'000'000}, {"divergent_branches", 1000}, {"warp_instructions", 0}});
  run("made", "exec-mask", {{"cycles", 2'000'000}, {"warp_instructions", 10}, {"exec_mask_slots", 10}});
  const Json tables = area("--results results --core --rest 60");
  const double core = row(tables.at("core"), "part", "all").at("mm2");
  const auto added = [&](const char* name) {
    return row(tables.at("mechanisms"), "mechanism", name).at("core_mm2").get<double>();
  };
  const Json& mask = tables.at("runs")[1];
  EXPECT_NEAR(mask.at("core_mm2").get<double>(), core + added("exec-mask"), 1e-9);
  EXPECT_NEAR(mask.at("gain_per_core_mm2").get<double>(), 1.5 * (core + added("pdom")) / (core + added("exec-mask")),
              1e-9);
  const auto chip = [&](const char* name) { return 30 * (core / 0.4 + added(name)); };
  EXPECT_NEAR(mask.at("chip_mm2").get<double>(), chip("exec-mask"), 1e-9);
  EXPECT_NEAR(mask.at("gain_per_mm2").get<double>(), 1.5 * chip("pdom") / chip("exec-mask"), 1e-9);
}

TEST_F(AreaResults, EachProgramAgainstItsFirstRun) {
  without_synthesis();
  for (const char* program : {"one", "two"}) {
    run(program, "pdom", {{"cycles", 1000}, {"divergent_branches", 0}, {"warp_instructions", 0}});
    run(program, "oracle", {{"cycles", 7}, {"oracle_lane_activity", 0.5}});
  }
  const Json tables = area("--results results");
  const Json& runs = tables.at("runs");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].at("speed_up_in_time"), 1);
  EXPECT_EQ(runs[1].at("mechanism"), "oracle");
  EXPECT_TRUE(runs[1].at("cycles").is_null()) << runs[1];  // a bound has no time
  EXPECT_EQ(runs[2].at("program"), "two");
  EXPECT_EQ(runs[2].at("speed_up_in_time"), 1);
  EXPECT_EQ(tables.at("mechanisms").size(), 2U);  // once, whatever they ran
  EXPECT_EQ(tables.at("structures").size(), 2U);
  EXPECT_EQ(area("--results results/one/pdom --results results/two").at("runs").size(), 3U);
  EXPECT_EQ(area("--results results --mechanisms pdom").at("runs").size(), 2U);
}

// compare has the oracle beside mechanisms that regroup threads.
TEST_F(AreaResults, RunsWithoutTimeAreLeftOutBesideOthers) {
  without_synthesis();
  run("made", "pdom", {{"cycles", 3000}, {"divergent_branches", 1}, {"warp_instructions", 1}});
  run("oracle", "pdom", {{"warp_instructions", 1}});
  EXPECT_EQ(area("--results results").at("runs").size(), 1U);
}

TEST_F(AreaResults, MistakesAreOneLine) {
  without_synthesis();
  const std::string where =
      run("made", "pdom", {{"cycles", 3000}, {"divergent_branches", 1}, {"warp_instructions", 0}});
  expect_complaint("--results nowhere", "nowhere: there is no such folder of results");
  write_file("empty/file", "");
  expect_complaint("--results empty", "empty: no results (a run.json) in it");
  expect_complaint("--results results --machine harp2013", "--results results: no run on harp2013 in it");
  expect_complaint("--results results --mechanisms tbc", "no run of tbc in it");
  expect_complaint("--results results --set core.warp_size=16", "runs have their own configuration");
  expect_complaint("--results results --sweep core.warp_size=16", "--sweep: runs have the sizes");
  expect_complaint("--results results --simd bcc", "--simd: runs have the lane packing");
  write_file(where + "/stats.json", "{\"total\": {\"cycles\": 3000}}");
  expect_complaint("--results results", "its stats.json has no divergent_branches");
  write_file(where + "/stats.json", "{\"total\": {}}");
  expect_complaint("--results results", "no cycles in it: was it run with --timing cycle?");
  write_file(where + "/stats.json", "{\"total\": {");
  expect_complaint("--results results", "stats.json: not whole: run it again");
  write_file(where + "/run.json", "{");
  expect_complaint("--results results", "run.json: not whole: run it again");
  write_file(where + "/run.json", "{\"finished\": true}");  // as older versions wrote it
  expect_complaint("--results results", where + ": no key in its run.json, so nobody knows what it may be compared");
}

// Speed-ups are against a run that differs in nothing but the mechanism.
TEST_F(AreaResults, RunsOfTwoMachinesAreNotCompared) {
  without_synthesis();
  run("made", "pdom", {{"cycles", 1000}, {"divergent_branches", 0}, {"warp_instructions", 0}});
  run("made", "oracle", {{"cycles", 500}}, "--set core.alu_latency_cycles=9");
  run("made", "pdom", {{"cycles", 4000}, {"divergent_branches", 0}, {"warp_instructions", 0}},
      "--set core.alu_latency_cycles=9");
  run("other", "pdom", {{"cycles", 8000}, {"divergent_branches", 0}, {"warp_instructions", 0}});
  const Json runs = area("--results results").at("runs");
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0].at("run"), "core.alu_latency_cycles=5") << runs;
  EXPECT_EQ(runs[0].at("speed_up_in_cycles"), 1);
  EXPECT_EQ(runs[1].at("run"), "core.alu_latency_cycles=9");
  EXPECT_EQ(runs[1].at("mechanism"), "pdom");
  EXPECT_EQ(runs[1].at("speed_up_in_cycles"), 1);
  EXPECT_EQ(runs[2].at("mechanism"), "oracle");
  EXPECT_EQ(runs[2].at("speed_up_in_cycles"), 8);
  EXPECT_EQ(runs[3].at("program"), "other");
  EXPECT_EQ(runs[3].at("run"), "");
  EXPECT_EQ(area("--results results --machine tbc2011").at("runs").size(), 4U);
}

TEST_F(AreaResults, RunsThatDifferInTheirMechanismsParametersAreTwoRows) {
  without_synthesis();
  run("made", "pdom", {{"cycles", 1000}, {"divergent_branches", 0}, {"warp_instructions", 0}});
  for (const char* entries : {"64", "32"}) {
    run("made", "dwf",
        {{"cycles", 500},
         {"dwf_lut_lookups", 0},
         {"warp_instructions", 0},
         {"dwf_warps_formed", 0},
         {"dwf_lut_hits", 0}},
        std::string("--set mechanism.lut_entries=") + entries);
  }
  const Json tables = area("--results results");
  ASSERT_EQ(tables.at("runs").size(), 3U);
  EXPECT_EQ(tables.at("runs")[1].at("mechanism"), "dwf lut_entries=32");
  EXPECT_EQ(tables.at("runs")[1].at("speed_up_in_cycles"), 2);
  EXPECT_EQ(tables.at("runs")[2].at("mechanism"), "dwf lut_entries=64");
  EXPECT_EQ(tables.at("runs")[0].at("run"), "");
  EXPECT_GT(row(tables.at("mechanisms"), "mechanism", "dwf lut_entries=64").at("core_mm2"),
            row(tables.at("mechanisms"), "mechanism", "dwf lut_entries=32").at("core_mm2"));
}

// A wrong or killed run has no figures, and is no baseline either.
TEST_F(AreaResults, RunsThatFailedAreRowsWithoutFigures) {
  without_synthesis();
  run("made", "oracle", {{"cycles", 500}});
  ASSERT_EQ(warpfold("run -- ./made fail").status, 1);
  const std::string killed =
      run("made", "pdom", {{"cycles", 1000}, {"divergent_branches", 0}, {"warp_instructions", 0}});
  Json unfinished = Json::parse(read_file(directory_ / killed / "run.json"));
  unfinished.erase("outcome");
  write_file(killed + "/run.json", unfinished.dump());
  const Json tables = area("--results results");
  EXPECT_EQ(tables.at("runs").size(), 3U);
  std::vector<std::string> notes;
  for (const Json& run : tables.at("runs")) notes.push_back(run.value("note", "figures"));
  std::sort(notes.begin(), notes.end());
  EXPECT_EQ(notes, (std::vector<std::string>{"WRONG: exit status 1", "figures", "not finished"}));
  EXPECT_EQ(row(tables.at("runs"), "mechanism", "oracle").at("speed_up_in_time"), nullptr);
  EXPECT_EQ(tables.at("mechanisms").size(), 1U);
}

constexpr const char* kSmall =
    "--machine tbc2011 --mechanisms tbc --set core.warp_size=4 --set core.simd_width=4 "
    "--set area.block_warps=4 --set mechanism.stack_entries=4 --set core.max_threads=64 ";

TEST_F(AreaResults, BlocksAreSynthesisedOnceAndScaled) {
  const Json tables = area(kSmall);
  const Json& compactor = row(tables.at("blocks"), "block", "thread_compactor");
  ASSERT_TRUE(compactor.contains("cells")) << compactor;
  EXPECT_EQ(compactor.at("parameters"), "Lanes=4 Rows=4 Stages=1");
  EXPECT_EQ(compactor.at("library_nm"), 180);
  EXPECT_GT(compactor.at("cells"), 20);
  EXPECT_GT(compactor.at("flip_flops"), 15);  // the threads of four rows
  // Published at one end, the library's own in proportion at the other.
  const double nand2 = compactor.at("nand2"), fo4 = compactor.at("fo4");
  EXPECT_NEAR(compactor.at("mm2_low").get<double>(), nand2 * 0.798e-6 * 1600 / 2025, 1e-7);
  EXPECT_NEAR(compactor.at("mm2_high").get<double>(), nand2 * 24e-6 * 16 / 324, 1e-7);
  EXPECT_GT(fo4, 5);
  const double slow = compactor.at("ns_high"), fast = compactor.at("ns_low"), there = compactor.at("library_ns");
  EXPECT_LT(slow, there);
  EXPECT_GT(slow, 2 * fast);  // nobody knows better (docs/area.md)
  EXPECT_LT(slow, 6 * fast);
  EXPECT_NEAR(compactor.at("mhz_low").get<double>(), 1000 / compactor.at("ns_high").get<double>(), 1e-6);
  ASSERT_EQ(tables.at("blocks").size(), 9U);  // three on each of three
  EXPECT_EQ(tables.at("blocks")[1].at("library_nm"), 350);
  EXPECT_EQ(tables.at("blocks")[2].at("library_nm"), 500);
  const Json& tbc = tables.at("mechanisms")[0];
  EXPECT_GT(tbc.at("logic_mm2"), 0);
  for (const char* end : {"_low", "_high"}) {  // the middles of ranges do not add up
    const auto of = [&](const char* name) { return tbc.at(fmt::format("{}{}", name, end)).get<double>(); };
    EXPECT_NEAR(of("core_mm2"),
                of("logic_mm2") + tbc.at("tables_mm2").get<double>() + tbc.at("registers_mm2").get<double>(), 1e-12);
  }
  // A mechanism's range is what the libraries agree on.
  double fastest = 0, slowest = 0, log_low = 0;
  for (const Json& one : tables.at("blocks")) {
    if (one.at("block") != "block_stack") continue;
    slowest = std::max(slowest, one.at("ns_high").get<double>());
    fastest = fastest == 0 ? one.at("ns_low").get<double>() : std::min(fastest, one.at("ns_low").get<double>());
    log_low += std::log(one.at("ns_low").get<double>()) / 3;
  }
  EXPECT_GE(tbc.at("slowest_ns_low"), fastest);
  EXPECT_LE(tbc.at("slowest_ns_high"), slowest);
  EXPECT_NEAR(tbc.at("slowest_ns_low").get<double>(), std::exp(log_low), 1e-9);
  // The second time, from the cache.
  without_work_for_synthesis();
  EXPECT_EQ(area(kSmall), tables);
}

// A process that is known leaves what libraries differ in; a library of the node is taken as it is.
TEST_F(AreaResults, WhatIsKnownNarrowsTheRange) {
  const std::string data = std::string(" --lib ") + WARPFOLD_RTL_TEST_DATA + "/";
  const auto compactor = [&](const std::string& arguments) {
    return row(area(kSmall + arguments).at("blocks"), "block", "thread_compactor");
  };
  const Json known = compactor("--fo4 20 --nand2 0.7 --lib osu018");
  EXPECT_NEAR(known.at("ns").get<double>(), 0.02 * known.at("fo4").get<double>(), 1e-9);
  EXPECT_EQ(known.at("ns_low"), known.at("ns_high"));
  EXPECT_NEAR(known.at("mm2").get<double>(), 0.7e-6 * known.at("nand2").get<double>(), 1e-12);
  const Json on_example = area(kSmall + ("--node 45" + data) + "example45.lib").at("blocks");
  const Json& native = row(on_example, "block", "thread_compactor");
  // Between what two scripts of ABC make of it.
  EXPECT_LE(native.at("ns_low"), native.at("library_ns"));
  EXPECT_GE(native.at("ns_high"), native.at("library_ns"));
  EXPECT_LT(native.at("ns_high").get<double>(), 1.6 * native.at("ns_low").get<double>());
  // A kit is what its files are.
  fs::create_directories(directory_ / "kit/lib");
  fs::copy_file(fs::path(WARPFOLD_RTL_TEST_DATA) / "example45.lib", directory_ / "kit/lib/cells_45_typ.lib");
  EXPECT_EQ(compactor("--node 45 --pdk kit:typ").at("ns"), native.at("ns"));
  const Json other = compactor("--node 45 --lib-node 130" + data + "example45.lib");
  EXPECT_LT(other.at("ns_low"), other.at("ns_high"));
  // A RAM takes what the storage model says, and makes the path through it longer.
  const Json& slow = row(on_example, "block", "block_stack");
  EXPECT_GE(slow.at("ns"), slow.at("library_ns"));
  // A clock that is met soon leaves small gates.
  EXPECT_LE(compactor("--lib osu018 --clock 10MHz").at("library_um2"), known.at("library_um2"));
  expect_complaint(kSmall + std::string("--clock 5"), "--clock 5: wanted a frequency or a time");
  expect_complaint(kSmall + std::string("--lib osu018 --lib-node 3"), "--lib-node 3: wanted nm from 5 to 1000");
  expect_complaint(kSmall + std::string("--lib osu018,osu035 --lib-node 90"),
                   "--lib-node 90: wanted one for each of 2 libraries of --lib and --pdk");
  expect_complaint(kSmall + std::string("--pdk nowhere:tt"), "--pdk nowhere:tt: there is no such folder");
}

// rtl/synth/results.json goes by what results are made of: after a change to RTL or scripts, scripts/area-results
// writes it anew.
TEST_F(AreaResults, TheDefaultMachinesBlocksComeWithTheSources) {
  without_work_for_synthesis();
  const Result r = warpfold("area --mechanisms all --core --json --table blocks");
  ASSERT_EQ(r.status, 0) << r.err << "rtl/synth/results.json is not of these sources: run scripts/area-results";
  const Json shipped = Json::parse(read_file(fs::path(WARPFOLD_RTL_TEST_DATA) / "../../../rtl/synth/results.json"));
  const Json blocks = Json::parse(r.out);
  EXPECT_GE(blocks.size(), 9U);
  for (const Json& block : blocks) EXPECT_TRUE(shipped.contains(block.value("key", ""))) << block;
  // Kits' too, which nobody has to have.
  for (const char* kit : {"Nangate", "sky130", "sg13g2", "gf180mcu", "asap7"}) {
    const auto of_kit = [&](const Json& block) { return block.at("library").get<std::string>().starts_with(kit); };
    EXPECT_GE(std::count_if(blocks.begin(), blocks.end(), of_kit), 23) << kit;
  }
}

// What has no RTL is estimated beside the bound, and both cores of which alone somebody has published an area are told
// how far off that is. Lanes come with the sources.
TEST_F(AreaResults, EstimatesStandBesideTheBound) {
  const Json core = area("--mechanisms pdom --core").at("core");
  const double bound = row(core, "part", "all").at("mm2_low");
  const Json& all = row(core, "part", "all, with what is estimated");
  double low = bound;
  for (const Json& part : core) {
    const std::string name = part.at("part");
    if (name.ends_with(", estimated")) low += part.at("mm2_low").get<double>();
  }
  EXPECT_NEAR(all.at("mm2_low").get<double>(), low, 1e-9);
  EXPECT_GT(low, bound);
  EXPECT_LT(low, 1.1 * bound);  // it is a few percent of a core
  const Json cores = area("--papers --core").at("cores");
  for (const char* name : {"Nyuzi", "MIAOW"}) {
    const Json& one = row(cores, "core", name);
    EXPECT_GT(one.at("estimated"), one.at("ours")) << one;
    EXPECT_NEAR(one.at("estimated_deviation").get<double>(),
                100 * (one.at("estimated").get<double>() / one.at("mm2").get<double>() - 1), 1e-9);
  }
}

// A kit that nobody has measured lies within what the others say of it. Each is left out in turn with all its
// libraries, at the typical corner, and is asked for by the length of its gates; lanes are no clocks.
TEST_F(AreaResults, AKitThatIsLeftOutIsWithinTheRange) {
  const Json shipped = Json::parse(read_file(fs::path(WARPFOLD_RTL_TEST_DATA) / "../../../rtl/synth/results.json"));
  std::map<std::string, std::map<std::string, double>> blocks;
  std::map<std::string, area::Library> libraries;
  for (const Json& one : shipped) {
    const std::string block = one.at("block"), name = one.at("library").at("name");
    if (block.ends_with("_lane")) continue;
    const double nand2 = one.at("library").at("nand2_area_um2");
    libraries[name] = {area::node_of_library(name, nand2), one.at("library").at("fo4_ns"), nand2, name};
    blocks[block + one.at("parameters").dump()][name] = one.at("critical_path").at("ns");
  }
  std::erase_if(blocks, [&](const auto& one) { return one.second.size() < libraries.size(); });
  ASSERT_GE(blocks.size(), 23U);
  ASSERT_GE(libraries.size(), 8U);
  double inside = 0, points = 0;
  for (const auto& [out, held] : libraries) {
    std::vector<area::Pace> paces;
    for (const auto& [name, library] : libraries) {
      if (area::kit_of(name) == area::kit_of(out)) continue;
      double sum = 0;
      for (const auto& [block, ns] : blocks) sum += std::log(ns.at(name));
      paces.push_back({name, library.node_nm, std::exp(sum / static_cast<double>(blocks.size()))});
    }
    const area::Paces known(paces);
    for (const auto& [block, ns] : blocks) {
      double low = 0, high = 0;
      for (const area::Pace& one : paces) {
        const area::Range factor = known.factor(libraries.at(one.library), area::gate_length_nm(held));
        low += std::log(ns.at(one.library) * factor.low) / static_cast<double>(paces.size());
        high += std::log(ns.at(one.library) * factor.high) / static_cast<double>(paces.size());
      }
      const double is = std::log(ns.at(out));
      const bool holds = low <= is && is <= high;
      inside += holds;
      ++points;
      if (!holds || std::getenv("WARPFOLD_SHOW") != nullptr) {
        std::printf("%s on %s: %.3f ns, range %.3f-%.3f, %.2f wide\n", block.c_str(), out.c_str(), ns.at(out),
                    std::exp(low), std::exp(high), std::exp(high - low));
      }
    }
  }
  EXPECT_GE(inside, 0.9 * points) << inside << " of " << points;
}

// What is shipped is what the tools say: the smallest of them, made here.
TEST_F(AreaResults, WhatIsShippedIsWhatTheToolsSay) {
  const Json shipped = Json::parse(read_file(fs::path(WARPFOLD_RTL_TEST_DATA) / "../../../rtl/synth/results.json"));
  const Json* least = nullptr;
  for (const Json& one : shipped) {
    if (one.at("library").at("name") != "osu018_stdcells") continue;
    if (least == nullptr || one.at("cells") < least->at("cells")) least = &one;
  }
  ASSERT_NE(least, nullptr);
  std::string command = std::string(WARPFOLD_RTL_TEST_DATA) + "/../../../scripts/rtl-synth " +
                        least->at("block").get<std::string>() + " --out made > said";
  for (const auto& [name, value] : least->at("parameters").items()) command += " --set " + name + "=" + value.dump();
  ASSERT_EQ(std::system(("cd '" + directory_.string() + "' && " + command).c_str()), 0);
  const Json made = Json::parse(read_file(directory_ / "made/synth.json"));
  for (const char* figure : {"cells", "flip_flops", "area_um2", "nand2_equivalents"}) {
    EXPECT_EQ(made.at(figure), least->at(figure)) << figure;
  }
  EXPECT_EQ(made.at("critical_path").at("ns"), least->at("critical_path").at("ns"));
}

TEST_F(AreaResults, LibrariesAndParametersThatToolsRefuseAreOneLine) {
  write_file("bad_45nm.lib", "library (bad) {\n  cell (NAND2) {\n    area : 1;\n");
  expect_complaint(std::string(kSmall) + "--lib bad_45nm.lib", "bad_45nm.lib");
  expect_complaint(std::string(kSmall) + "--lib osu018 --set area.stack_entries=2", "area.stack_entries = 2");
}

// RTL of the user's is costed in the place of the block that it replaces, with the sizes of the machine. It may do
// without some of the block's parameters.
TEST_F(AreaResults, ADesignOfTheUsersIsCosted) {
  write_file("swap.sv", R"(
module swizzle_control #(parameter int Lanes = 16, parameter int Width = 4) (input wire clk_i, rst_ni, output logic [Lanes-1:0] swap_q);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) swap_q <= '0;
    else swap_q <= swap_q + Lanes'(Width);
endmodule
)");
  write_file("swap.f", "swap.sv\n");
  const std::string asked = "--machine tbc2011 --mechanisms pdom --simd bcc --lib osu018 --table blocks ";
  for (const char* files : {"swap.sv", "swap.f"}) {
    const Json block = row(area(asked + "--rtl swizzle=" + files), "block", "swizzle_control");
    EXPECT_EQ(block.at("flip_flops"), 29) << block;  // 32 lanes; the lower bits stand still, as the width is 8
    EXPECT_LT(block.at("cells"), 400) << block;
  }
  EXPECT_EQ(row(area(asked), "block", "swizzle_control").at("flip_flops"), 33);
}

}  // namespace area_results_test
}  // namespace warpfold
