// SPDX-License-Identifier: Apache-2.0
// Runs of whole programs with RTL in the machine.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/common/command_line.h"
#include "tests/cosim/test_directory.h"

namespace warpfold {

namespace fs = std::filesystem;

// `text` with its only `from` replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class InMachine : public CommandLineTest {
 protected:
  InMachine() : CommandLineTest(test_directory()) {
    environment_ = "WARPFOLD_CACHE='" WARPFOLD_TEST_CACHE "'";  // one for all these tests: a block is built once
  }

  nlohmann::json rtl(const std::string& where) const {
    return nlohmann::json::parse(read_file(directory_ / where / "run.json"))["rtl"];
  }

  std::uint64_t cycles(const std::string& where) const {
    return nlohmann::json::parse(read_file(directory_ / where / "stats.json"))["total"]["cycles"];
  }

  // Runs `what` with and without `blocks`, whose clocks count either way, and returns what the RTL did.
  nlohmann::json same_with(const std::string& blocks, const std::string& what,
                           const std::string& clocks = "rtl") const {
    const std::string counting = "--set core.logic.clocks=" + clocks + " " + what;
    const Result model = warpfold("run --out model " + counting);
    EXPECT_EQ(model.status, 0) << model.err;
    const Result rtl_run = warpfold("run --out rtl --rtl " + blocks + " --rtl-check cycle " + counting);
    EXPECT_EQ(rtl_run.status, 0) << rtl_run.err << rtl_run.out;
    EXPECT_TRUE(read_file(directory_ / "model/stats.json") == read_file(directory_ / "rtl/stats.json")) << what;
    return rtl("rtl");
  }
};

inline void expect_work(const nlohmann::json& block) {
  EXPECT_GT(block["operations"].get<std::uint64_t>(), 0U);
  EXPECT_GE(block["clocks"].get<std::uint64_t>(), block["operations"].get<std::uint64_t>());
  EXPECT_FALSE(block.contains("note")) << block;
  EXPECT_FALSE(block.contains("late_cycles")) << block;
}

}  // namespace warpfold
