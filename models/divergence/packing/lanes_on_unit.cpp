// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/packing/lanes_on_unit.h"

namespace warpfold::divergence {

using isa::LaneMask;

std::vector<LaneResult> SwizzleSettings::inverse(unsigned width) const {
  std::vector<LaneResult> results(width);
  for (unsigned i = 0; i < sources.size(); ++i) {
    if (!sources[i].enable) continue;
    results[sources[i].quad * unit_width + sources[i].lane] = {true, static_cast<std::uint8_t>(i / unit_width),
                                                               static_cast<std::uint8_t>(i % unit_width)};
  }
  return results;
}

SwizzleSettings quads_in_order(LaneMask executed, const LanesOnUnit& lanes) {
  SwizzleSettings settings{lanes.unit_width, {}};
  for (unsigned quad = 0; quad < lanes.quads(); ++quad) {
    if (quad_of(executed, quad, lanes.unit_width) == 0) continue;
    for (unsigned n = 0; n < lanes.unit_width; ++n) {
      const bool on = (quad_of(lanes.mask, quad, lanes.unit_width) >> n & 1) != 0;
      settings.sources.push_back(on ? LaneSource{true, static_cast<std::uint8_t>(quad), static_cast<std::uint8_t>(n)}
                                    : LaneSource{});
    }
  }
  if (settings.sources.empty()) settings.sources.resize(lanes.unit_width);
  return settings;
}

}  // namespace warpfold::divergence
