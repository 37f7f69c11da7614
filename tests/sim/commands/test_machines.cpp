// SPDX-License-Identifier: Apache-2.0
// `warpfold machines`: a machine's values; what differs, with the comments of both files, and what is not a machine.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/common/command_line.h"

namespace warpfold {
namespace machines_test {

class Machines : public CommandLineTest {
 protected:
  // A copy of tbc2011 in which `from` is `to`.
  void copy_with(const std::string& name, const std::string& from, const std::string& to) {
    std::ifstream file(std::string(WARPFOLD_DOCS) + "/../configs/machines/tbc2011.yaml");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file(name, text.replace(at, from.size(), to));
  }
};

TEST_F(Machines, DifferencesComeWithBothSources) {
  copy_with("mine.yaml", "  simd_width: 8                  # TBC Table 2: a warp takes four cycles",
            "  simd_width: 16 # measured here");
  const Result r = warpfold("machines diff tbc2011 ./mine.yaml");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(
      r.out.starts_with("core.simd_width [lanes]\n"
                        "  tbc2011: 8  # TBC Table 2: a warp takes four cycles\n"
                        "  ./mine.yaml: 16  # measured here\n"
                        "1 of "))
      << r.out;
}

TEST_F(Machines, ValuesWithoutACommentHaveNone) {
  copy_with("mine.yaml", "cores: 30                        # TBC Table 2", "cores: 31");
  const Result r = warpfold("machines diff ./mine.yaml tbc2011");
  EXPECT_NE(r.out.find("cores [cores]\n  ./mine.yaml: 31\n  tbc2011: 30  # TBC Table 2\n"), std::string::npos) << r.out;
}

// The file says nothing of additions: what it says of all operations stands for them.
TEST_F(Machines, KeysThatAFileDoesNotGiveHaveTheSourceOfTheirSection) {
  const Result r = warpfold("machines diff tbc2011 gtx480");
  EXPECT_NE(r.out.find("core.operations.int_add.latency_cycles [cycles]\n"
                       "  tbc2011: 0  # shader.cc: one latency for all instructions\n  gtx480: 10  # "),
            std::string::npos)
      << r.out;
}

// The two readings of TBC Table 2 differ in what the width of the pipeline decides, and in nothing else.
TEST_F(Machines, TheReadingsOfTableTwoDifferInThePipelineAlone) {
  const Result r = warpfold("machines diff tbc2011 tbc2011-325mhz");
  for (const char* key : {"clock_mhz", "simd_width", "sfu_width", "fp64_width", "address_latency_cycles",
                          "lsu_queue_entries", "shared_banks"}) {
    EXPECT_NE(r.out.find(std::string("core.") + key), std::string::npos) << key;
  }
  EXPECT_NE(r.out.find("\n7 of "), std::string::npos) << r.out;
}

TEST_F(Machines, OneThatIsTheSameIsSaidToBe) {
  const Result r = warpfold("machines diff tbc2011 tbc2011");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(r.out.starts_with("tbc2011 and tbc2011 are the same in all ")) << r.out;
}

TEST_F(Machines, AllValuesOfOneComeWithTheirSources) {
  write_file("mine.yaml", "base: volta\ncores: 7  # counted\n");
  const Result r = warpfold("machines show ./mine.yaml --json");
  EXPECT_EQ(r.status, 0) << r.err;
  const auto rows = nlohmann::json::parse(r.out);
  const auto row = [&](const std::string& key) {
    return *std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one["key"] == key; });
  };
  EXPECT_EQ(row("cores"), (nlohmann::json{{"key", "cores"}, {"value", 7}, {"unit", "cores"}, {"source", "counted"}}));
  EXPECT_EQ(row("defaults.mechanism")["value"], "pdom");
  EXPECT_FALSE(row("core.warp_size")["source"].get<std::string>().empty());
}

TEST_F(Machines, MistakesAreOneLine) {
  for (const auto& [arguments, complaint] :
       {std::pair{"machines diff tbc2011 tbc2012", "did you mean 'tbc2011'?"},
        std::pair{"machines diff tbc2011 ./none.yaml", "./none.yaml: cannot read this configuration file"},
        std::pair{"machines show tbc2012", "did you mean 'tbc2011'?"},
        std::pair{"machines diff tbc2011", "second is required"},
        std::pair{"machines", "warpfold machines: no command is given; known are "}}) {
    const Result r = warpfold(arguments);
    EXPECT_EQ(r.status, 2) << arguments;
    EXPECT_NE(r.err.find(complaint), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

}  // namespace machines_test
}  // namespace warpfold
