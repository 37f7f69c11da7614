// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/packing/scc.h"

#include <array>

namespace warpfold::divergence {
namespace {

using isa::LaneMask;

// Per lane the queue of its active quads, a bit per quad, and how many of them other lanes are to take.
struct LaneQueues {
  std::array<std::uint64_t, isa::kMaxLanes> quads{};
  std::array<unsigned, isa::kMaxLanes> surplus{};

  LaneQueues(const LanesOnUnit& lanes, unsigned optimum) {
    for (unsigned quad = 0; quad < lanes.quads(); ++quad) {
      LaneMask on = quad_of(lanes.mask, quad, lanes.unit_width);
      for (; on != 0; on &= on - 1) quads[static_cast<unsigned>(std::countr_zero(on))] |= std::uint64_t{1} << quad;
    }
    for (unsigned n = 0; n < lanes.unit_width; ++n)
      surplus[n] = isa::count_lanes(quads[n]) - std::min(isa::count_lanes(quads[n]), optimum);
  }

  LaneSource take(unsigned lane) {
    const auto quad = static_cast<std::uint8_t>(std::countr_zero(quads[lane]));
    quads[lane] &= quads[lane] - 1;
    return {true, quad, static_cast<std::uint8_t>(lane)};
  }
};

}  // namespace

SwizzleSettings SccPacking::settings(const LanesOnUnit& lanes) {
  const Quads of_mask = quads_of(lanes);
  const unsigned optimum = cycles(lanes, of_mask);
  if (of_mask.active <= optimum) return quads_in_order(lanes.mask, lanes);
  SwizzleSettings settings{lanes.unit_width, {}};
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
  return settings;
}

unsigned SccPacking::moved_lanes(const LanesOnUnit& lanes) {
  const Quads of_mask = quads_of(lanes);
  const unsigned optimum = cycles(lanes, of_mask);
  if (of_mask.active <= optimum) return 0;
  unsigned moves = 0;
  if (!std::has_single_bit(lanes.unit_width)) {
    for (const unsigned surplus : LaneQueues(lanes, optimum).surplus) moves += surplus;
    return moves;
  }
  const LaneMask of_lane = kGroupBits[static_cast<unsigned>(std::countr_zero(lanes.unit_width))];
  for (unsigned n = 0; n < lanes.unit_width; ++n) {
    const unsigned on = isa::count_lanes(lanes.mask >> n & of_lane);
    if (on > optimum) moves += on - optimum;
  }
  return moves;
}

}  // namespace warpfold::divergence
