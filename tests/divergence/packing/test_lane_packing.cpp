// SPDX-License-Identifier: Apache-2.0
// Intra-warp compaction: cycles, settings and register accesses, for every mask of 16 lanes on four, and for others.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <utility>

#include "tests/divergence/packing/packings.h"
#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold::divergence {
namespace lane_packing_test {

using isa::LaneMask;

unsigned cycles(Packing packing, LaneMask mask, unsigned width = 16, unsigned unit_width = 4) {
  return packed_cycles(packing, {mask, width, unit_width});
}

std::array<unsigned, kEveryPacking.size()> all_cycles(const LanesOnUnit& lanes) {
  std::array<unsigned, kEveryPacking.size()> cycles{};
  for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] = packed_cycles(kEveryPacking[i], lanes);
  return cycles;
}

unsigned population(LaneMask mask) { return static_cast<unsigned>(std::popcount(mask)); }

// The most lanes that can stay where they are when `cycles` cycles are to do: a matching of active lanes with the
// (cycle, output lane) pairs of their own lane, by augmenting paths.
unsigned most_that_stay(const LanesOnUnit& lanes, unsigned cycles) {
  std::vector<int> owner(std::size_t{cycles} * lanes.unit_width, -1);
  std::vector<bool> seen;
  const std::function<bool(unsigned)> place = [&](unsigned lane) {
    for (unsigned c = 0; c < cycles; ++c) {
      const unsigned slot = c * lanes.unit_width + lane % lanes.unit_width;
      if (seen[slot]) continue;
      seen[slot] = true;
      if (owner[slot] < 0 || place(static_cast<unsigned>(owner[slot]))) {
        owner[slot] = static_cast<int>(lane);
        return true;
      }
    }
    return false;
  };
  unsigned staying = 0;
  for (unsigned lane = 0; lane < lanes.width; ++lane) {
    if ((lanes.mask >> lane & 1) == 0) continue;
    seen.assign(owner.size(), false);
    staying += place(lane) ? 1 : 0;
  }
  return staying;
}

// Everything that must hold of one mask.
void expect_sound(const LanesOnUnit& lanes) {
  const unsigned ceiling = (population(lanes.mask) + lanes.unit_width - 1) / lanes.unit_width;
  const auto all = all_cycles(lanes);
  ASSERT_EQ(all[3], std::max(ceiling, 1u));
  ASSERT_LE(all[3], all[2]);
  ASSERT_LE(all[2], all[1]);
  ASSERT_LE(all[1], all[0]);
  ASSERT_EQ(all[0], lanes.quads());
  for (const Packing packing : kEveryPacking) {
    const SwizzleSettings settings = swizzle_settings(packing, lanes);
    ASSERT_EQ(settings.cycles(), packed_cycles(packing, lanes));
    const std::vector<LaneResult> results = settings.inverse(lanes.width);
    LaneMask executed = 0;
    unsigned moved = 0;
    for (unsigned c = 0; c < settings.cycles(); ++c) {
      for (unsigned n = 0; n < lanes.unit_width; ++n) {
        const LaneSource source = settings.at(c, n);
        if (!source.enable) {
          ASSERT_EQ(source, LaneSource{}) << "a disabled lane has no source";
          continue;
        }
        const unsigned lane = source.quad * lanes.unit_width + source.lane;
        ASSERT_LT(source.lane, lanes.unit_width);
        ASSERT_LT(lane, lanes.width);
        ASSERT_EQ(executed >> lane & 1, 0u) << "no lane twice";
        executed |= LaneMask{1} << lane;
        moved += source.lane != n ? 1 : 0;
        ASSERT_EQ(results[lane], (LaneResult{true, static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(n)}));
      }
    }
    ASSERT_EQ(executed, lanes.mask) << "every active lane, and no other";
    for (unsigned lane = 0; lane < lanes.width; ++lane) ASSERT_EQ(results[lane].enable, (lanes.mask >> lane & 1) != 0);
    if (packing == Packing::kScc) {
      ASSERT_EQ(moved, swizzled_lanes(lanes));
      ASSERT_EQ(moved, population(lanes.mask) - most_that_stay(lanes, settings.cycles())) << "no lane moves needlessly";
    } else {
      ASSERT_EQ(moved, 0u);
    }
  }
}

TEST(LanePacking, EveryMaskOfSixteenLanesOnFour) {
  for (LaneMask mask = 0; mask < 0x10000; ++mask) {
    ASSERT_NO_FATAL_FAILURE(expect_sound({mask, 16, 4})) << std::hex << mask;
  }
}

TEST(LanePacking, RandomMasksOfOtherWidths) {
  std::mt19937_64 random(12);
  for (const auto& [width, unit] : {std::pair{8u, 4u},
                                    {32u, 4u},
                                    {32u, 8u},
                                    {32u, 16u},
                                    {32u, 32u},
                                    {32u, 2u},
                                    {64u, 4u},
                                    {64u, 16u},
                                    {64u, 64u},
                                    {64u, 1u},
                                    {4u, 8u},
                                    {48u, 6u},
                                    {17u, 5u}}) {
    for (unsigned i = 0; i < 3000; ++i) {
      // Between one lane in eight and seven in eight.
      LaneMask mask = random();
      if (i % 3 == 0) mask &= random() & random();
      if (i % 3 == 1) mask |= random() | random();
      if (width < 64) mask &= (LaneMask{1} << width) - 1;
      ASSERT_NO_FATAL_FAILURE(expect_sound({mask, width, unit})) << mask << " of " << width << " on " << unit;
    }
  }
}

TEST(LanePacking, WithoutPackingEveryQuadTakesItsCycle) {
  for (const LaneMask mask : {LaneMask{0}, LaneMask{1}, LaneMask{0xffff'ffff}}) {
    EXPECT_EQ(cycles(Packing::kNone, mask, 32, 8), 4u) << "TBC Table 2: a warp takes four cycles";
    EXPECT_EQ(cycles(Packing::kNone, mask, 32, 32), 1u);
    EXPECT_EQ(cycles(Packing::kNone, mask, 32, 1), 32u);
  }
  EXPECT_EQ(cycles(Packing::kNone, 0b11, 2, 8), 1u) << "a warp narrower than the unit";
  EXPECT_EQ(cycles(Packing::kNone, 0b11, 9, 8), 2u) << "a quad that is not full";
}

TEST(LanePacking, AMaskOfZeroTakesASlot) {
  EXPECT_EQ(all_cycles({0, 16, 4}), (std::array{4u, 2u, 1u, 1u})) << "ivb: as SIMD8";
  const SwizzleSettings settings = swizzle_settings(Packing::kScc, {0, 16, 4});
  EXPECT_EQ(settings.sources, std::vector<LaneSource>(4)) << "one cycle, nothing enabled";
}

// Intra-warp §5.2: a SIMD16 instruction whose upper or lower eight lanes are off runs as SIMD8.
TEST(LanePacking, IvyBridgeSkipsHalves) {
  for (const LaneMask mask : {0x00ff, 0xff00, 0x0001, 0x8000}) EXPECT_EQ(cycles(Packing::kIvb, mask), 2u) << mask;
  for (const LaneMask mask : {0xffff, 0x0180, 0xff0f, 0xf0f0}) EXPECT_EQ(cycles(Packing::kIvb, mask), 4u) << mask;
  EXPECT_EQ(cycles(Packing::kIvb, 0x01, 8, 4), 2u) << "SIMD8 runs as it is";
  // A warp of 32 lanes is two SIMD16 instructions, each with its own halves.
  EXPECT_EQ(cycles(Packing::kIvb, 0x0000'ffff, 32, 4), 4u + 2u);
  EXPECT_EQ(cycles(Packing::kIvb, 0x00ff'ffff, 32, 4), 2u + 4u);
  EXPECT_EQ(cycles(Packing::kIvb, 0x00ff'00ff, 32, 16), 2u) << "a unit as wide as the instruction saves nothing";
  const SwizzleSettings settings = swizzle_settings(Packing::kIvb, {0x8000, 16, 4});
  ASSERT_EQ(settings.cycles(), 2u);
  EXPECT_EQ(settings.at(1, 3), (LaneSource{true, 3, 3}));
  EXPECT_FALSE(settings.at(0, 0).enable) << "the empty quad of the half is executed";
}

// Intra-warp §4.1, 4.2: what is not executed is neither fetched nor written; scc fetches full width.
TEST(LanePacking, RegisterAccesses) {
  const auto accesses = [](Packing packing, LaneMask mask) {
    const LanesOnUnit lanes{mask, 16, 4};
    const QuadAccesses quads = info_of(packing).accesses(lanes, quads_of(lanes));
    return std::pair(quads.fetched, quads.written);
  };
  EXPECT_EQ(accesses(Packing::kNone, 0x0010), std::pair(4u, 4u));
  EXPECT_EQ(accesses(Packing::kIvb, 0x0010), std::pair(2u, 2u));
  EXPECT_EQ(accesses(Packing::kBcc, 0x0010), std::pair(1u, 1u));
  EXPECT_EQ(accesses(Packing::kScc, 0x0010), std::pair(4u, 1u));
  EXPECT_EQ(accesses(Packing::kScc, 0x1111), std::pair(4u, 4u)) << "one cycle, results of four quads";
  EXPECT_EQ(accesses(Packing::kBcc, 0), std::pair(0u, 0u));
}

TEST(LanePacking, TheInterfaceCountsAsTheTables) {
  for (const Packing packing : kEveryPacking) {
    EXPECT_EQ(LanePacking(packing).cycles(0xf0f0, 16, 4), cycles(packing, 0xf0f0));
    EXPECT_EQ(LanePacking(packing).packing(), packing);
  }
}

}  // namespace lane_packing_test
}  // namespace warpfold::divergence
