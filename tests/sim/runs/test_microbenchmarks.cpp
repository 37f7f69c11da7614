// SPDX-License-Identifier: Apache-2.0
// The bundled microbenchmarks print of a machine what the chip's print (configs/silicon/titan_v.csv), within 10 %, but
// for rows that are listed here with their reasons; those must be outside.
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/common/command_line.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace microbenchmarks_test {

constexpr const char* kMachine = "titan-v";
constexpr double kWithin = 0.10;

// Why a row is not within 10 % of the chip.
const std::map<std::string, std::string>& reasons() {
  static const std::map<std::string, std::string> all{
      {"clock",
       "the property is the chip's most; 1200 MHz is its base clock, with which the rows in GB/s were reckoned"},
      {"L1 bandwidth 32-bit loads",
       "no source says why the chip's L1 moves 78 bytes a cycle here and 123 with 64 bits"},
      {"L1 bandwidth 64-bit loads", "the queue of 16 before the load/store unit, which nobody measured; 115 with 32"},
      {"global atomic add on one word",
       "the clocks of different cores, not set to one time, as the same output's 4e14 cycles of another row show"},
  };
  return all;
}

struct Row {
  double value = 0;
  std::string unit;
};
using Rows = std::map<std::string, Row>;

// Lines "quantity,value,unit", whatever comes behind; others are left out.
Rows rows_of(std::istream&& text) {
  Rows rows;
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    std::string quantity, value, unit;
    if (line[0] == '#' || !std::getline(cells, quantity, ',') || !std::getline(cells, value, ',') ||
        !std::getline(cells, unit, ',') || value == "value") {
      continue;
    }
    EXPECT_TRUE(rows.emplace(quantity, Row{std::stod(value), unit}).second) << quantity << " twice";
  }
  return rows;
}

const Rows& chip() {
  static const Rows rows = rows_of(std::ifstream(WARPFOLD_SILICON "/titan_v.csv"));
  return rows;
}

class Microbenchmarks : public CommandLineTest {
 protected:
  Rows printed(const std::string& quantities) const {
    const Result result =
        warpfold(std::string("run -q --mechanism pdom --machine ") + kMachine + " --out out -- micro " + quantities);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return rows_of(std::istringstream(result.out));
  }
};

TEST_F(Microbenchmarks, PrintWhatTheChipsPrint) {
  Rows rows = printed("--size default");
  const MachineConfig machine = RunOptions::resolve(kMachine, "pdom", {}).machine;
  rows["L2 slices"] = {double{1} * machine.memory.channels * machine.memory.slices_per_channel, "slices"};
  ASSERT_EQ(chip().size(), 35U);
  ASSERT_EQ(rows.size(), chip().size());
  std::size_t within = 0;
  for (const auto& [quantity, measured] : chip()) {
    SCOPED_TRACE(quantity);
    ASSERT_TRUE(rows.count(quantity));
    const Row& ours = rows.at(quantity);
    EXPECT_EQ(ours.unit, measured.unit);
    const bool near = std::abs(ours.value / measured.value - 1) <= kWithin;
    const auto reason = reasons().find(quantity);
    EXPECT_EQ(near, reason == reasons().end())
        << ours.value << ", the chip " << measured.value << (near ? ": within now, not as listed: " : "")
        << (near ? reason->second : "");
    within += near ? 1 : 0;
  }
  std::cout << within << " of " << chip().size() << " rows within 10 % of the chip\n";
  for (const auto& [quantity, reason] : reasons()) EXPECT_TRUE(chip().count(quantity)) << quantity;
}

// What is asked of a machine that is described by the chip's figures.
TEST_F(Microbenchmarks, AllButFiveRows) { EXPECT_LE(reasons().size(), 5U); }

TEST_F(Microbenchmarks, PrintOneRowOrThoseOfAPart) {
  EXPECT_EQ(printed("'shared memory latency'").size(), 1U);
  EXPECT_EQ(printed("'L1 bandwidth 32-bit loads'").size(), 1U);  // also the beginning of another's name
  EXPECT_EQ(printed("'L1 bandwidth'").size(), 5U);
  const Rows two = printed("SMs clock");
  EXPECT_EQ(two.size(), 2U);
  EXPECT_EQ(two.at("SMs").value, 80);
}

TEST_F(Microbenchmarks, WithoutSuchARowSayWhat) {
  const Result result = warpfold("run -q --machine volta --out out -- micro 'L4 latency'");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("micro: error: no quantity has 'L4 latency' in its name; without one all are measured\n"),
            std::string::npos)
      << result.err;
}

}  // namespace microbenchmarks_test
}  // namespace warpfold
