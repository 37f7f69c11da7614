// SPDX-License-Identifier: Apache-2.0
// Basic cycle compression: groups without an active lane are skipped (Intra-warp §3.1).
#pragma once

#include <algorithm>

#include "warpfold/divergence/packing/scheme.h"

namespace warpfold::divergence {

// Fetches and writes what it executes (§4.1); a register file of banks of one quad (Fig. 5).
struct BccPacking : PackingScheme {
  static constexpr const char* name = "bcc";
  static constexpr const char* description =
      "basic cycle compression: groups without an active lane are skipped [Intra-warp §3.1]";
  static constexpr const char* statistic = "the same with bcc: empty quads skipped (Intra-warp §3.1)";
  static constexpr bool has_rtl = true;

  static unsigned cycles(const LanesOnUnit& /*lanes*/, const Quads& quads) { return std::max(quads.active, 1U); }
  static QuadAccesses accesses(const LanesOnUnit& /*lanes*/, const Quads& quads) {
    return {quads.active, quads.active};
  }
  static SwizzleSettings settings(const LanesOnUnit& lanes) { return quads_in_order(lanes.mask, lanes); }
  static Hardware hardware(const HardwareGeometry& geometry) {
    return packing_hardware(geometry, "registers by quad", geometry.core.simd_width, 2, false);
  }
};

}  // namespace warpfold::divergence
