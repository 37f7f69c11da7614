// SPDX-License-Identifier: Apache-2.0
// Launch by launch; what instructions do under it is in tests/isa/execute/access/test_checked_access.cpp.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warpfold/isa/check/memory_checker.h"

namespace warpfold::isa {
namespace memory_checker_test {

TEST(MemoryChecker, CountsOverLaunchesAndWritesJson) {
  DeviceMemory memory(1 << 20);
  MemoryChecker checker({.memory = true, .races = true}, memory);
  MicroOp op;
  op.kind = Kind::kLoad;
  unsigned described = 0;
  const auto describe = [&] {
    ++described;
    Finding finding;
    finding.kernel = std::string(1, 'k');
    finding.ptx = "k.ptx:1: ld.u32";
    return finding;
  };
  for (unsigned launch = 0; launch < 2; ++launch) {
    checker.launch_started();
    for (unsigned k = 0; k < 3; ++k) EXPECT_TRUE(checker.suppresses(FindingKind::kUseAfterFree, op, describe));
    EXPECT_EQ(checker.launch_ended(), KernelFault::Kind::kIllegalAddress);
  }
  EXPECT_EQ(described, 2U) << "once a launch";
  checker.launch_started();
  EXPECT_EQ(checker.launch_ended(), std::nullopt);
  checker.launch_failed("kernel 'j': traps");
  const nlohmann::json json = nlohmann::json::parse(checker.json());
  EXPECT_EQ(json.at("tools"), nlohmann::json({"memory", "races"}));
  EXPECT_EQ(json.at("errors"), 7);
  EXPECT_EQ(json.at("stray_reads"), 0);
  ASSERT_EQ(json.at("findings").size(), 2U);
  EXPECT_EQ(json.at("findings").at(0).at("count"), 6);
  EXPECT_EQ(json.at("findings").at(0).at("launch"), 0);
  EXPECT_EQ(json.at("findings").at(1).at("launch"), 3);
}

TEST(MemoryChecker, LooksOnlyForWhatWasAsked) {
  DeviceMemory memory(1 << 20);
  const MicroOp op;
  MemoryChecker races({.races = true}, memory);
  EXPECT_FALSE(races.suppresses(FindingKind::kOutOfBounds, op, [] { return Finding{}; }));
  EXPECT_EQ(races.findings().all().size(), 0U);
  EXPECT_FALSE(CheckParams{}.any());
  EXPECT_TRUE(CheckParams{.stray_reads = StrayReads::kZero}.any());
  EXPECT_FALSE(CheckParams{.independent_threads = true}.any());
}

}  // namespace memory_checker_test
}  // namespace warpfold::isa
