// SPDX-License-Identifier: Apache-2.0
// `warpfold area` of mechanisms and of tables of points; synthesis is not needed for any of it.
#include "tests/sim/area_fixture.h"
#include "warpfold/common/config/config.h"
#include "warpfold/divergence/registry.h"

namespace warpfold {
namespace area_command_test {

class AreaStorage : public AreaCommandLine {
 protected:
  AreaStorage() { without_synthesis(); }
};

TEST_F(AreaStorage, PointsComeBackWithTheModel) {
  write_file("grid.csv",
             "structure,node_nm,bytes,row_bits,assoc,banks,rw_ports,r_ports,w_ports,area_mm2\n"
             "ram,45,2048,32,1,1,1,0,0,0.00722\n");
  const Result printed = warpfold("area --points grid.csv");
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_NE(printed.out.find("area_mm2,model_area_mm2,model_access_ns\nram,45,2048,32,1,1,1,0,0,0.00722,0.00"),
            std::string::npos)
      << printed.out;
  EXPECT_EQ(warpfold("area --points grid.csv --out back.csv").out, "");
  EXPECT_EQ(read_file(directory_ / "back.csv"), printed.out);
  // What was written can be read again.
  EXPECT_EQ(warpfold("area --points back.csv").status, 0);
}

TEST_F(AreaStorage, MalformedPointsAreOneLine) {
  write_file("bad.csv",
             "structure,node_nm,bytes,row_bits,assoc,banks,rw_ports,r_ports,w_ports\nram,45,x,32,1,1,1,0,0\n");
  EXPECT_EQ(complaint("--points bad.csv"), "warpfold: error: bad.csv:2:8: bytes 'x': not a number\n");
  expect_complaint("--points absent.csv", "absent.csv: cannot read this table of points: No such file or directory");
}

TEST_F(AreaStorage, EveryMechanismHasARow) {
  const Json tables = area("--mechanisms all");
  EXPECT_EQ(tables.at("mechanisms").size(), divergence::mechanisms().size());
  EXPECT_EQ(tables.at("mechanisms")[0].at("mechanism"), "pdom");
  for (const Json& one : tables.at("mechanisms")) {
    if (one.contains("note")) continue;
    // Nothing is synthesised here: there is always something unknown.
    EXPECT_EQ(one.at("lower_bound"), true) << one;
    EXPECT_NE(one.at("unknown_logic"), "") << one;
    EXPECT_TRUE(one.at("logic_mm2").is_null()) << one;
    EXPECT_EQ(one.at("core_mm2").is_null(), one.at("mechanism") == "oracle") << one;
    if (one.at("core_mm2").is_null()) continue;
    const double total = one.at("core_mm2").get<double>(), chip = one.at("chip_mm2").get<double>();
    const double parts = one.at("tables_mm2").get<double>() + one.at("registers_mm2").get<double>();
    EXPECT_NEAR(total, parts, 2e-5) << one;
    EXPECT_NEAR(chip, 30 * total, 0.001) << one;  // tbc2011's cores
    EXPECT_NEAR(one.at("die_share").get<double>(), chip / 529, 1e-9) << one;
    EXPECT_GT(total, 0) << one;
  }
  const double pdom = row(tables.at("mechanisms"), "mechanism", "pdom").at("core_mm2");
  EXPECT_GT(row(tables.at("mechanisms"), "mechanism", "pdom-lcp").at("core_mm2"), pdom);
  EXPECT_GT(row(tables.at("mechanisms"), "mechanism", "dwf").at("core_mm2"), pdom);
}

TEST_F(AreaStorage, WithoutToolsTheLogicIsMissedInOneLine) {
  const Result r = warpfold("area --mechanisms tbc");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_NE(r.out.find("logic without thread_compactor: yosys is not installed"), std::string::npos) << r.out;
  const std::string shown = warpfold("area --mechanisms tbc --table mechanisms --markdown").out;
  EXPECT_NE(shown.find("| tbc | ? | ? | 0.0"), std::string::npos) << shown;
  EXPECT_NE(shown.find(" | ≥ 0.0"), std::string::npos) << shown;  // the core
  EXPECT_NE(shown.find(" | lane_register_access, thread_compactor, block_stack |"), std::string::npos) << shown;
  const Json tables = area("--mechanisms tbc");
  EXPECT_TRUE(row(tables.at("mechanisms"), "mechanism", "tbc").at("logic_mm2").is_null());
  EXPECT_GT(row(tables.at("structures"), "structure", "active masks").at("mm2"), 0.01);
}

TEST_F(AreaStorage, SizesFollowMachineMechanismAndNode) {
  const auto of = [&](const std::string& arguments, const std::string& structure) {
    return row(area(arguments).at("structures"), "structure", structure);
  };
  const Json base = of("--mechanisms tstbc", "arrival counts");
  EXPECT_EQ(base.at("shape"), "32 × 48");
  EXPECT_EQ(of("--mechanisms tstbc --set area.block_warps=8", "arrival counts").at("shape"), "32 × 32");
  EXPECT_EQ(of("--mechanisms tstbc --set mechanism.stack_entries=16", "arrival counts").at("shape"), "16 × 48");
  EXPECT_EQ(of("--machine harp2013 --mechanisms harp", "second level").at("shape"), "512 × 130");
  EXPECT_EQ(of("--mechanisms dwf --set mechanism.lut_entries=16", "warp lookup").at("shape"), "16 × 53, tag 32");
  const Json coarser = of("--mechanisms tstbc --node 65", "arrival counts");
  EXPECT_GT(coarser.at("mm2"), base.at("mm2"));
  EXPECT_GT(coarser.at("ns"), base.at("ns"));
  // Beyond the storage model's nodes in proportion from its last, which is said.
  const Json last = of("--mechanisms tstbc --node 90", "arrival counts"),
             beyond = of("--mechanisms tstbc --node 180", "arrival counts");
  EXPECT_NEAR(beyond.at("mm2").get<double>(), 4 * last.at("mm2").get<double>(), 1e-9);
  EXPECT_NEAR(beyond.at("ns").get<double>(), 2 * last.at("ns").get<double>(), 1e-9);
  EXPECT_NE(warpfold("area --mechanisms tstbc --node 7").out.find("the storage model ends at 22 nm"),
            std::string::npos);
}

TEST_F(AreaStorage, SweepsOneKey) {
  const Json tables = area("--mechanisms pdom,tbc --sweep core.warp_size=16,32");
  ASSERT_EQ(tables.at("mechanisms").size(), 4U);
  EXPECT_EQ(tables.at("mechanisms")[1].at("mechanism"), "tbc core.warp_size=16");
  const auto pdom = [&](const char* value) {
    return row(tables.at("mechanisms"), "mechanism", std::string("pdom core.warp_size=") + value)
        .at("core_mm2")
        .get<double>();
  };
  EXPECT_GT(pdom("16"), pdom("32"));  // twice the warps, each with two pcs an entry
  const Json entries = area("--mechanisms pdom --sweep area.stack_entries=8,16,32").at("mechanisms");
  EXPECT_LT(entries[0].at("core_mm2"), entries[1].at("core_mm2"));
  EXPECT_LT(entries[1].at("core_mm2"), entries[2].at("core_mm2"));
}

TEST_F(AreaStorage, SweepsSeveralKeys) {
  const Json rows =
      area("--mechanisms pdom --sweep core.warp_size=16,32 --sweep area.stack_entries=8,16").at("mechanisms");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("mechanism"), "pdom core.warp_size=16 area.stack_entries=8");
  EXPECT_EQ(rows[3].at("mechanism"), "pdom core.warp_size=32 area.stack_entries=16");
}

TEST_F(AreaStorage, DrawsASweep) {
  ASSERT_EQ(warpfold("area --mechanisms pdom --sweep area.stack_entries=8,16 --picture sweep.svg").status, 0);
  const std::string svg = read_file(directory_ / "sweep.svg");
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n")) << svg;
  std::size_t bars = 0;
  for (std::size_t at = 0; (at = svg.find("fill=\"#47a\"", at)) != std::string::npos; ++at) ++bars;
  EXPECT_EQ(bars, 4U) << svg;  // a clock and an area for each
  EXPECT_NE(svg.find(">pdom area.stack_entries=16</text>"), std::string::npos) << svg;
  EXPECT_EQ(warpfold("area --mechanisms pdom --picture /nonexistent/sweep.svg").status, 1);
}

TEST_F(AreaStorage, LanePackingsOrganiseTheRegisterFile) {
  const Json rows = area("--mechanisms pdom --simd all").at("mechanisms");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("registers_mm2"), 0);
  EXPECT_EQ(rows[1].at("registers_mm2"), 0);
  EXPECT_EQ(rows[2].at("mechanism"), "pdom+bcc");
  EXPECT_GT(rows[2].at("registers_mm2"), 0);
  EXPECT_EQ(rows[3].at("mechanism"), "pdom+scc");
  EXPECT_GT(rows[3].at("registers_mm2"), 0);
}

TEST_F(AreaStorage, TheCoreIsAddedToPartByPart) {
  const Json tables = area("--mechanisms pdom,tbc --core");
  double sum = 0;
  for (const Json& part : tables.at("core")) {
    if (part.at("part") != "all" && !part.at("mm2").is_null()) sum += part.at("mm2").get<double>();
  }
  const double core = row(tables.at("core"), "part", "all").at("mm2");
  EXPECT_NEAR(core, sum, 1e-9);
  EXPECT_GT(row(tables.at("core"), "part", "register file").at("mm2"), 0.1);
  EXPECT_TRUE(row(tables.at("core"), "part", "int_lane").at("mm2").is_null());  // nothing is synthesised here
  for (const Json& one : tables.at("mechanisms")) {
    const double added = one.at("core_mm2").get<double>();
    EXPECT_NEAR(one.at("with_core_mm2").get<double>(), core + added, 1e-9);
    EXPECT_NEAR(one.at("core_share").get<double>(), 100 * added / (core + added), 1e-9);
  }
  EXPECT_EQ(area("--mechanisms pdom").count("core"), 0U);
  expect_complaint("--rest 50", "--rest: of a chip whose cores have an area: give --core, too");
}

TEST_F(AreaStorage, WhatCannotRunSaysWhy) {
  const Json rows =
      area("--mechanisms pdom,lwm --set core.warp_size=32 --machine tbc2011 --sweep mechanism.branch_order=taken_first")
          .at("mechanisms");
  EXPECT_EQ(rows.size(), 2U);
  const Json lwm = area("--mechanisms lwm --set mechanism.large_warp=48").at("mechanisms")[0];
  EXPECT_NE(lwm.at("note").get<std::string>().find("n/a: large_warp = 48"), std::string::npos) << lwm;
}

TEST_F(AreaStorage, TablesAsMarkdown) {
  const Result r = warpfold("area --mechanisms pdom --markdown");
  EXPECT_NE(r.out.find("| mechanism | NAND2 |"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("|---|---|"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\n| pdom | reconvergence stacks | ram |"), std::string::npos) << r.out;
}

TEST_F(AreaStorage, MistakesAreOneLine) {
  expect_complaint("--mechanisms tcb", "no mechanism 'tcb': did you mean 'tbc'?");
  expect_complaint("--mechanisms pdom,pdom", "--mechanisms: pdom is given twice");
  expect_complaint("--machine nowhere", "nowhere: no such configuration");
  expect_complaint("--simd sccc", "--simd sccc: no such lane packing");
  expect_complaint("--sweep core.warp_size", "--sweep core.warp_size: wanted KEY=VALUE");
  expect_complaint("--set area.blockwarps=8", "area.blockwarps");
  expect_complaint("--set area.stack_entries=1", "area.stack_entries = 1");
  expect_complaint("--set core.warp_size=33", "core.warp_size = 33");
  expect_complaint("--node 4", "--node");
  expect_complaint("--die -3", "--die");
  expect_complaint("--rtl compactor", "--rtl compactor: wanted files of yours: what has none is this project's");
  expect_complaint("--rtl compactor=none.sv", "--rtl compactor: none.sv: there is no such file");
  write_file("own.sv", "module own; endmodule\n");
  write_file("self.f", "own.sv\n-f self.f\n");
  expect_complaint("--rtl compactor=self.f", "self.f:2: self.f: includes itself");
  expect_complaint("--rtl compactor=own.sv,packer=own.sv", "--rtl packer: thread_compactor is given twice");
  expect_complaint("--lib absent.lib", "absent.lib: cannot read this Liberty file: No such file or directory");
  expect_complaint("--markdown --json", "--json and --markdown: give one of them");
  expect_complaint("--mechanisms pdom --table runs", "--table runs: there is no such table here");
  expect_complaint("--mechnisms tbc", "did you mean '--mechanisms'?");
}

TEST_F(AreaStorage, WhatCannotBeWrittenIsAFailure) {
  const Result r = warpfold("area --mechanisms pdom --out /nonexistent/area.txt");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.err, "warpfold: error: /nonexistent/area.txt: cannot write this file: No such file or directory\n");
}

// Energy is counted by statistics that the docs' tables hold, which other tests compare with the code's.
TEST_F(AreaStorage, AccessesAreCountedByStatisticsThatExist) {
  const std::string docs = read_file(std::filesystem::path(WARPFOLD_DOCS) / "statistics.md") +
                           read_file(std::filesystem::path(WARPFOLD_DOCS) / "mechanisms.md");
  for (const auto& info : divergence::mechanisms()) {
    const auto hardware = info.configure(ConfigNode::from_text("{}", "test")).hardware({});
    for (const auto& structure : hardware.storage) {
      for (const auto& access : structure.accesses) {
        EXPECT_NE(docs.find("| `" + access.statistic + "` |"), std::string::npos)
            << info.name << " " << access.statistic;
      }
    }
  }
}

}  // namespace area_command_test
}  // namespace warpfold
