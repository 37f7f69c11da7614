// SPDX-License-Identifier: Apache-2.0
// The `warpfold` program as its users meet it: what it prints, where results go and how it ends.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/common/command_line.h"

namespace warpfold {
namespace command_line_test {

namespace fs = std::filesystem;

class CommandLine : public CommandLineTest {
 protected:
  nlohmann::json stats(const std::string& where) const {
    return nlohmann::json::parse(read_file(directory_ / where / "stats.json"));
  }
  const std::string pretend_ = PRETEND_PROGRAM;
};

TEST_F(CommandLine, RunPrintsTheProgramsOutputThenTheTable) {
  const Result r = warpfold("run --mechanism pdom --out here -- " + pretend_ + " say hello");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_LT(r.out.find("saying hello"), r.out.find("kernel"));
  EXPECT_NE(r.out.find("pretend on tbc2011 under pdom, results in here"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\nkernel.0.work "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("\ntotal"), std::string::npos);
  EXPECT_NE(r.out.find("3000"), std::string::npos);
  EXPECT_EQ(stats("here")["total"]["cycles"], 3000);
  EXPECT_NE(read_file(directory_ / "here/config.effective.yaml").find("  mechanism: pdom\n"), std::string::npos);
  EXPECT_TRUE(fs::exists(directory_ / "here/stats.csv"));
  EXPECT_TRUE(fs::exists(directory_ / "here/run.json"));
}

TEST_F(CommandLine, RunWithoutTheDashesAndWithoutOut) {
  const Result r = warpfold("run --mechanism tbc " + pretend_ + " say hello");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(stats(keyed("results/pretend/tbc"))["total"]["cycles"], 2000);
}

TEST_F(CommandLine, RunHandsTheProgramsOptionsOn) {
  EXPECT_NE(warpfold("run -- " + pretend_ + " say --set").out.find("saying --set"), std::string::npos);
}

TEST_F(CommandLine, FailedProgramsGiveOne) {
  const Result failed = warpfold("run --out here -- " + pretend_ + " fail");
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.err.find("failed: exit status 1"), std::string::npos) << failed.err;
  const Result crashed = warpfold("run --out here -- " + pretend_ + " crash");
  EXPECT_EQ(crashed.status, 1);
  EXPECT_NE(crashed.err.find("killed by signal 9"), std::string::npos) << crashed.err;
}

TEST_F(CommandLine, IncompleteResultsAreNotShown) {
  const Result r = warpfold("run --out here -- " + pretend_ + " leave");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("left before its results were complete"), std::string::npos) << r.err;
  EXPECT_EQ(r.out, "");
}

TEST_F(CommandLine, OldResultsAreNotTakenForNew) {
  ASSERT_EQ(warpfold("run --out here -- " + pretend_).status, 0);
  EXPECT_EQ(warpfold("run --out here -- " + pretend_ + " silent").status, 0);
  EXPECT_FALSE(fs::exists(directory_ / "here/stats.json"));
}

TEST_F(CommandLine, CompareWritesOneDirectoryPerPointAndTheSpeedUp) {
  const Result r = warpfold("compare --mechanisms ' pdom, capri' --out study -j 2 -- " + pretend_ + " say x");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(stats(keyed("study/pretend/pdom"))["total"]["cycles"], 3000);
  EXPECT_EQ(stats(keyed("study/pretend/capri"))["total"]["cycles"], 2000);
  EXPECT_EQ(read_file(directory_ / keyed("study/pretend/capri") / "program.out"), "saying x\n");
  EXPECT_EQ(r.out.find("saying"), std::string::npos);
  EXPECT_NE(r.out.find("speed-up"), std::string::npos);
  EXPECT_NE(r.out.find("1.50"), std::string::npos) << r.out;
  EXPECT_NE(r.err.find("[3/3] "), std::string::npos) << r.err;
}

TEST_F(CommandLine, CompareSeveralProgramsPrintsAGeometricMean) {
  fs::copy_file(pretend_, directory_ / "other");
  const Result r = warpfold("compare --mechanisms pdom,tbc " + pretend_ + " ./other");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("geometric mean  1.00  1.50"), std::string::npos) << r.out;
}

TEST_F(CommandLine, CompareOfAllBeginsWithPdom) {
  const Result r = warpfold("compare --mechanisms all --set core.warp_policy=LRR " + pretend_);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("issuing\npdom "), std::string::npos) << r.out;
  std::istringstream mechanisms(warpfold("list mechanisms").out);
  unsigned found = 0;
  for (std::string line; std::getline(mechanisms, line); ++found) {
    const std::string name = line.substr(0, line.find(' '));
    const std::string runs = "results/pretend/" + name;
    EXPECT_TRUE(fs::exists(directory_ / (name == "oracle" ? runs : keyed(runs) + "/stats.json"))) << name;
  }
  EXPECT_GE(found, 16U);
  const Result tbc_first = warpfold("compare --mechanisms tbc,all --set core.warp_policy=LRR " + pretend_);
  EXPECT_NE(tbc_first.out.find("issuing\ntbc "), std::string::npos) << tbc_first.out;
}

// The first program of the set has no such size.
TEST_F(CommandLine, CompareTakesThePapersSets) {
  const Result r = warpfold("compare --mechanisms pdom --size one-block harp:C");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("workload cp has no size 'one-block'"), std::string::npos) << r.err;
  EXPECT_NE(warpfold("list workloads").out.find("[harp:A "), std::string::npos);
}

// One line below a program's table, and only what concerns it: the thresholds are 25 %, 25 % and 50 %.
TEST_F(CommandLine, CompareWarnsWhereBlocksFillTheCoresBadly) {
  const auto warning = [this](const std::string& words) {
    const Result r = warpfold("compare --mechanisms pdom,tbc '" + pretend_ + words + "'");
    const auto at = r.out.find("\ncaution: ");
    return at == std::string::npos ? "" : r.out.substr(at + 1, r.out.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(warning(""), "");
  EXPECT_EQ(warning(" tail"),
            "caution: cycles with fewer than half of the cores in use: pdom 25%, tbc 25% (docs/statistics.md)");
  EXPECT_EQ(warning(" uneven"),
            "caution: cores without a block, unevenly loaded: pdom 40%, tbc 40% (docs/statistics.md)");
  EXPECT_EQ(warning(" few"),
            "caution: cycles in launches of less than two waves: pdom 50%, tbc 50% (docs/statistics.md)");
  EXPECT_EQ(warning(" tail few"),
            "caution: cycles with fewer than half of the cores in use: pdom 25%, tbc 25%; cycles in launches of less "
            "than two waves: pdom 50%, tbc 50% (docs/statistics.md)");
}

TEST_F(CommandLine, PlacesThatCannotBeMadeAreNotNamed) {
  std::filesystem::create_directory(directory_ / "blocked");
  std::ofstream(directory_ / "blocked/pretend") << "in the way";
  const Result r = warpfold("compare --mechanisms pdom --out blocked " + pretend_);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("cannot make this result directory"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("results in"), std::string::npos) << r.out;
}

TEST_F(CommandLine, RunWithALanePacking) {
  const Result r = warpfold("run --simd scc --mechanism tbc -- " + pretend_);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("pretend on tbc2011 under tbc+scc, results in " + keyed("results/pretend/tbc+scc") + "\n"),
            std::string::npos)
      << r.out;
  const std::string effective = read_file(directory_ / keyed("results/pretend/tbc+scc") / "config.effective.yaml");
  EXPECT_NE(effective.find("lane_packing: scc "), std::string::npos) << effective;
}

TEST_F(CommandLine, CompareTakesEveryMechanismWithEveryLanePacking) {
  const Result r = warpfold("compare --mechanisms pdom,capri --simd none,bcc --out study " + pretend_);
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* name : {"pdom+none", "pdom+bcc", "capri+none", "capri+bcc"}) {
    EXPECT_TRUE(fs::exists(directory_ / keyed(std::string("study/pretend/") + name) / "stats.json")) << name;
    EXPECT_NE(r.out.find(std::string("\n") + name + " "), std::string::npos) << r.out;
  }
}

TEST_F(CommandLine, CompareOfLanePackingsAlone) {
  const Result r = warpfold("compare --simd scc,all " + pretend_);
  EXPECT_EQ(r.status, 0) << r.err;
  const auto scc = r.out.find("\npdom+scc "), none = r.out.find("\npdom+none ");
  EXPECT_LT(scc, none) << r.out;
  EXPECT_LT(none, r.out.find("\npdom+ivb ")) << r.out;
}

// Without cycles there are no speed-ups: what lane packings would save instead.
TEST_F(CommandLine, CompareOfFunctionalRunsPrintsSavings) {
  fs::copy_file(pretend_, directory_ / "other");
  const Result r = warpfold("compare --timing functional --mechanisms pdom " + pretend_ + " './other coherent'");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out.find("speed-up"), std::string::npos) << r.out;
  const auto expect_row = [&r](const std::string& name, const std::string& bcc, const std::string& scc) {
    const auto at = r.out.find("\n" + name + " ");
    ASSERT_NE(at, std::string::npos) << name << " in " << r.out;
    std::istringstream row(r.out.substr(at + 1 + name.size(), r.out.find('\n', at + 1) - at - 1 - name.size()));
    std::vector<std::string> cells;
    for (std::string cell; row >> cell;) cells.push_back(cell);
    ASSERT_GE(cells.size(), 2U) << r.out;
    EXPECT_EQ(cells[cells.size() - 2], bcc) << name;
    EXPECT_EQ(cells.back(), scc) << name;
  };
  expect_row("maximum of all", "20.0%", "40.0%");
  expect_row("mean of all", "10.0%", "25.0%");
  expect_row("mean of divergent (< 95%)", "20.0%", "40.0%");
}

TEST_F(CommandLine, AnOverrideTakesOneWord) {
  const Result r = warpfold("compare --mechanisms pdom --set core.alu_latency_cycles=9 --set cores=3 " + pretend_);
  EXPECT_EQ(r.status, 0) << r.err;
  const std::string effective = read_file(directory_ / keyed("results/pretend/pdom") / "config.effective.yaml");
  EXPECT_NE(effective.find("alu_latency_cycles: 9 "), std::string::npos) << effective;
  EXPECT_NE(effective.find("cores: 3 "), std::string::npos) << effective;
}

TEST_F(CommandLine, CompareSaysWhyAMechanismCannotRun) {
  // Blocks of two warps at most, where TSTBC waits for three.
  const Result r = warpfold("compare --mechanisms pdom,tstbc --set core.max_threads=64 " + pretend_);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("\ntstbc      n/a: n = 3"), std::string::npos) << r.out;
}

TEST_F(CommandLine, CompareMarksAWrongProgramAndGivesOne) {
  const Result r = warpfold("compare --mechanisms pdom,tbc '" + pretend_ + " fail'");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("tbc        WRONG: FAIL: node 3 is wrong (exit status 1)\n"), std::string::npos) << r.out;
}

TEST_F(CommandLine, ListsComeFromTheTables) {
  const Result mechanisms = warpfold("list mechanisms");
  EXPECT_EQ(mechanisms.status, 0);
  for (const char* name : {"capri ", "\npdom ", "\npdom-lcp ", "\nharp ", "\ntbc "}) {
    EXPECT_NE(mechanisms.out.find(name), std::string::npos) << name << mechanisms.out;
  }
  EXPECT_NE(warpfold("list machines").out.find("tbc2011"), std::string::npos);
  EXPECT_NE(warpfold("list statistics").out.find("\nsimd_efficiency "), std::string::npos);
  EXPECT_NE(warpfold("list statistics --markdown").out.find("| `thread_instructions` | "), std::string::npos);
  EXPECT_NE(warpfold("list parameters").out.find("core.warp_size"), std::string::npos);
  EXPECT_NE(warpfold("list parameters --markdown").out.find("| `core.warp_size` | 32 |"), std::string::npos);
}

TEST_F(CommandLine, TellsItsVersion) {
  const Result told = warpfold("--version");
  EXPECT_EQ(told.status, 0);
  EXPECT_TRUE(std::regex_match(told.out, std::regex("warpfold \\d+\\.\\d+\\.\\d+\n"))) << told.out;
}

// Every box and every arrow of the picture, which graphviz names in titles.
TEST_F(CommandLine, TheArchitecturesPictureShowsTheModules) {
  std::ifstream in(fs::path(WARPFOLD_DOCS) / "architecture.svg");
  const std::string picture{std::istreambuf_iterator<char>(in), {}};
  std::istringstream modules(warpfold("list modules").out);
  unsigned arrows = 0;
  for (std::string line; std::getline(modules, line);) {
    std::istringstream words(line);
    std::string from;
    words >> from;
    std::set<std::string> targets;
    for (std::string to, socket; words >> to >> socket;) targets.insert(to);
    for (const std::string& to : targets) {
      ++arrows;
      EXPECT_NE(picture.find("<title>" + from + "&#45;&gt;" + to + "</title>"), std::string::npos)
          << from << " to " << to << ": run scripts/architecture-picture";
    }
  }
  const std::regex arrow("<title>[^<]*&#45;&gt;");
  const std::sregex_iterator first(picture.begin(), picture.end(), arrow), end;
  EXPECT_EQ(std::distance(first, end), arrows) << "run scripts/architecture-picture";
}

// A kernel of any other compiler: x[i] += k, with a launch description that says what must come out.
constexpr const char* kAddPtx = R"(.version 6.3
.target sm_70
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 k)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [k];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.s32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

TEST_F(CommandLine, RunsAPtxFile) {
  std::ofstream(directory_ / "add.ptx") << kAddPtx;
  const auto describe = [&](const char* expected) {
    std::ofstream(directory_ / "launch.yaml")
        << "grid: [1]\nblock: [64]\nbuffers:\n  x: {type: u32, count: 64, fill: 2}\n"
        << "arguments: [x, u32 5]\nchecks:\n  x: {equals: " << expected << "}\n";
  };
  describe("7");
  const Result right = warpfold("run --out here --ptx add.ptx launch.yaml");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_NE(right.out.find("\nkernel.0.add "), std::string::npos) << right.out;
  EXPECT_EQ(stats("here")["total"]["thread_instructions"].get<int>() % 64, 0);
  describe("8");
  const Result wrong = warpfold("run --out here --ptx add.ptx launch.yaml");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.out.find("check failed: x[0] is 7, expected 8"), std::string::npos) << wrong.out;
}

// A jump over nothing: an assembler drops it, a PTX file keeps it unless told otherwise.
TEST_F(CommandLine, CodeOfAPtxFileStaysAsWritten) {
  std::string text = kAddPtx;
  const std::string add = "  add.s32 %r3, %r3, %r1;\n";
  text.replace(text.find(add), add.size(), add + "  bra.uni NEXT;\nNEXT:\n");
  std::ofstream(directory_ / "add.ptx") << text;
  std::ofstream(directory_ / "launch.yaml")
      << "grid: [1]\nblock: [64]\nbuffers:\n  x: {type: u32, count: 64, fill: 2}\narguments: [x, u32 5]\n";
  const std::pair<const char*, int> points[] = {{"", 11}, {"--code as-written", 11}, {"--code placed", 10}};
  for (const auto& [option, instructions] : points) {
    const Result r = warpfold(std::string("run --out here ") + option + " --ptx add.ptx launch.yaml");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(stats("here")["total"]["warp_instructions"], 2 * instructions) << option;
    const std::string code = instructions == 10 ? "placed" : "as-written";
    EXPECT_NE(read_file(directory_ / "here/config.effective.yaml").find("  code: " + code + "\n"), std::string::npos);
    EXPECT_NE(read_file(directory_ / "here/run.json").find("\"code\": \"" + code + "\""), std::string::npos);
  }
}

struct Mistake {
  const char* arguments;
  const char* message;  // a part of the line on stderr
};

// Names the tests; without it GoogleTest prints the pointers, which differ from run to run.
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << '"' << mistake.arguments << '"'; }

class Mistakes : public CommandLine, public testing::WithParamInterface<Mistake> {};

// Every mistake is one line on stderr, and 2.
TEST_P(Mistakes, OneLineAndTwo) {
  std::string arguments = GetParam().arguments;
  const auto at = arguments.find("PROGRAM");
  if (at != std::string::npos) arguments.replace(at, 7, pretend_);
  const Result r = warpfold(arguments);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(r.err.starts_with("warpfold: error: ")) << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  EXPECT_NE(r.err.find(GetParam().message), std::string::npos) << r.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{"", "warpfold: no command is given; known are run, "},
        Mistake{"study my.yaml", "my.yaml: no such command; known are "},
        Mistake{"study export --veiw x", "--veiw: no such option; did you mean '--view'?"},
        Mistake{"explain pdom", "b is required: warpfold explain [options] a b [program...] (warpfold explain --help)"},
        Mistake{"comapre", "comapre: no such command; did you mean 'compare'?"}, Mistake{"run", "no program given"},
        Mistake{"compare --mechanisms pdom", "no program given"},
        Mistake{"compare PROGRAM", "--mechanisms is required"},
        Mistake{"run --mashine x -- PROGRAM", "--mashine: no such option; did you mean '--machine'?"},
        Mistake{"compare --mechanism pdom PROGRAM", "--mechanism: no such option; did you mean '--mechanisms'?"},
        Mistake{"run --mechanism tcb -- PROGRAM", "no mechanism 'tcb': did you mean 'tbc'?"},
        Mistake{"compare --mechanisms pdom,tcb PROGRAM", "did you mean 'tbc'?"},
        Mistake{"compare --mechanisms PDOM PROGRAM", "no mechanism 'PDOM': did you mean 'pdom'?"},
        Mistake{"compare --mechanisms pdom+scc PROGRAM",
                "no mechanism 'pdom+scc': scc packs the lanes of a warp, under any mechanism: --simd scc"},
        Mistake{"run --mechanism SCC -- PROGRAM", "no mechanism 'SCC': scc packs the lanes of a warp"},
        Mistake{"run bfs --mechanism tbc", "--mechanism: stands behind bfs, whose arguments those are"},
        Mistake{"run -- ./mine.cu", "./mine.cu: is a source file; compile it"},
        Mistake{"run --set simd_width=8 -- PROGRAM", "--set: simd_width: unknown key; did you mean 'core.simd_width'?"},
        Mistake{"run --set ways=8 -- PROGRAM", "--set: ways: unknown key; known are l1d.ways, "},
        Mistake{"run --set core.max_threads=100 -- PROGRAM",
                "tbc2011 with --set: core.max_threads = 100: not a multiple"},
        Mistake{"run --machine tbc2021 -- PROGRAM", "did you mean 'tbc2011'?"},
        Mistake{"run --machine ./none.yaml -- PROGRAM", "./none.yaml: cannot read this configuration file"},
        Mistake{"run --set core.wrap_size=8 -- PROGRAM",
                "--set: core.wrap_size: unknown key; did you mean 'warp_size'?"},
        Mistake{"run --set core.warp_size=33 -- PROGRAM", "--set: core.warp_size = 33: must be a power of two"},
        Mistake{"run --set core.warp_size -- PROGRAM", "expected key=value"},
        Mistake{"run --timing cycles -- PROGRAM", "--timing cycles: must be cycle or functional"},
        Mistake{"run --code placd -- PROGRAM", "--code placd: must be placed or as-written"},
        Mistake{"run --detail 7-3 -- PROGRAM", "--detail: detail = 7-3: must be"},
        Mistake{"run --sample 0% -- PROGRAM", "--sample 0%: must be a percentage above 0% and below 100%, such as 3%"},
        Mistake{"compare --sample abc --mechanisms pdom PROGRAM", "--sample abc: must be a percentage"},
        Mistake{"run --sample 3% --timing functional -- PROGRAM",
                "--sample 3%: cannot stand with --timing functional: it times nothing"},
        Mistake{"run --sample 3% --detail 7 -- PROGRAM", "--sample 3%: cannot stand with --detail"},
        Mistake{"run --sample 3% --trace perfetto -- PROGRAM", "--sample 3%: cannot stand with --trace"},
        Mistake{"run --sample 3% --mask-trace masks -- PROGRAM", "--sample 3%: cannot stand with --mask-trace"},
        Mistake{"compare --sample 3% --seeds 2 --mechanisms pdom PROGRAM", "--sample 3%: cannot stand with --seeds"},
        Mistake{"run -- ./nothing", "./nothing: neither a bundled workload nor an executable file"},
        Mistake{"compare --mechanisms pdom ./nothing", "./nothing: neither a bundled workload"},
        Mistake{"compare --mechanisms pdom PROGRAM " PRETEND_PROGRAM, "are one and the same run: give it once"},
        Mistake{"compare --mechanisms pdom -j 0 PROGRAM", "-j"},
        Mistake{"compare --mechanisms pdom,pdom PROGRAM", "pdom is given twice"},
        Mistake{"run --simd sccc -- PROGRAM", "--simd sccc: no such lane packing; did you mean 'scc'?"},
        Mistake{"run --simd none,scc -- PROGRAM", "--simd none,scc: one lane packing at a time"},
        Mistake{"run --set core.lane_packing=sbi -- PROGRAM", "core.lane_packing = sbi: must be none, ivb, bcc or scc"},
        Mistake{"compare --simd bcc,foo PROGRAM", "--simd foo: no such lane packing; known are none, ivb, bcc, scc"},
        Mistake{"compare --simd bcc,bcc PROGRAM", "--simd: bcc is given twice"},
        Mistake{"compare --mechanisms pdom tbc:divergnt", "no set of workloads 'tbc:divergnt'"},
        Mistake{"compare --size huge --mechanisms pdom x", "huge"},
        Mistake{"run --out /dev/null/x -- PROGRAM", "/dev/null/x: cannot make this result directory"},
        Mistake{"run --ptx none.ptx none.yaml", "none.ptx: cannot read this file"},
        Mistake{"run --ptx none.ptx", "give one launch description"},
        Mistake{"list mechanism", "list mechanism: did you mean 'mechanisms'?"}));

}  // namespace command_line_test
}  // namespace warpfold
