// SPDX-License-Identifier: Apache-2.0
// Swizzled cycle compression: lanes are moved into as few groups as hold them (Intra-warp §3.2). Twin of
// rtl/swizzle_control.sv.
#pragma once

#include <algorithm>

#include "warpfold/divergence/packing/scheme.h"

namespace warpfold::divergence {

// Fetches full width (§4.2) and writes quads with an active lane; a register file whose rows are as wide as the warp
// (Fig. 5).
struct SccPacking : PackingScheme {
  static constexpr const char* name = "scc";
  static constexpr const char* description =
      "swizzled cycle compression: lanes are moved into as few groups as hold them [Intra-warp §3.2]";
  static constexpr const char* statistic = "the same with scc: lanes swizzled together (Intra-warp §3.2)";
  static constexpr bool has_rtl = true, swizzles = true;

  static unsigned cycles(const LanesOnUnit& lanes, const Quads& /*quads*/) {
    return std::max(groups(static_cast<unsigned>(std::popcount(lanes.mask)), lanes.unit_width), 1U);
  }
  static QuadAccesses accesses(const LanesOnUnit& /*lanes*/, const Quads& quads) { return {quads.all, quads.active}; }
  // Fig. 6: if there are as many active quads as the optimum has cycles, as bcc; else per lane a queue of its active
  // quads in ascending order, and cycle by cycle, outputs ascending, an output whose own queue is empty takes from the
  // lowest lane that has a surplus.
  static SwizzleSettings settings(const LanesOnUnit& lanes);
  // The surplus of all lanes (§4.2, Fig. 6).
  static unsigned moved_lanes(const LanesOnUnit& lanes);
  static Hardware hardware(const HardwareGeometry& geometry) {
    return packing_hardware(geometry, "registers as wide as a warp", geometry.core.warp_size, 1, true);
  }
};

}  // namespace warpfold::divergence
