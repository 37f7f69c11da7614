// SPDX-License-Identifier: Apache-2.0
// Which lane of its row runs a thread, for good. The only place that says so.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "warpfold/common/config/params.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// Thread t of a block is in row r = t / W, in lane (t mod W) xor f(r). Branches that depend on a thread's place in its
// warp take the same lanes of every row under `identity`, which leaves a mechanism that keeps threads in their lanes
// nothing to compact; the others spread them (SIMD lane permutation, Rhu and Erez, ISCA 2013; lane shuffling, Brunie et
// al., ISCA 2012). xor: f = r; xor_rev: the bits of r reversed; mirror_odd: W - 1 for odd r.
enum class LaneMap : std::uint8_t { kIdentity, kXor, kXorRev, kMirrorOdd };

// f of a row, counted from its block's first. `width`: a power of two.
inline unsigned lane_flip(LaneMap map, unsigned row, unsigned width) {
  const unsigned low = row % width;
  switch (map) {
    case LaneMap::kIdentity:
      break;
    case LaneMap::kXor:
      return low;
    case LaneMap::kXorRev: {
      unsigned reversed = 0;
      for (unsigned bit = 1; bit < width; bit *= 2) reversed = reversed * 2 + ((low & bit) != 0 ? 1 : 0);
      return reversed;
    }
    case LaneMap::kMirrorOdd:
      return row % 2 != 0 ? width - 1 : 0;
  }
  return 0;
}

// Lane l of the mask becomes lane l xor flip: from lanes to places in the row, or back.
constexpr LaneMask flipped(LaneMask mask, unsigned flip) {
  constexpr std::array<LaneMask, 6> kLower{0x5555'5555'5555'5555, 0x3333'3333'3333'3333, 0x0f0f'0f0f'0f0f'0f0f,
                                           0x00ff'00ff'00ff'00ff, 0x0000'ffff'0000'ffff, 0x0000'0000'ffff'ffff};
  for (unsigned bit = 0; bit < kLower.size(); ++bit) {
    if ((flip >> bit & 1) == 0) continue;
    const unsigned by = 1U << bit;
    mask = (mask & kLower[bit]) << by | (mask >> by & kLower[bit]);
  }
  return mask;
}

}  // namespace warpfold::isa

namespace warpfold {

template <>
struct Choices<isa::LaneMap> {
  static constexpr std::array names{"identity", "xor", "xor_rev", "mirror_odd"};
};

}  // namespace warpfold
