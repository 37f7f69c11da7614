// SPDX-License-Identifier: Apache-2.0
// A core that fetches through an instruction cache: loops that fit it and loops that do not, by formula.
#include <fmt/format.h>

#include "tests/core/simt_core_fixture.h"

namespace warpfold {
namespace simt_core_fetch_test {

constexpr Cycle kArithmetic =
    24;  // from an instruction of the one warp to its next: 21, and three more groups of lanes
constexpr Cycle kHit = 3;
constexpr Cycle kMiss = 303;  // the memory's 300; one to the port, one into the cache, one out of it
constexpr unsigned kLineInstructions = 16;
constexpr unsigned kIterations = 4;

// A loop of `instructions` from instruction 2 on, where an access of two instructions begins.
std::string loop_of(unsigned instructions) {
  std::string sums;
  for (unsigned i = 0; i < instructions - 3; ++i) sums += "add.u32 %r2, %r2, 1;\n";
  return fmt::format(
      "{}mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nLOOP:\n{}add.u32 %r1, %r1, 1;\n"
      "setp.lt.u32 %p1, %r1, {};\n@%p1 bra LOOP;\nret;\n}}\n",
      kHeader, sums, kIterations);
}

class SimtCoreFetchTest : public SimtCoreTest {
 protected:
  SimtCoreFetchTest() {
    params.fetch.cached = true;
    instruction_cache.line_bytes = kLineInstructions * params.fetch.instruction_bytes;
    instruction_cache.hit_latency_cycles = kHit;
    instruction_cache.read_only = true;
  }
  // One warp through the loop; the cycles from one issue of its first instruction to the next.
  std::vector<Cycle> iterations(unsigned instructions, unsigned cache_lines) {
    instruction_cache.ways = cache_lines;
    instruction_cache.size_bytes = std::uint64_t{cache_lines} * instruction_cache.line_bytes;
    start(loop_of(instructions), 32, 1);
    dispatch_at(0, 0);
    run(100'000);
    std::vector<Cycle> cycles;
    Cycle last = 0;
    for (const auto& [at, pc] : listener.issues) {
      if (pc != 2) continue;
      if (last != 0) cycles.push_back(at - last);
      last = at;
    }
    expect_all_cycles_charged();
    EXPECT_EQ(stat("w0_fetch"), kHit * stat("l1i_hits") + kMiss * stat("l1i_misses")) << "the one warp's waiting";
    return cycles;
  }
};

// Every other instruction is an access; a loop's first iteration also misses what the code before it did not touch.
TEST_F(SimtCoreFetchTest, ALoopThatFits) {
  constexpr unsigned kLoop = 3 * kLineInstructions - 2;
  const Cycle hits = kLoop * kArithmetic + kLoop / 2 * kHit;
  EXPECT_EQ(iterations(kLoop, 3), (std::vector<Cycle>{hits + 2 * (kMiss - kHit), hits, hits}));
  EXPECT_EQ(stat("l1i_misses"), 4u) << "three lines of the loop, and that of ret";
}

// Least recently used lines go first, so that each is gone when the loop comes back to it.
TEST_F(SimtCoreFetchTest, ALoopThatDoesNotFit) {
  constexpr unsigned kLoop = 3 * kLineInstructions - 2;
  const Cycle misses = kLoop * kArithmetic + (kLoop / 2 - 3) * kHit + 3 * kMiss;
  EXPECT_EQ(iterations(kLoop, 2), std::vector<Cycle>(kIterations - 1, misses));
}

TEST_F(SimtCoreFetchTest, WithoutTheCacheFetchIsFree) {
  params.fetch.cached = false;
  start(loop_of(14), 32, 1);
  dispatch_at(0, 0);
  run(10'000);
  EXPECT_EQ(listener.issues.back().first, (2 + 14 * kIterations) * kArithmetic);
  EXPECT_EQ(stat("w0_fetch"), 0u);
}

// Instructions stay where they are: a second launch finds them.
TEST_F(SimtCoreFetchTest, TheCacheIsKeptFromKernelToKernel) {
  constexpr unsigned kLoop = kLineInstructions - 3;
  iterations(kLoop, 2);
  const std::uint64_t misses = stat("l1i_misses");
  core->kernel_started(launch, ptx->memory, 1, 1, clock.current());
  dispatch_at(clock.current() + 1, 0);
  run(10'000);
  EXPECT_EQ(stat("l1i_misses"), misses);
  EXPECT_GT(stat("l1i_hits"), misses);
}

}  // namespace simt_core_fetch_test
}  // namespace warpfold
