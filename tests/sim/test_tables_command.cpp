// SPDX-License-Identifier: Apache-2.0
// Tables of the commands: for programs with whole numbers, for terminals with columns that fit, and none with --quiet.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/common/command_line.h"
#include "tests/sim/terminal.h"

namespace warpfold {
namespace tables_command_test {

using Json = nlohmann::json;

class TablesCommand : public CommandLineTest {
 protected:
  Json json_of(const std::string& arguments) const {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    const Json json = Json::parse(r.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << r.out;
    return json;
  }
  // The first row of a table in CSV whose cells hold no commas, by column.
  std::map<std::string, std::string> first_row(const std::string& arguments) const {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    std::istringstream lines(r.out);
    std::string head, line;
    std::getline(lines, head);
    std::getline(lines, line);
    std::istringstream names(head), cells(line);
    std::map<std::string, std::string> row;
    for (std::string name, cell; std::getline(names, name, ',') && (std::getline(cells, cell, ',') || true);) {
      row[name] = std::exchange(cell, "");
    }
    return row;
  }
  const std::string pretend_ = PRETEND_PROGRAM;
};

TEST_F(TablesCommand, RunForProgramsHasStandardOutputForItself) {
  const Result r = warpfold("run --json --mechanism tbc --out here -- " + pretend_ + " say hello");
  EXPECT_EQ(r.status, 0);
  EXPECT_NE(r.err.find("saying hello"), std::string::npos) << r.err;
  const Json json = Json::parse(r.out, nullptr, false);
  EXPECT_EQ(json.at("kernels").at(0).at("kernel"), "work");
  EXPECT_EQ(json.at("kernels").at(0).at("symbol"), "_Z4workPi");
  EXPECT_EQ(json.at("kernels").at(0).at("cycles"), 2000);
  EXPECT_EQ(json.at("kernels").size(), 1U) << "the total is no kernel";
  const Json& total = json.at("total").at(0);
  EXPECT_EQ(total.at("machine"), "tbc2011");
  EXPECT_EQ(total.at("mechanism"), "tbc");
  EXPECT_EQ(total.at("simd_efficiency"), 0.5);
  EXPECT_EQ(total.at("results"), "here");
  EXPECT_EQ(json.at("resources").at(0).at("block"), "32x1x1");
  const auto kernel = first_row("run --csv --out here -- " + pretend_);
  EXPECT_EQ(kernel.at("kernel"), "work");
  EXPECT_EQ(kernel.at("cycles"), "3000");
  EXPECT_EQ(first_row("run --csv --table total --out here -- " + pretend_).at("program"), "pretend");
  EXPECT_NE(
      warpfold("run --markdown --table kernels --out here -- " + pretend_).out.find("| kernel.0.work | 1 | 3000 |"),
      std::string::npos);
}

TEST_F(TablesCommand, CompareIsOneTableOfAllPoints) {
  const std::string points =
      "compare --mechanisms pdom,tbc,tstbc --set core.max_threads=64 --out study " + pretend_ + " ";
  const Json json = json_of(points + "'" + pretend_ + " tail' --json");
  const Json& rows = json.at("comparison");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[1].at("mechanism"), "tbc");
  EXPECT_EQ(rows[1].at("status"), "ok");
  EXPECT_EQ(rows[1].at("speed_up"), 1.5);
  EXPECT_EQ(rows[2].at("status"), "not applicable");
  EXPECT_TRUE(rows[2].at("note").get<std::string>().starts_with("n/a: ")) << rows[2];
  EXPECT_EQ(rows[2].at("cycles"), nullptr);
  EXPECT_EQ(rows[3].at("few_cores_share"), 0.25);
  EXPECT_EQ(json.at("speed_ups").size(), 2U);
  EXPECT_EQ(json.at("speed_ups")[0].at("tbc"), 1.5);
  EXPECT_FALSE(json.contains("savings"));
  const auto row = first_row(points + " --csv");
  EXPECT_EQ(row.at("machine"), "tbc2011");
  EXPECT_EQ(row.at("status"), "ok");
}

TEST_F(TablesCommand, KernelsOfFiles) {
  write_file(
      "two.ptx",
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry a()\n{ .shared .b8 box[40]; .reg .b32 %r;\n"
      "mov.u32 %r, 1; st.shared.u32 [box], %r; ret; }\n.visible .entry b()\n{ ret; }\n");
  const Json rows = json_of("list kernels two.ptx --json");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("name"), "a");
  EXPECT_EQ(rows[0].at("shared_bytes"), 40);
  EXPECT_EQ(rows[0].at("instructions"), 3);
  EXPECT_EQ(rows[1].at("registers"), 0);
  write_file("bad.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry a()\n{ frob; ret; }\n");
  EXPECT_NE(warpfold("list kernels two.ptx bad.ptx").err.find("bad.ptx:5: unsupported instruction 'frob'"),
            std::string::npos);
  EXPECT_NE(warpfold("list kernels").err.find("name PTX files"), std::string::npos);
  EXPECT_NE(warpfold("list machines two.ptx").err.find("takes no file"), std::string::npos);
}

// The pretended program takes 2000 cycles under TBC, 3000 under PDOM, 1500 and 2400 where the oldest block goes first.
TEST_F(TablesCommand, CompareTellsOrdersFromMechanisms) {
  const std::string points = "compare --mechanisms pdom,tbc,dwf --out study '" + pretend_ + " ordered'";
  const Json rows = json_of(points + " --json").at("comparison");
  ASSERT_EQ(rows.size(), 3U) << "the other orders' runs have no rows";
  EXPECT_EQ(rows[1].at("warp_policy"), "AGE");
  EXPECT_EQ(rows[1].at("speed_up"), 2);
  EXPECT_EQ(rows[1].at("order_speed_up"), 1.25);
  EXPECT_EQ(rows[1].at("mechanism_speed_up"), 1.5);
  EXPECT_EQ(rows[1].at("mechanism_speed_up_in_own_order"), 1.6);
  EXPECT_EQ(rows[1].at("interacts"), true);
  EXPECT_EQ(rows[2].at("warp_policy"), "LRR");
  EXPECT_EQ(rows[2].at("order_speed_up"), 1);
  EXPECT_EQ(rows[2].at("mechanism_speed_up"), 1.5);
  EXPECT_EQ(rows[2].at("interacts"), false);
  EXPECT_NE(warpfold(points).out.find("caution: interacts: what the mechanism gains hangs on the order of warps: tbc "
                                      "1.50 in LRR, 1.60 in AGE\n"),
            std::string::npos);
  const Json means = json_of(points + " '" + pretend_ + "' --json").at("speed_ups");
  EXPECT_EQ(means[0].at("order of tbc"), 1.25);
  EXPECT_EQ(means[0].at("tbc in AGE"), 1.6);
  const Json plain = json_of("compare --mechanisms pdom,tbc --set core.warp_policy=GTO --json --out study " + pretend_);
  EXPECT_FALSE(plain.at("comparison")[1].contains("order_speed_up")) << "both in one order";
}

// Of those that let threads share warps.
TEST_F(TablesCommand, CompareHasTheBoundBesideTheNumber) {
  const Json rows = json_of("compare --mechanisms pdom,its,tbc,dwf --out study --json " + pretend_).at("comparison");
  ASSERT_EQ(rows.size(), 4U) << "the oracle's runs have no rows";
  EXPECT_EQ(rows[0].at("bound"), nullptr);
  EXPECT_EQ(rows[1].at("bound"), nullptr);
  EXPECT_EQ(rows[2].at("bound"), 1.75);
  EXPECT_EQ(rows[3].at("bound"), 1.75);
  const Json plain = json_of("compare --mechanisms pdom,its --out study --json " + pretend_).at("comparison");
  EXPECT_FALSE(plain[1].contains("bound"));
  const Json set = json_of("compare --mechanisms stc --set mechanism.pick=oldest --out study --json " + pretend_);
  EXPECT_EQ(set.at("comparison")[0].at("bound"), 1.75) << "the oracle has no such parameter";
}

TEST_F(TablesCommand, CompareSaysWhatDrainingCosts) {
  const std::string drains = "compare --mechanisms pdom,tbc --out study '" + pretend_ + " drains'";
  EXPECT_NE(warpfold(drains).out.find("caution: drain: slots lost since warps drain: tbc 5% (1.50 with "
                                      "core.scoreboard=per_thread)\n"),
            std::string::npos);
  EXPECT_EQ(warpfold("compare --mechanisms pdom,tbc --out study " + pretend_).out.find("drain"), std::string::npos)
      << "less than 2 %";
  EXPECT_EQ(json_of(drains + " --json").at("comparison")[1].at("draining_share"), 0.05);
}

TEST_F(TablesCommand, EveryListIsATable) {
  EXPECT_EQ(json_of("list machines --json")[0].at("name"), "ampere");
  const Json parameters = json_of("list parameters --json");
  const auto warp = std::find_if(parameters.begin(), parameters.end(),
                                 [](const Json& one) { return one.at("name") == "core.warp_size"; });
  ASSERT_NE(warp, parameters.end());
  EXPECT_EQ(warp->at("default"), 32);
  EXPECT_EQ(warp->at("unit"), "lanes");
  EXPECT_EQ(first_row("list simd --csv").at("name"), "none");
  EXPECT_NE(warpfold("list rtl --markdown").out.find("| Block | File | Twin of |\n"), std::string::npos);
  for (const char* what : {"mechanisms", "workloads", "statistics", "modules", "instructions"}) {
    const Json all = json_of(std::string("list --json ") + what);
    EXPECT_GT(all.size(), 3U) << what;
    EXPECT_TRUE(all[0].at("name").is_string()) << what;
    EXPECT_FALSE(all[0].contains("line")) << what;
  }
  const Json differences = json_of("machines diff tbc2011 tbc2011-325mhz --json");
  EXPECT_EQ(differences.size(), 7U);
  EXPECT_TRUE(differences[0].at("first").is_number()) << differences[0];
  EXPECT_TRUE(differences[0].at("second_source").is_string());
}

// Quarters of a warp, as wide as the mechanism makes it.
TEST_F(TablesCommand, ColumnsOfActiveLanesFitTheWarp) {
  const auto columns = [this](const std::string& options) {
    const std::string out = warpfold("run " + options + " -- " + pretend_).out;
    const std::size_t begin = out.find("  W"), end = out.find("  stall");
    std::istringstream words(begin == std::string::npos ? "" : out.substr(begin, end - begin));
    std::string all;
    for (std::string word; words >> word;) all += word + " ";
    return all;
  };
  EXPECT_EQ(columns(""), "W1-8 W9-16 W17-24 W25-32 ");
  EXPECT_EQ(columns("--set core.warp_size=16"), "W1-4 W5-8 W9-12 W13-16 ");
  EXPECT_EQ(columns("--set core.warp_size=64"), "W1-16 W17-32 W33-48 W49-64 ");
  EXPECT_EQ(columns("--mechanism harp"), "W1-2 W3-4 W5-6 W7-8 ") << "warps as wide as the SIMD units";
  EXPECT_EQ(columns("--set core.warp_size=4 --set core.simd_width=4"), "W1 W2 W3 W4 ");
  EXPECT_EQ(columns("--set core.warp_size=2 --set core.simd_width=2"), "W1 W2 ");
  const Result mixed = warpfold("compare --mechanisms pdom,harp " + pretend_);
  EXPECT_NE(mixed.out.find("  W1/4  W2/4  W3/4  W4/4  stall"), std::string::npos) << mixed.out;
}

TEST_F(TablesCommand, QuietTellsErrorsOnly) {
  const Result run = warpfold("run -q -- " + pretend_ + " say hello");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "saying hello\n");
  EXPECT_EQ(run.err, "");
  const Result compare = warpfold("compare --quiet --mechanisms pdom,tbc " + pretend_);
  EXPECT_EQ(compare.status, 0);
  EXPECT_EQ(compare.out + compare.err, "");
  EXPECT_TRUE(warpfold("compare -q --csv --mechanisms pdom " + pretend_).out.starts_with("program,machine,"));
  const Result wrong = warpfold("compare -q --mechanisms pdom '" + pretend_ + " fail'");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(wrong.out, "");
  EXPECT_NE(wrong.err.find("warpfold: error: pretend pdom: FAIL: node 3 is wrong"), std::string::npos) << wrong.err;
  const Result asked = warpfold("compare -q --json --mechanisms pdom '" + pretend_ + " fail'");
  EXPECT_EQ(asked.err, wrong.err);
  const Result failed = warpfold("run -q -- " + pretend_ + " fail");
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.err.find("failed: exit status 1"), std::string::npos) << failed.err;
}

TEST_F(TablesCommand, MistakesAreOneLineBeforeAnythingRuns) {
  for (const auto& [arguments, complaint] :
       {std::pair{"run --json --csv -- " PRETEND_PROGRAM, "--json and --csv: give one of them"},
        std::pair{"compare --mechanisms pdom --csv --markdown " PRETEND_PROGRAM,
                  "--csv and --markdown: give one of them"},
        std::pair{"run --table kernel -- " PRETEND_PROGRAM, "--table: kernel not in {resources,kernels,total}"},
        std::pair{"machines diff tbc2011 gt200 --json --csv", "--json and --csv: give one of them"},
        std::pair{"list machines --json --markdown", "--json and --markdown: give one of them"}}) {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_NE(r.err.find(complaint), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(directory_ / "results"));
}

TEST_F(TablesCommand, NarrowTerminalsGetTheColumnsInBlocks) {
  const auto run = [this](unsigned short columns) {
    return on_terminal(columns, directory_, {WARPFOLD_PROGRAM, "run", "--out", "here", "--", pretend_}).shown;
  };
  const std::string wide = run(200), narrow = run(60);
  const auto lines_with = [](const std::string& text, const std::string& begin) {
    std::istringstream lines(text);
    unsigned found = 0;
    for (std::string line; std::getline(lines, line);) found += line.starts_with(begin) ? 1 : 0;
    return found;
  };
  EXPECT_EQ(lines_with(wide, "kernel.0.work "), 1U) << wide;
  EXPECT_GT(lines_with(narrow, "kernel.0.work "), 2U) << narrow;
  std::istringstream lines(narrow.substr(narrow.find("kernel ")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 61U) << line;  // with its "\r"
  EXPECT_NE(narrow.find("DRAM MB"), std::string::npos);
  const std::string list = on_terminal(60, directory_, {WARPFOLD_PROGRAM, "list", "mechanisms"}).shown;
  EXPECT_NE(list.find("\r\n        "), std::string::npos) << "words go on below themselves\n" << list;
}

}  // namespace tables_command_test
}  // namespace warpfold
