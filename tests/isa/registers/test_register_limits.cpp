// SPDX-License-Identifier: Apache-2.0
// Registers per thread: the machine's limit, directives, launch bounds, the block of a launch, and the lowest of them.
#include <gtest/gtest.h>

#include "tests/isa/ptx_fixture.h"
#include "warpfold/isa/registers/register_limits.h"

namespace warpfold::isa {
namespace register_limits_test {

constexpr RegisterLimits kFermi{.per_thread = 63, .per_core = 32768, .threads_per_core = 1536, .warp_size = 32};

ptx::Function entry_with(const std::string& directives) {
  const std::string text = with_header(".visible .entry k()\n" + directives + "\n{\nret;\n}\n");
  return ptx::parse(text, "t.ptx").functions.at(0);
}

RegisterCap cap_of(const std::string& directives, unsigned block_threads = 0) {
  return register_cap(kFermi, entry_with(directives), block_threads);
}

TEST(RegisterLimits, Machine) {
  EXPECT_EQ(cap_of("").registers, 63U);
  EXPECT_EQ(cap_of("").reason, "core.max_registers_per_thread = 63");
  EXPECT_EQ(cap_of(".maxntid 256, 1, 1").registers, 63U) << "no number of blocks is asked for";
}

TEST(RegisterLimits, Maxnreg) {
  EXPECT_EQ(cap_of(".maxnreg 20").registers, 20U);
  EXPECT_EQ(cap_of(".maxnreg 20").reason, ".maxnreg 20");
  EXPECT_EQ(cap_of(".maxnreg 64").registers, 63U);
}

// 4 × 256 threads in 32768 registers; whole warps: 250 threads take the registers of 256.
TEST(RegisterLimits, LaunchBounds) {
  EXPECT_EQ(cap_of(".maxntid 256, 1, 1\n.minnctapersm 4").registers, 32U);
  EXPECT_EQ(cap_of(".maxntid 250, 1, 1\n.minnctapersm 4").registers, 32U);
  EXPECT_EQ(cap_of(".maxntid 16, 16, 1\n.minnctapersm 4").reason,
            "4 blocks of 256 threads (.minnctapersm) in 32768 registers");
  EXPECT_EQ(cap_of(".maxntid 256, 1, 1\n.minnctapersm 2").registers, 63U);
  EXPECT_EQ(cap_of(".maxntid 256, 1, 1\n.minnctapersm 100").registers, 21U) << "six such blocks have threads";
}

TEST(RegisterLimits, BlockOfTheLaunch) {
  EXPECT_EQ(cap_of("", 1024).registers, 32U);
  EXPECT_EQ(cap_of("", 1000).registers, 32U);
  EXPECT_EQ(cap_of("", 512).registers, 63U);
  EXPECT_EQ(cap_of("", 1024).reason, "a block of 1024 threads in 32768 registers (core.registers)");
  EXPECT_EQ(cap_of("", 2048).registers, 63U) << "refused for its threads, not for its registers";
}

TEST(RegisterLimits, NoneByDefault) {
  EXPECT_EQ(register_cap({}, entry_with(".maxntid 1024, 1, 1\n.minnctapersm 8"), 1024).registers, 0xffffffffU / 8192);
}

}  // namespace register_limits_test
}  // namespace warpfold::isa
