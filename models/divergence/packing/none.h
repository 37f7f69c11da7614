// SPDX-License-Identifier: Apache-2.0
// No lane packing: every group of lanes takes its cycle, active or not (TBC §2.2).
#pragma once

#include "warpfold/divergence/packing/scheme.h"

namespace warpfold::divergence {

struct NoPacking : PackingScheme {
  static constexpr const char* name = "none";
  static constexpr const char* description = "every group of lanes takes its cycle, active or not [TBC §2.2]";
  static constexpr const char* statistic = "instructions would hold their units with lane packing none";

  static unsigned cycles(const LanesOnUnit& /*lanes*/, const Quads& quads) { return quads.all; }
  static QuadAccesses accesses(const LanesOnUnit& /*lanes*/, const Quads& quads) { return {quads.all, quads.all}; }
  static SwizzleSettings settings(const LanesOnUnit& lanes) { return quads_in_order(low_lanes(lanes.width), lanes); }
};

}  // namespace warpfold::divergence
