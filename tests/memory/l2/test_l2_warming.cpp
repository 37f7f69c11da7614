// SPDX-License-Identifier: Apache-2.0
// Accesses that warm leave what the same accesses leave that take time: what follows them finds the same lines,
// sectors, modified lines and open rows.
#include <gtest/gtest.h>

#include <random>

#include "tests/memory/machine.h"

namespace warpfold {
namespace l2_warming_test {

using Kind = CacheAccess::Kind;
using test::Machine;
using test::MachineParams;
using Steps = std::vector<test::ScriptedUnit::Step>;

constexpr Address kBase = DeviceMemory::kBase;
constexpr Cycle kApart = 3000;  // one access is over before the next

MachineParams small(std::uint32_t sector_bytes, L2WriteMiss write_miss, std::uint32_t dirty_ways = 0) {
  MachineParams params;
  params.memory.channels = 2;
  params.memory.l2.size_bytes = 4096;
  params.memory.l2.ways = 4;
  params.memory.l2.sector_bytes = sector_bytes;
  params.memory.l2.write_miss = write_miss;
  params.memory.l2.dirty_ways = dirty_ways;
  params.memory.dram.row_bytes = 512;
  return params;
}

// Loads of whole lines, and stores and atomics of a part or the whole.
Steps some_accesses(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  Steps steps;
  for (std::size_t n = 0; n < count; ++n) {
    const auto kind = static_cast<Kind>(random() % 3);
    const bool whole = kind == Kind::kLoad || random() % 3 == 0;
    const std::uint32_t bytes = whole ? 64 : 4 << random() % 3, first = whole ? 0 : random() % 4 * 16;
    steps.push_back({kind, kBase + random() % 256 * 64, bytes, n * kApart, byte_range(first, bytes)});
  }
  return steps;
}

struct Case {
  std::uint32_t sector_bytes;
  L2WriteMiss write_miss;
  std::uint32_t dirty_ways = 0;
};
class Warming : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Every, Warming,
                         testing::Values(Case{0, L2WriteMiss::kFetchOnWrite}, Case{32, L2WriteMiss::kFetchOnWrite},
                                         Case{0, L2WriteMiss::kLazyFetch}, Case{32, L2WriteMiss::kLazyFetch},
                                         Case{0, L2WriteMiss::kFetchOnWrite, 2}, Case{32, L2WriteMiss::kLazyFetch, 2}));

struct Seen {
  std::map<std::string, std::uint64_t> counted;
  std::vector<Cycle> taken;
};

// What the later accesses count and take, after the earlier ones in time, or by warming.
Seen after(const MachineParams& params, const Steps& earlier, Steps later, bool warmed) {
  Machine machine(params);
  if (warmed) {
    for (const auto& step : earlier) machine.memory.warm(step.line, step.bytes, step.mask, step.kind);
  } else {
    machine.units[0]->steps = earlier;
    machine.run();
    machine.l1s[0]->invalidate();
  }
  const auto before = machine.figures();
  for (auto& step : later) step.not_before += (earlier.size() + 1) * kApart;
  machine.units[0]->steps = later;
  machine.run();
  Seen seen;
  for (const auto& [name, value] : machine.figures()) {
    const bool peak = name.find("_peak") != std::string::npos;
    if (!peak && (name.starts_with("l2_") || name.starts_with("dram_"))) seen.counted[name] = value - before.at(name);
  }
  for (const auto& outcome : machine.units[0]->outcomes) seen.taken.push_back(outcome.done - outcome.issued);
  return seen;
}

TEST_P(Warming, LeavesWhatAccessesInTimeLeave) {
  MachineParams params = small(GetParam().sector_bytes, GetParam().write_miss, GetParam().dirty_ways);
  params.l1.size_bytes = 64;  // of the first-level cache nothing is left
  params.l1.ways = 1;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const Steps earlier = some_accesses(300, seed), later = some_accesses(60, 100 + seed);
    const Seen in_time = after(params, earlier, later, false), warmed = after(params, earlier, later, true);
    EXPECT_EQ(in_time.counted, warmed.counted);
    EXPECT_EQ(in_time.taken, warmed.taken);
  }
}

TEST(Warming, SaysWhatTheMemoryWouldBeReadFor) {
  Machine machine(small(0, L2WriteMiss::kFetchOnWrite));
  EXPECT_TRUE(machine.memory.warm(kBase, 64, {}, Kind::kLoad));
  EXPECT_FALSE(machine.memory.warm(kBase, 64, {}, Kind::kLoad));
  EXPECT_FALSE(machine.memory.warm(kBase + 64, 64, {}, Kind::kStore)) << "it covers the line";
  EXPECT_TRUE(machine.memory.warm(kBase + 128, 4, {}, Kind::kStore));
  EXPECT_FALSE(machine.memory.warm(kBase + 128, 4, {}, Kind::kAtomic));
}

}  // namespace l2_warming_test
}  // namespace warpfold
