// SPDX-License-Identifier: Apache-2.0
// Lane packings by value, for tests that take each in turn.
#pragma once

#include "warpfold/divergence/packing/lane_packing.h"

namespace warpfold::divergence {

inline constexpr std::array kEveryPacking{Packing::kNone, Packing::kIvb, Packing::kBcc, Packing::kScc};
static_assert(kEveryPacking.size() == kPackings.size());

inline unsigned packed_cycles(Packing packing, const LanesOnUnit& lanes) {
  return info_of(packing).cycles(lanes, quads_of(lanes));
}
inline SwizzleSettings swizzle_settings(Packing packing, const LanesOnUnit& lanes) {
  return info_of(packing).settings(lanes);
}
inline unsigned swizzled_lanes(const LanesOnUnit& lanes) { return SccPacking::moved_lanes(lanes); }
inline Hardware packing_hardware(Packing packing, const HardwareGeometry& geometry) {
  return info_of(packing).hardware(geometry);
}

}  // namespace warpfold::divergence
