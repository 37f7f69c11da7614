// SPDX-License-Identifier: Apache-2.0
// An execution mask on a unit that is narrower than the warp, and what any way of packing its lanes is made of
// (Intra-warp §3, §4).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

// Groups of `unit_width` that hold so many lanes. Units are powers of two wide in any machine, and a division would be
// most of what counting costs.
inline unsigned groups(unsigned lanes, unsigned unit_width) {
  const unsigned up = lanes + unit_width - 1;
  return std::has_single_bit(unit_width) ? up >> std::countr_zero(unit_width) : up / unit_width;
}

// A mask on a unit: `width` lanes of a warp (1 to 64, the mask has no others), `unit_width` of which go through per
// cycle (1 to 64). A *quad* is an aligned group of unit_width lanes; the last one may be short.
struct LanesOnUnit {
  isa::LaneMask mask = 0;
  unsigned width = 32, unit_width = 8;
  unsigned quads() const { return groups(width, unit_width); }
  bool operator==(const LanesOnUnit&) const = default;
};

using isa::low_lanes;

// Bit 0 of every aligned group of 2^k bits.
inline constexpr std::array<isa::LaneMask, 7> kGroupBits{~isa::LaneMask{0},
                                                         0x5555'5555'5555'5555,
                                                         0x1111'1111'1111'1111,
                                                         0x0101'0101'0101'0101,
                                                         0x0001'0001'0001'0001,
                                                         0x0000'0001'0000'0001,
                                                         1};

// Bit 0 of every aligned group of 2^k bits that has one.
inline isa::LaneMask fold(isa::LaneMask mask, unsigned k) {
  if (k > 0) mask |= mask >> 1;
  if (k > 1) mask |= mask >> 2;
  if (k > 2) mask |= mask >> 4;
  if (k > 3) mask |= mask >> 8;
  if (k > 4) mask |= mask >> 16;
  if (k > 5) mask |= mask >> 32;
  return mask & kGroupBits[k];
}

inline isa::LaneMask quad_of(isa::LaneMask mask, unsigned quad, unsigned unit_width) {
  return (mask >> (quad * unit_width)) & low_lanes(unit_width);
}

// Quads with an active lane.
inline unsigned active_quads(isa::LaneMask mask, unsigned unit_width) {
  if (std::has_single_bit(unit_width)) {
    return static_cast<unsigned>(std::popcount(fold(mask, static_cast<unsigned>(std::countr_zero(unit_width)))));
  }
  unsigned quads = 0;
  for (unsigned first = 0; first < isa::kMaxLanes; first += unit_width) {
    quads += ((mask >> first) & low_lanes(unit_width)) != 0 ? 1 : 0;
  }
  return quads;
}

// Of a mask on a unit, counted once for all that ask.
struct Quads {
  unsigned all = 0, active = 0;
};
inline Quads quads_of(const LanesOnUnit& lanes) { return {lanes.quads(), active_quads(lanes.mask, lanes.unit_width)}; }

// Quads of one operand that are fetched and of one result that are written; the rest is suppressed.
struct QuadAccesses {
  unsigned fetched = 0, written = 0;
};

// What feeds an output lane in a cycle: lane `lane` of quad `quad`; both 0 where it is not enabled.
struct LaneSource {
  bool enable = false;
  std::uint8_t quad = 0, lane = 0;
  bool operator==(const LaneSource&) const = default;
};

// Where the result of a lane of the warp comes from: output lane `lane` in cycle `cycle`.
struct LaneResult {
  bool enable = false;
  std::uint8_t cycle = 0, lane = 0;
  bool operator==(const LaneResult&) const = default;
};

struct SwizzleSettings {
  unsigned unit_width = 0;
  std::vector<LaneSource> sources;  // output lane n of cycle c: [c * unit_width + n]

  unsigned cycles() const { return static_cast<unsigned>(sources.size()) / unit_width; }
  const LaneSource& at(unsigned cycle, unsigned output) const { return sources[cycle * unit_width + output]; }
  // The unswizzle settings of write-back: the inverse permutation (§4.2). One per lane of a warp of `width`.
  std::vector<LaneResult> inverse(unsigned width) const;
};

// Of a scheme that moves no lane: the quads that have some of `executed`, in order.
SwizzleSettings quads_in_order(isa::LaneMask executed, const LanesOnUnit& lanes);

}  // namespace warpfold::divergence
