// SPDX-License-Identifier: Apache-2.0
// A way of packing the lanes of a warp into the cycles of a narrower unit: a file each, named in schemes.h and nowhere
// else.
#pragma once

#include "warpfold/divergence/hardware.h"
#include "warpfold/divergence/packing/lanes_on_unit.h"

namespace warpfold::divergence {

// What a scheme has unless it says otherwise. Each brings `name`, `description` with its source, `statistic`, what
// simd_cycles_<name> counts, and
//   static unsigned cycles(const LanesOnUnit&, const Quads&): for which the unit is held, at least 1: a mask of zero
//     takes its slot too;
//   static QuadAccesses accesses(const LanesOnUnit&, const Quads&);
//   static SwizzleSettings settings(const LanesOnUnit&).
struct PackingScheme {
  // Do its settings drive rtl/swizzle_control.sv, and does that swizzle?
  static constexpr bool has_rtl = false, swizzles = false;
  // Lanes that it moves to another output lane.
  static unsigned moved_lanes(const LanesOnUnit& /*lanes*/) { return 0; }
  // What it adds to a core (Intra-warp §4), where a unit is narrower than a warp.
  static Hardware hardware(const HardwareGeometry& /*geometry*/) { return {}; }
};

// Of the schemes of Intra-warp §4: a register file of other rows in place of rows of two quads, one control per unit,
// and crossbars where lanes are swizzled. `row_lanes`, `banks`: of the register file.
Hardware packing_hardware(const HardwareGeometry& geometry, const char* file, unsigned row_lanes, unsigned banks,
                          bool swizzle);

}  // namespace warpfold::divergence
