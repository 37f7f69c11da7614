// SPDX-License-Identifier: Apache-2.0
// Loads of which some lanes find their data near and others far: under mechanisms that let the former go on.
#include <gtest/gtest.h>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold {
namespace divided_loads_test {

struct Outcome {
  std::vector<std::uint32_t> words;
  double cycles = 0, divided = 0;
};

// Two warps of a core walk an array. In each round half of a warp's lanes load a word that all share, the others words
// of lines that nobody has touched, and in the next round the other way round: each half has something to compute while
// the other waits, and its next line to ask for.
Outcome run(const std::string& machine, const std::string& mechanism, std::vector<std::string> sets, Timing timing) {
  static const std::string body = R"(
mov.u32 %r7, 0;
LOOP:
shr.u32 %r8, %r1, 4;
add.u32 %r8, %r8, %r7;
and.b32 %r8, %r8, 1;
setp.eq.u32 %p1, %r8, 1;
mad.lo.u32 %r9, %r7, 64, %r4;
shl.b32 %r9, %r9, 8;
selp.b32 %r9, %r9, 0, %p1;
cvt.u64.u32 %rd6, %r9;
add.s64 %rd6, %rd2, %rd6;
ld.global.u32 %r10, [%rd6];
mad.lo.u32 %r6, %r6, 31, %r10;
mad.lo.u32 %r6, %r6, 17, %r10;
add.u32 %r7, %r7, 1;
setp.lt.u32 %p2, %r7, 8;
@%p2 bra LOOP;
)";
  sets.emplace_back("cores=1");
  RunOptions options = RunOptions::resolve(machine, mechanism, sets);
  options.timing = timing;
  KernelMachine<> gpu(ptx_kernel(body), options);
  const Address out = gpu.upload(std::vector<std::uint32_t>(64), "out");
  const Address in = gpu.upload(noise(std::size_t{1} << 16), "in");
  gpu.run("k", {1}, {64}, out, in);
  const auto& figures = gpu.device.results().last_launch();
  Outcome run{gpu.download<std::uint32_t>(out, 64)};
  if (timing == Timing::kCycle) run.cycles = figures.at("cycles");
  if (mechanism == "dws") run.divided = figures.at("dws_loads");
  return run;
}

TEST(DividedLoads, HalvesOfWarpsGoOnByThemselves) {
  for (const char* machine : {"tbc2011", "gtx480", "harp2013"}) {
    for (const char* scoreboard : {"simple", "per_register", "per_thread"}) {
      const std::string sets = std::string("core.scoreboard=") + scoreboard;
      SCOPED_TRACE(fmt::format("{} {}", machine, scoreboard));
      const Outcome pdom = run(machine, "pdom", {sets}, Timing::kCycle);
      for (const char* memory : {"aggress", "lazy", "revive"}) {
        for (const char* beyond : {"limited", "bypass"}) {
          const Outcome dws =
              run(machine, "dws",
                  {sets, std::string("mechanism.memory=") + memory, std::string("mechanism.beyond=") + beyond},
                  Timing::kCycle);
          EXPECT_EQ(dws.words, pdom.words) << memory << ' ' << beyond;
          EXPECT_GT(dws.divided, 0) << memory << ' ' << beyond;
          // Elsewhere the far lines come one after the other, and each lane goes on by itself.
          if (std::string(beyond) == "bypass" && std::string(machine) == "gtx480") {
            EXPECT_LT(dws.cycles, pdom.cycles) << memory << ": one half asks while the other waits";
          }
        }
      }
      const Outcome none = run(machine, "dws", {sets, "mechanism.memory=none"}, Timing::kCycle);
      EXPECT_EQ(none.cycles, pdom.cycles);
      EXPECT_EQ(none.words, pdom.words);
    }
  }
}

TEST(DividedLoads, NothingDividesWhereNothingTakesTime) {
  const Outcome functional = run("tbc2011", "dws", {}, Timing::kFunctional);
  EXPECT_EQ(functional.words, run("tbc2011", "pdom", {}, Timing::kFunctional).words);
  EXPECT_EQ(functional.divided, 0);
}

}  // namespace divided_loads_test
}  // namespace warpfold
