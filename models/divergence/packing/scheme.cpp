// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/packing/scheme.h"

namespace warpfold::divergence {

Hardware packing_hardware(const HardwareGeometry& geometry, const char* file, unsigned row_lanes, unsigned banks,
                          bool swizzle) {
  Hardware hardware;
  const unsigned lanes = geometry.core.warp_size, width = geometry.core.simd_width, units = geometry.core.schedulers;
  if (groups(lanes, width) < 2) return hardware;  // a unit as wide as the warp: nothing to pack
  const double bytes = 4.0 * geometry.registers / units;
  Structure rows{file, registers(bytes, row_lanes, banks), units, {}};
  rows.replaced = registers(bytes, 2 * width);  // rows of two quads (Fig. 5)
  rows.replaced_copies = units;
  hardware.storage.push_back(std::move(rows));
  hardware.logic.push_back({"swizzle_control", {{"Lanes", lanes}, {"Width", width}, {"Swizzle", swizzle}}, units});
  if (!swizzle) return hardware;
  constexpr unsigned kOperands = 3;
  hardware.logic.push_back(
      {"swizzle_crossbar", {{"Lanes", lanes}, {"Width", width}, {"DataBits", 32}}, kOperands * units});
  hardware.logic.push_back({"unswizzle_crossbar", {{"Lanes", lanes}, {"Width", width}, {"DataBits", 32}}, units});
  return hardware;
}

}  // namespace warpfold::divergence
