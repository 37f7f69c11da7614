// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/packing/lane_packing.h"

#include <algorithm>
#include <bit>

namespace warpfold::divergence {

using isa::LaneMask;

namespace {

unsigned count(LaneMask mask) { return static_cast<unsigned>(std::popcount(mask)); }

LaneMask low(unsigned lanes) { return lanes >= isa::kMaxLanes ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1; }

// Bit 0 of every aligned group of 2^k bits.
constexpr std::array<LaneMask, 7> kGroupBits{~LaneMask{0},
                                             0x5555'5555'5555'5555,
                                             0x1111'1111'1111'1111,
                                             0x0101'0101'0101'0101,
                                             0x0001'0001'0001'0001,
                                             0x0000'0001'0000'0001,
                                             1};

// Bit 0 of every aligned group of 2^k bits that has one.
LaneMask fold(LaneMask mask, unsigned k) {
  if (k > 0) mask |= mask >> 1;
  if (k > 1) mask |= mask >> 2;
  if (k > 2) mask |= mask >> 4;
  if (k > 3) mask |= mask >> 8;
  if (k > 4) mask |= mask >> 16;
  if (k > 5) mask |= mask >> 32;
  return mask & kGroupBits[k];
}

LaneMask quad_of(LaneMask mask, unsigned quad, unsigned unit_width) {
  return (mask >> (quad * unit_width)) & low(unit_width);
}

// Lanes that go through the unit, on or off. Every aligned 16-lane part of a warp is a SIMD16 instruction, as if it
// were issued alone; a part without an active lane runs as SIMD8, one of at most eight lanes as it is.
LaneMask ivb_lanes(LaneMask mask, unsigned width) {
  constexpr unsigned kHalf = 8, kPart = 16;
  const LaneMask all = low(width);
  const LaneMask whole_parts = low(width / kPart * kPart);
  const LaneMask halves = fold(mask, 3) & whole_parts;
  const LaneMask starts = kGroupBits[4] & whole_parts;
  const LaneMask empty = starts & ~(halves | halves >> kHalf);
  return ((halves | empty) * low(kHalf)) | (all & ~whole_parts);
}

// Lanes of the quads that are executed, without swizzling.
LaneMask lanes_through(Packing packing, const LanesOnUnit& lanes) {
  switch (packing) {
    case Packing::kNone:
      return low(lanes.width);
    case Packing::kIvb:
      return ivb_lanes(lanes.mask, lanes.width);
    default:
      return lanes.mask;
  }
}

unsigned scc_cycles(LaneMask mask, unsigned unit_width) { return std::max(groups(count(mask), unit_width), 1U); }

// Quads with an active lane, in order, and nothing swizzled.
void skip_quads(LaneMask executed, const LanesOnUnit& lanes, SwizzleSettings& settings) {
  for (unsigned quad = 0; quad < lanes.quads(); ++quad) {
    if (quad_of(executed, quad, lanes.unit_width) == 0) continue;
    for (unsigned n = 0; n < lanes.unit_width; ++n) {
      const bool on = (quad_of(lanes.mask, quad, lanes.unit_width) >> n & 1) != 0;
      settings.sources.push_back(on ? LaneSource{true, static_cast<std::uint8_t>(quad), static_cast<std::uint8_t>(n)}
                                    : LaneSource{});
    }
  }
  if (settings.sources.empty()) settings.sources.resize(lanes.unit_width);
}

// Per lane the queue of its active quads, a bit per quad, and how many of them other lanes are to take.
struct LaneQueues {
  std::array<std::uint64_t, isa::kMaxLanes> quads{};
  std::array<unsigned, isa::kMaxLanes> surplus{};

  LaneQueues(const LanesOnUnit& lanes, unsigned optimum) {
    for (unsigned quad = 0; quad < lanes.quads(); ++quad) {
      LaneMask on = quad_of(lanes.mask, quad, lanes.unit_width);
      for (; on != 0; on &= on - 1) quads[static_cast<unsigned>(std::countr_zero(on))] |= std::uint64_t{1} << quad;
    }
    for (unsigned n = 0; n < lanes.unit_width; ++n) surplus[n] = count(quads[n]) - std::min(count(quads[n]), optimum);
  }

  LaneSource take(unsigned lane) {
    const auto quad = static_cast<std::uint8_t>(std::countr_zero(quads[lane]));
    quads[lane] &= quads[lane] - 1;
    return {true, quad, static_cast<std::uint8_t>(lane)};
  }
};

void swizzle(const LanesOnUnit& lanes, unsigned optimum, SwizzleSettings& settings) {
  LaneQueues queues(lanes, optimum);
  for (unsigned cycle = 0; cycle < optimum; ++cycle) {
    for (unsigned n = 0; n < lanes.unit_width; ++n) {
      LaneSource source;
      const auto from = std::find_if(queues.surplus.begin(), queues.surplus.end(), [](unsigned s) { return s > 0; });
      if (queues.quads[n] != 0) {
        source = queues.take(n);
      } else if (from != queues.surplus.end()) {
        --*from;
        source = queues.take(static_cast<unsigned>(from - queues.surplus.begin()));
      }
      settings.sources.push_back(source);
    }
  }
}

}  // namespace

const char* describe(Packing packing) {
  switch (packing) {
    case Packing::kNone:
      return "every group of lanes takes its cycle, active or not [TBC §2.2]";
    case Packing::kIvb:
      return "Ivy Bridge: 16 lanes of which a half is off run as 8 [Intra-warp §5.2]";
    case Packing::kBcc:
      return "basic cycle compression: groups without an active lane are skipped [Intra-warp §3.1]";
    case Packing::kScc:
      break;
  }
  return "swizzled cycle compression: lanes are moved into as few groups as hold them [Intra-warp §3.2]";
}

unsigned active_quads(LaneMask mask, unsigned unit_width) {
  if (std::has_single_bit(unit_width)) return count(fold(mask, static_cast<unsigned>(std::countr_zero(unit_width))));
  unsigned quads = 0;
  for (unsigned first = 0; first < isa::kMaxLanes; first += unit_width) {
    quads += ((mask >> first) & low(unit_width)) != 0 ? 1 : 0;
  }
  return quads;
}

QuadAccesses PackedCounts::accesses(Packing packing) const {
  switch (packing) {
    case Packing::kNone:
      return {quads, quads};
    case Packing::kIvb:
      return {ivb_quads, ivb_quads};
    case Packing::kBcc:
      return {active_quads, active_quads};
    case Packing::kScc:
      break;
  }
  return {quads, active_quads};
}

PackedCounts packed_counts(LaneMask mask, unsigned width, unsigned unit_width) {
  PackedCounts counts;
  counts.quads = groups(width, unit_width);
  counts.ivb_quads = active_quads(ivb_lanes(mask, width), unit_width);
  counts.active_quads = active_quads(mask, unit_width);
  counts.optimum = scc_cycles(mask, unit_width);
  return counts;
}

unsigned swizzled_lanes(const LanesOnUnit& lanes) {
  const unsigned optimum = scc_cycles(lanes.mask, lanes.unit_width), quads = active_quads(lanes.mask, lanes.unit_width);
  if (quads <= optimum) return 0;
  if (!std::has_single_bit(lanes.unit_width)) {
    const LaneQueues queues(lanes, optimum);
    unsigned moves = 0;
    for (const unsigned surplus : queues.surplus) moves += surplus;
    return moves;
  }
  unsigned moves = 0;
  const LaneMask of_lane = kGroupBits[static_cast<unsigned>(std::countr_zero(lanes.unit_width))];
  for (unsigned n = 0; n < lanes.unit_width; ++n) {
    const unsigned on = count(lanes.mask >> n & of_lane);
    if (on > optimum) moves += on - optimum;
  }
  return moves;
}

std::vector<LaneResult> SwizzleSettings::inverse(unsigned width) const {
  std::vector<LaneResult> results(width);
  for (unsigned i = 0; i < sources.size(); ++i) {
    if (!sources[i].enable) continue;
    results[sources[i].quad * unit_width + sources[i].lane] = {true, static_cast<std::uint8_t>(i / unit_width),
                                                               static_cast<std::uint8_t>(i % unit_width)};
  }
  return results;
}

SwizzleSettings swizzle_settings(Packing packing, const LanesOnUnit& lanes) {
  SwizzleSettings settings{lanes.unit_width, {}};
  const unsigned optimum = scc_cycles(lanes.mask, lanes.unit_width);
  if (packing == Packing::kScc && active_quads(lanes.mask, lanes.unit_width) > optimum) {
    swizzle(lanes, optimum, settings);
  } else {
    skip_quads(lanes_through(packing, lanes), lanes, settings);
  }
  return settings;
}

}  // namespace warpfold::divergence
