// SPDX-License-Identifier: Apache-2.0
// Intra-warp Fig. 8 and Table 2 on the whole machine: balanced if/else blocks and nested branches on ivb2013, under no
// packing of lanes, Ivy Bridge's, BCC and SCC.
//
// Times are what the blocks add when they grow from n to 2 n instructions, with all EU threads busy: the branches
// around them cancel out, as they vanish in the paper's long blocks, and what is left is exact.
#include <gtest/gtest.h>

#include <array>

#include "tests/gpu/kernel_machine.h"

namespace warpfold {
namespace intra_warp_fig8_test {

constexpr unsigned kInstructions = 64;
constexpr unsigned kThreadsPerEu = 6;
constexpr std::array kPackings{"none", "ivb", "bcc", "scc"};
using Times = std::array<double, kPackings.size()>;

// Integers, which only the FPU takes, on four registers in turn.
std::string block(unsigned instructions) {
  std::string text;
  for (unsigned i = 0; i < instructions; ++i) text += fmt::format("mad.lo.u32 %r{0}, %r{0}, %r9, %r9;\n", 1 + i % 4);
  return text;
}

// Lanes of the mask run one block, the others a block of the same length.
std::string if_else(unsigned mask, unsigned instructions) {
  return fmt::format("shr.u32 %r7, {}, %r5;\nand.b32 %r7, %r7, 1;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra ELSE;\n", mask) +
         block(instructions) + "bra JOIN;\nELSE:\n" + block(instructions) + "JOIN:\n";
}

// A branch on each of the lane number's lowest `levels` bits, a block at the end of each path.
std::string nested(unsigned levels, unsigned instructions, unsigned path = 1) {
  if (levels == 0) return block(instructions);
  return fmt::format("and.b32 %r7, %r5, {1};\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra ONE{0};\n", path, 1u << (levels - 1)) +
         nested(levels - 1, instructions, 2 * path) + fmt::format("bra JOIN{0};\nONE{0}:\n", path) +
         nested(levels - 1, instructions, 2 * path + 1) + fmt::format("JOIN{0}:\n", path);
}

class IvyBridge : public testing::Test {
 protected:
  static double cycles(const std::string& body, const char* packing) {
    const RunOptions options = RunOptions::resolve("ivb2013", "pdom", {fmt::format("core.lane_packing={}", packing)});
    KernelMachine<> machine(
        ptx_module(".entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\nmov.u32 %r5, %laneid;\n" + body + "ret;\n}\n"),
        options);
    machine.run("k", {3}, {12 * 16});  // six threads on each of six EUs
    return machine.device.results().last_launch().at("cycles");
  }
  // Cycles of the FPU per instruction of the block, over all paths.
  template <class Body>
  static Times times(const Body& body) {
    Times times{};
    for (std::size_t i = 0; i < kPackings.size(); ++i) {
      const double once = cycles(body(kInstructions), kPackings[i]);
      times[i] = (cycles(body(2 * kInstructions), kPackings[i]) - once) / (kThreadsPerEu * kInstructions);
    }
    return times;
  }
  static Times figure8(unsigned mask) {
    return times([mask](unsigned instructions) { return if_else(mask, instructions); });
  }
  static Times table2(unsigned level) {
    return times([level](unsigned instructions) { return nested(level, instructions); });
  }
};

// Relative to the first bar, the paper shows 1, 1, 1.5, 2 and 2 for Ivy Bridge ("ivb").
TEST_F(IvyBridge, Figure8) {
  EXPECT_EQ(figure8(0xffff), (Times{4, 4, 4, 4}));
  EXPECT_EQ(figure8(0x00ff), (Times{8, 4, 4, 4})) << "as fast as without divergence";
  EXPECT_EQ(figure8(0xff0f), (Times{8, 6, 4, 4})) << "Ivy Bridge gains from the else block, 0x00f0";
  EXPECT_EQ(figure8(0xf0f0), (Times{8, 8, 4, 4})) << "a full BCC would make it as fast";
  EXPECT_EQ(figure8(0xaaaa), (Times{8, 8, 8, 4})) << "SCC would help";
}

// Percent of the time without packing that each saves beyond the one before.
struct Benefits {
  double ivb, bcc, scc;
  bool operator==(const Benefits&) const = default;
};
Benefits benefits(const Times& times) {
  const auto saved = [&](std::size_t from) { return 100 * (times[from] - times[from + 1]) / times[0]; };
  return {saved(0), saved(1), saved(2)};
}

TEST_F(IvyBridge, Table2) {
  EXPECT_EQ(benefits(table2(1)), (Benefits{0, 0, 50})) << "L1: 5555, AAAA";
  EXPECT_EQ(benefits(table2(2)), (Benefits{0, 0, 75})) << "L2: 1111, 2222, 4444, 8888";
  EXPECT_EQ(benefits(table2(3)), (Benefits{0, 50, 25})) << "L3: 0101, 1010, …";
  EXPECT_EQ(benefits(table2(4)), (Benefits{50, 25, 0})) << "L4: one lane each";
}

}  // namespace intra_warp_fig8_test
}  // namespace warpfold
