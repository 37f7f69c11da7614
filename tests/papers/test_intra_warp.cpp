// SPDX-License-Identifier: Apache-2.0
// Intra-warp compaction: the paper's worked examples, on the tables alone and in a machine with warps of 16 lanes on
// units of four.
#include <gtest/gtest.h>

#include <map>

#include "tests/divergence/packing/packings.h"
#include "tests/gpu/kernel_machine.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold {
namespace intra_warp_test {

using divergence::kEveryPacking;
using divergence::LanesOnUnit;
using divergence::LaneSource;
using divergence::Packing;
using isa::LaneMask;

constexpr unsigned kLanes = 16, kUnit = 4;
using Cycles = std::array<unsigned, kEveryPacking.size()>;  // none, ivb, bcc, scc

// An instruction in each of several paths.
Cycles cycles_of(const std::vector<LaneMask>& paths) {
  Cycles sum{};
  for (const LaneMask mask : paths) {
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += divergence::packed_cycles(kEveryPacking[i], {mask, kLanes, kUnit});
  }
  return sum;
}

// Table 2: what the branches of a loop's nesting level gain, each optimisation in its turn, in percent of the baseline.
struct Level {
  std::vector<LaneMask> paths;
  unsigned ivb, bcc, scc;
};
const std::vector<Level>& table2() {
  static const std::vector<Level> levels = [] {
    std::vector<Level> all{{{0x5555, 0xaaaa}, 0, 0, 50},
                           {{0x1111, 0x4444, 0x8888, 0x2222}, 0, 0, 75},
                           {{0x0101, 0x1010, 0x0404, 0x4040, 0x0808, 0x8080, 0x0202, 0x2020}, 0, 50, 25},
                           {{}, 50, 25, 0}};
    for (unsigned lane = 0; lane < kLanes; ++lane) all[3].paths.push_back(LaneMask{1} << lane);
    return all;
  }();
  return levels;
}

TEST(Table2, EachPathByItself) {
  for (const Level& level : table2()) {
    for (const LaneMask path : level.paths) {
      const Cycles cycles = cycles_of({path});
      EXPECT_EQ(100 * (cycles[0] - cycles[1]) / cycles[0], level.ivb) << std::hex << path;
      EXPECT_EQ(100 * (cycles[1] - cycles[2]) / cycles[0], level.bcc) << std::hex << path;
      EXPECT_EQ(100 * (cycles[2] - cycles[3]) / cycles[0], level.scc) << std::hex << path;
    }
  }
}

// Fig. 8: an if and its else. 0xffff is the time without divergence: one path only.
const std::map<LaneMask, Cycles>& figure8() {
  static const std::map<LaneMask, Cycles> all{
      {0xffff, {4, 4, 4, 4}}, {0x00ff, {8, 4, 4, 4}},  // as fast as without divergence on an Ivy Bridge
      {0xff0f, {8, 6, 4, 4}},                          // through its else mask, 0x00f0
      {0xf0f0, {8, 8, 4, 4}},                          // only with BCC
      {0xaaaa, {8, 8, 8, 4}},                          // only with SCC
  };
  return all;
}

TEST(IntraWarpFigure8, IfAndElse) {
  for (const auto& [mask, cycles] : figure8()) {
    const LaneMask other = ~mask & 0xffff;
    EXPECT_EQ(cycles_of(other == 0 ? std::vector{mask} : std::vector{mask, other}), cycles) << std::hex << mask;
  }
}

// §4.1: ADD(16) R12, R8, R10 [0xF0F0] is four micro-ops, of which BCC issues Q1 and Q3; each accesses half a register.
std::vector<std::string> micro_ops(Packing packing, LaneMask mask) {
  std::vector<std::string> ops;
  const auto settings = divergence::swizzle_settings(packing, {mask, kLanes, kUnit});
  for (unsigned cycle = 0; cycle < settings.cycles(); ++cycle) {
    unsigned quad = 0;
    for (unsigned n = 0; n < kUnit; ++n) quad = std::max<unsigned>(quad, settings.at(cycle, n).quad);
    const auto half = [quad](unsigned first) { return fmt::format("R{}.H{}", first + quad / 2, quad % 2); };
    ops.push_back(fmt::format("ADD.Q{}(4) {}, {}, {}", quad, half(12), half(8), half(10)));
  }
  return ops;
}

TEST(MicroOps, OfAnAddWithTheMaskF0F0) {
  EXPECT_EQ(micro_ops(Packing::kBcc, 0xffff),
            (std::vector<std::string>{"ADD.Q0(4) R12.H0, R8.H0, R10.H0", "ADD.Q1(4) R12.H1, R8.H1, R10.H1",
                                      "ADD.Q2(4) R13.H0, R9.H0, R11.H0", "ADD.Q3(4) R13.H1, R9.H1, R11.H1"}));
  EXPECT_EQ(micro_ops(Packing::kBcc, 0xf0f0),
            (std::vector<std::string>{"ADD.Q1(4) R12.H1, R8.H1, R10.H1", "ADD.Q3(4) R13.H1, R9.H1, R11.H1"}));
  EXPECT_EQ(micro_ops(Packing::kScc, 0xf0f0), micro_ops(Packing::kBcc, 0xf0f0))
      << "BCC is optimal: nothing is swizzled";
}

// As Fig. 7, worked by hand with Fig. 6: seven lanes in all four quads need two cycles. Lane 0 is active in four quads,
// two of which go elsewhere; lane 2 is active in none and takes both.
TEST(Figure7, SettingsOfSevenLanes) {
  //                     Q3: 0, 1     Q2: 0, 3     Q1: 0      Q0: 0, 1
  constexpr LaneMask kMask = 0b0011'1001'0001'0011;
  const auto settings = divergence::swizzle_settings(Packing::kScc, {kMask, kLanes, kUnit});
  ASSERT_EQ(settings.cycles(), 2u);
  const LaneSource off;
  EXPECT_EQ(settings.sources, (std::vector<LaneSource>{{true, 0, 0},
                                                       {true, 0, 1},
                                                       {true, 1, 0},
                                                       {true, 2, 3},  //
                                                       {true, 2, 0},
                                                       {true, 3, 1},
                                                       {true, 3, 0},
                                                       off}));
  EXPECT_EQ(divergence::swizzled_lanes({kMask, kLanes, kUnit}), 2u);
  const auto results = settings.inverse(kLanes);
  EXPECT_EQ(results[1 * kUnit + 0], (divergence::LaneResult{true, 0, 2}));
  EXPECT_EQ(results[3 * kUnit + 0], (divergence::LaneResult{true, 1, 2}));
  EXPECT_EQ(results[3 * kUnit + 1], (divergence::LaneResult{true, 1, 1}));
  EXPECT_FALSE(results[1 * kUnit + 1].enable);
}

// One core whose issue port is never free: 64 warps of 16 lanes, an instruction of each in flight.
RunOptions machine(Packing packing, Timing timing, const std::vector<std::string>& more = {}) {
  std::vector<std::string> sets{
      "cores=1",
      "core.warp_size=16",
      "core.simd_width=4",
      "core.sfu_width=4",
      "core.fp64_width=2",
      std::string("core.lane_packing=") + Choices<Packing>::names[static_cast<std::size_t>(packing)]};
  sets.insert(sets.end(), more.begin(), more.end());
  RunOptions options = RunOptions::resolve("gt200", "pdom", sets);
  options.timing = timing;
  return options;
}

constexpr unsigned kThreads = 1024, kWarps = kThreads / kLanes;

std::map<std::string, double> run(const RunOptions& options, const std::string& body) {
  KernelMachine<> machine(ptx_kernel(body), options);
  const Address in = machine.upload(noise(kThreads), "in");
  const Address out = machine.upload(std::vector<std::uint32_t>(kThreads), "out");
  machine.run("k", {1}, {kThreads}, out, in);
  const StatValues total = machine.device.results().total();
  return {total.begin(), total.end()};
}

// The statistic per instruction of `body`, which says how many times to repeat it: a run with more less one with fewer.
template <class Body>
double per_instruction(const RunOptions& options, const std::string& statistic, const Body& body) {
  constexpr unsigned kFew = 40, kMany = 140;
  return (run(options, body(kMany)).at(statistic) - run(options, body(kFew)).at(statistic)) / (kMany - kFew) / kWarps;
}

std::string repeated(const std::string& instruction, unsigned times) {
  std::string text;
  for (unsigned i = 0; i < times; ++i) text += instruction;
  return text;
}

const std::string kAdd = "add.u32 %r6, %r6, %r5;\n";

std::string if_else(LaneMask mask, unsigned times) {
  return fmt::format(R"(and.b32 %r10, %r1, 15;
mov.u32 %r11, {};
shr.u32 %r11, %r11, %r10;
and.b32 %r11, %r11, 1;
setp.eq.u32 %p1, %r11, 0;
@%p1 bra ELSE;
{}bra.uni JOIN;
ELSE:
{}JOIN:
)",
                     mask, repeated(kAdd, times), repeated(kAdd, times));
}

// A path for each value of the low `bits` bits of the lane's number, by nested branches.
std::string nested(unsigned bits, unsigned times, const std::string& path = "") {
  if (path.size() == bits) return repeated(kAdd, times);
  const std::string zero = "ZERO" + path, join = "JOIN" + path;
  return fmt::format("and.b32 %r10, %r1, {};\nsetp.eq.u32 %p1, %r10, 0;\n@%p1 bra {};\n", 1u << path.size(), zero) +
         nested(bits, times, path + "1") + "bra.uni " + join + ";\n" + zero + ":\n" + nested(bits, times, path + "0") +
         join + ":\n";
}

TEST(InTheMachine, Figure8) {
  for (const auto& [mask, expected] : figure8()) {
    const auto body = [m = mask](unsigned times) { return if_else(m, times); };
    for (std::size_t i = 0; i < kEveryPacking.size(); ++i) {
      const RunOptions timed = machine(kEveryPacking[i], Timing::kCycle);
      EXPECT_NEAR(per_instruction(timed, "cycles", body), expected[i], 0.01 * expected[i])
          << std::hex << mask << ": the time of an instruction in the if and one in the else, with packing " << i;
    }
  }
}

// The time follows, and one run without timing says it all.
TEST(InTheMachine, Table2) {
  for (unsigned level = 1; level <= table2().size(); ++level) {
    const Cycles expected = cycles_of(table2()[level - 1].paths);
    const auto body = [level](unsigned times) { return nested(level, times); };
    const RunOptions untimed = machine(Packing::kNone, Timing::kFunctional);
    for (std::size_t i = 0; i < kEveryPacking.size(); ++i) {
      const std::string name = Choices<Packing>::names[i];
      EXPECT_EQ(per_instruction(untimed, "simd_cycles_" + name, body), expected[i]) << "L" << level << " " << name;
      if (level > 2) continue;  // with sixteen paths the issue port no longer is what holds them up
      EXPECT_NEAR(per_instruction(machine(kEveryPacking[i], Timing::kCycle), "cycles", body), expected[i],
                  0.01 * expected[i])
          << "L" << level << " " << name;
    }
  }
}

// What a run counts for its own packing is what its issue port was held for: all units are as wide here.
TEST(InTheMachine, TheIssuePortIsHeldForThoseCycles) {
  for (std::size_t i = 0; i < kEveryPacking.size(); ++i) {
    const auto stats = run(machine(kEveryPacking[i], Timing::kCycle, {"core.fp64_width=4"}), nested(3, 10));
    double held = 0;
    for (const auto& [name, value] : stats) held += name.starts_with("issue_w") ? value : 0;
    const std::string own = std::string("simd_cycles_") + Choices<Packing>::names[i];
    EXPECT_EQ(held, stats.at(own)) << own;
    const auto untimed = run(machine(Packing::kNone, Timing::kFunctional), nested(3, 10));
    for (const char* packing : Choices<Packing>::names) {
      const std::string name = std::string("simd_cycles_") + packing;
      EXPECT_EQ(untimed.at(name), stats.at(name)) << name << " without timing and with " << own;
    }
  }
}

// §4.1: cycles depend on the type. The warps' upper eight lanes are off.
TEST(InTheMachine, TypesRegroupLanes) {
  const std::map<std::string, Cycles> expected{
      {"add.f64 %rd6, %rd6, %rd6;\n", {8, 4, 4, 4}}, {"add.u64 %rd6, %rd6, %rd5;\n", {8, 4, 4, 4}},
      {"add.f32 %r7, %r7, %r7;\n", {4, 2, 2, 2}},    {"sin.approx.f32 %r7, %r7;\n", {4, 2, 2, 2}},
      {"add.u16 %rs1, %rs1, %rs1;\n", {2, 1, 1, 1}},
  };
  for (const auto& [instruction, cycles] : expected) {
    const auto body = [text = instruction](unsigned times) {
      return ".reg .b16 %rs<4>;\nmov.u16 %rs1, 0;\nmov.u32 %r7, 0;\nmov.u64 %rd6, 0;\nand.b32 %r10, %r1, 8;\n"
             "setp.ne.u32 %p1, %r10, 0;\n@%p1 bra DONE;\n" +
             repeated(text, times);
    };
    const RunOptions options = machine(Packing::kNone, Timing::kFunctional, {"core.lanes_by_type=true"});
    for (std::size_t i = 0; i < kEveryPacking.size(); ++i) {
      const std::string name = Choices<Packing>::names[i];
      EXPECT_EQ(per_instruction(options, "simd_cycles_" + name, body), cycles[i]) << instruction << name;
    }
  }
}

}  // namespace intra_warp_test
}  // namespace warpfold
