// SPDX-License-Identifier: Apache-2.0
// Plug-ins: a mechanism, and a memory, that programs did not have when they were built.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"

namespace warpfold {
namespace plugins_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Plugins : public CommandLineTest {
 protected:
  static std::string of(const std::string& name) { return " --plugin '" PLUGINS "/" + name + ".so' "; }
  Json run_json(const std::string& folder) const { return Json::parse(read_file(directory_ / folder / "run.json")); }
  Json total(const std::string& folder) const {
    return Json::parse(read_file(directory_ / folder / "stats.json")).at("total");
  }
  Result good(const std::string& arguments) const {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    return r;
  }
  void expect_complaint(const std::string& arguments, const std::string& part) const {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  }
};

TEST_F(Plugins, AMechanismIsKnownToCommandsAndPrograms) {
  EXPECT_NE(good("list mechanisms" + of("never_meet")).out.find("never-meet"), std::string::npos);
  EXPECT_EQ(good("list mechanisms").out.find("never-meet"), std::string::npos);
  good("list mechanisms" + of("never_meet") + of("never_meet"));
  EXPECT_NE(good("area --mechanisms never-meet --json" + of("never_meet")).out.find("never-meet"), std::string::npos);
  good("run --mechanism never-meet --set mechanism.slots_per_warp=64 --out a" + of("never_meet") +
       "-- " CHECKED_PROGRAM " right");
  EXPECT_EQ(run_json("a").at("outcome"), "ok");
  EXPECT_EQ(run_json("a").at("decided_by").at("mechanism"), "never-meet");
  // Its content is part of what decides the result, and of nothing that runs without one.
  EXPECT_EQ(run_json("a").at("decided_by").at("plugins").at("never_meet.so").get<std::string>().size(), 64U);
  good("run --out b -- " CHECKED_PROGRAM " right");
  EXPECT_FALSE(run_json("b").at("decided_by").contains("plugins"));
  environment_ += " WARPFOLD_PLUGINS='" PLUGINS "/never_meet.so'";
  const Json both = Json::parse(good("compare --mechanisms pdom,never-meet --json -- " CHECKED_PROGRAM " right").out);
  EXPECT_EQ(both.dump().find("WRONG"), std::string::npos);
  EXPECT_NE(both.dump().find("never-meet"), std::string::npos);
}

TEST_F(Plugins, AMemoryStandsBehindAnyProgram) {
  const std::string run = "run --plugin '" MEMORY_PLUGIN "' --size small --set cores=2 ";
  environment_ += " MEMORY_NS=50";
  good(run + "--set memory.boundary.memory=external --out near -- bfs");
  environment_ += " MEMORY_NS=800";
  good(run + "--set memory.boundary.memory=external --out far -- bfs");
  good("run --size small --set cores=2 --out own -- bfs");
  EXPECT_GT(total("far").at("cycles"), total("near").at("cycles"));
  EXPECT_GT(total("near").at("dram_reads"), 0);
  for (const char* folder : {"near", "far"}) {  // bfs checks its results
    EXPECT_EQ(run_json(folder).at("outcome"), "ok");
    EXPECT_EQ(total(folder).at("kernels"), total("own").at("kernels"));
  }
  expect_complaint("run --set memory.boundary.memory=external -- bfs", "or name a --plugin that brings the rest");
  expect_complaint("run --sample 3% --plugin '" MEMORY_PLUGIN "' --set memory.boundary.memory=external -- bfs",
                   "cannot stand with an external memory");
}

// The program checks its results.
class Instruction : public Plugins {
 protected:
  static std::string with(const std::string& options) {
    return "run --plugin '" INSTRUCTION_PLUGIN "' --set cores=2 " + options + " -- " HAMMING_PROGRAM;
  }
  std::uint64_t cycles_with(const std::string& options) const {
    good(with(options + " --out one"));
    EXPECT_EQ(run_json("one").at("outcome"), "ok");
    return total("one").at("cycles");
  }
};

TEST_F(Instruction, IsRightUnderEveryMechanismAndWithoutTime) {
  const Json compared = Json::parse(
      good("compare --plugin '" INSTRUCTION_PLUGIN "' --set cores=2 --mechanisms all --json -- " HAMMING_PROGRAM).out);
  for (const Json& row : compared.at("comparison")) {
    EXPECT_NE(row.at("status"), "wrong") << row.dump();
  }
  good(with("--timing functional"));
  good(with("--mechanism dwf --set core.lane_map=xor_rev"));
  good("check --plugin '" INSTRUCTION_PLUGIN "' -- " HAMMING_PROGRAM);
}

TEST_F(Instruction, TakesTheTimeOfItsUnit) {
  const std::uint64_t own = cycles_with("");
  EXPECT_EQ(cycles_with("--set core.operations.custom.latency_cycles=3"), own);
  EXPECT_GT(cycles_with("--set core.operations.custom.latency_cycles=60"), own);
  EXPECT_GT(cycles_with("--set core.operations.custom.interval_cycles=60"), own);
}

TEST_F(Instruction, ItsRtlExecutesWhatTheLanesDo) {
  good(with("--rtl popacc_lane='" POPACC_LANE "' --rtl-check cycle --out rtl"));
  const Json block = run_json("rtl").at("rtl").at("popacc_lane");
  // Every thread goes round as often as its number says, and two of three have another one behind it.
  constexpr unsigned kThreads = 11 * 96;
  unsigned expected = 0;
  for (unsigned i = 0; i < kThreads; ++i) expected += i % 7 + (i % 3 != 2 ? 1 : 0);
  EXPECT_EQ(block.at("operations"), expected);
  EXPECT_EQ(block.at("latency_clocks"), Json::parse("[3, 3]"));
  EXPECT_EQ(total("rtl").at("cycles"), cycles_with(""));

  std::string wrong = read_file(POPACC_LANE);
  const std::string sum = "res_o <= c_of_bits +";
  ASSERT_NE(wrong.find(sum), std::string::npos);
  wrong.replace(wrong.find(sum), sum.size(), "res_o <= c_of_bits |");
  write_file("wrong.sv", wrong);
  const Result r = warpfold(with("--rtl popacc_lane=wrong.sv"));
  EXPECT_NE(r.status, 0);
  EXPECT_NE(r.err.find("popacc.u32 0x"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("res_o: expected 0x"), std::string::npos) << r.err;
  EXPECT_NE(warpfold(with("--rtl popacc_lane")).err.find("name the file of its RTL: --rtl popacc_lane=FILE"),
            std::string::npos);
  EXPECT_NE(warpfold(with("--rtl-check cycle --rtl popacc_lane='" POPACC_LANE
                          "' --set core.operations.custom.latency_cycles=5"))
                .err.find("a result after 5 clocks"),
            std::string::npos);
}

TEST_F(Instruction, IsAmongTheCostsOfTheCore) {
  const Json parts =
      Json::parse(good("area --core --plugin '" INSTRUCTION_PLUGIN "' --rtl popacc_lane='" POPACC_LANE "' --json").out);
  EXPECT_NE(parts.dump().find("popacc_lane"), std::string::npos) << parts.dump();
  EXPECT_EQ(parts.dump().find("logic without popacc_lane"), std::string::npos) << "it was synthesised";
  const Result text = good("area --core --plugin '" INSTRUCTION_PLUGIN "' --rtl popacc_lane='" POPACC_LANE "'");
  EXPECT_EQ(text.out.find("unknown block popacc_lane"), std::string::npos) << text.out;
}

TEST_F(Instruction, MistakesAreOneLine) {
  const std::string rest = "-- " HAMMING_PROGRAM;
  EXPECT_NE(warpfold("run " + rest).err.find("unsupported instruction 'popacc.u32"), std::string::npos);
  expect_complaint("run" + of("add_mine") + rest, "instruction 'add.mine': PTX has 'add'; give it another name");
  expect_complaint("run" + of("capitals") + rest, "instruction 'Popacc.u32': write it as PTX does, in small letters");
  expect_complaint("run" + of("at_once") + rest, "instruction 'now.u32': its unit takes 1 to 1000 cycles");
  expect_complaint("run --plugin '" INSTRUCTION_PLUGIN "'" + of("once") + rest,
                   "instruction 'popacc.u32' is there already; give it another name");
  expect_complaint("run --plugin '" INSTRUCTION_PLUGIN "' --set core.issue_interval_cycles=4 " + rest,
                   "longer than the pipeline (popacc.u32 = 3)");
}

TEST_F(Plugins, MistakesAreOneLine) {
  const std::string rest = "-- " CHECKED_PROGRAM " right";
  expect_complaint("run --plugin nowhere.so " + rest, "nowhere.so: there is no such plug-in");
  write_file("text.so", "no library");
  expect_complaint("run --plugin text.so " + rest, "text.so: this is no plug-in: link it with Warpfold::plugin");
  expect_complaint("run" + of("empty") + rest, "it brings nothing");
  expect_complaint("run" + of("taken") + rest, "there is a mechanism 'pdom' already; give it another name");
  fs::copy_file(MEMORY_PLUGIN, directory_ / "second.so");
  expect_complaint("run --plugin '" MEMORY_PLUGIN "' --plugin second.so " + rest,
                   "has brought a memory; leave one out");
  expect_complaint("run --plugin a:b.so " + rest, "plug-ins lie in paths without a colon");
  // One that was built for other headers.
  std::string bytes = read_file(PLUGINS "/never_meet.so");
  const std::string mark = "warpfold plug-in of: ";
  const std::size_t at = bytes.find(mark);
  ASSERT_NE(at, std::string::npos);
  bytes[at + mark.size()] = '7';
  write_file("other.so", bytes);
  expect_complaint("run --plugin other.so " + rest, "it was built for Warpfold 7");
  expect_complaint("run" + of("unresolved") + rest, "unresolved.so: undefined symbol: _Z7nowherev");
}

}  // namespace plugins_test
}  // namespace warpfold
