// SPDX-License-Identifier: Apache-2.0
// Ivy Bridge: a SIMD16 instruction whose upper or lower eight lanes are off runs as SIMD8 (Intra-warp §5.2).
#pragma once

#include "warpfold/divergence/packing/scheme.h"

namespace warpfold::divergence {

struct IvbPacking : PackingScheme {
  static constexpr const char* name = "ivb";
  static constexpr const char* description = "Ivy Bridge: 16 lanes of which a half is off run as 8 [Intra-warp §5.2]";
  static constexpr const char* statistic = "the same with ivb: empty halves of 16 lanes (Intra-warp §5.2)";

  static unsigned cycles(const LanesOnUnit& lanes, const Quads& /*quads*/) {
    return active_quads(lanes_through(lanes), lanes.unit_width);
  }
  static QuadAccesses accesses(const LanesOnUnit& lanes, const Quads& quads) {
    return {cycles(lanes, quads), cycles(lanes, quads)};
  }
  static SwizzleSettings settings(const LanesOnUnit& lanes) { return quads_in_order(lanes_through(lanes), lanes); }

 private:
  // Lanes that go through the unit, on or off. Every aligned 16-lane part of a warp is a SIMD16 instruction, as if it
  // were issued alone; a part without an active lane runs as SIMD8, one of at most eight lanes as it is.
  static isa::LaneMask lanes_through(const LanesOnUnit& lanes) {
    constexpr unsigned kHalf = 8, kPart = 16;
    const isa::LaneMask all = low_lanes(lanes.width), whole_parts = low_lanes(lanes.width / kPart * kPart);
    const isa::LaneMask halves = fold(lanes.mask, 3) & whole_parts, starts = kGroupBits[4] & whole_parts;
    const isa::LaneMask empty = starts & ~(halves | halves >> kHalf);
    return ((halves | empty) * low_lanes(kHalf)) | (all & ~whole_parts);
  }
};

}  // namespace warpfold::divergence
