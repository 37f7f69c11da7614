// SPDX-License-Identifier: Apache-2.0
// The second seam: for how many cycles the lanes of an execution mask hold a unit that is narrower than the warp
// (Intra-warp §3, §4). Nothing else says so.
#pragma once

#include "warpfold/divergence/packing/schemes.h"

namespace warpfold::divergence {

// Is there something to swizzle, or to skip, and RTL that does it? Not for units as wide as a warp, or of one lane.
inline bool has_control(Packing packing, unsigned width, unsigned unit_width) {
  return info_of(packing).has_rtl && unit_width > 1 && unit_width < width && width % unit_width == 0;
}

class LanePacking {
 public:
  // `counts_clocks`: those of the control of what is packed.
  explicit LanePacking(Packing packing = Packing::kNone, bool counts_clocks = false)
      : packing_(packing), counts_clocks_(counts_clocks) {}
  virtual ~LanePacking() = default;
  // Cycles for which `mask` of a warp of `width` lanes holds a unit of `unit_width` lanes; at least 1.
  virtual unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const {
    if (packing_ == Packing::kNone) return groups(width, unit_width);
    const LanesOnUnit lanes{mask, width, unit_width};
    return info_of(packing_).cycles(lanes, quads_of(lanes));
  }
  // Cycles from the mask that cycles() was asked about to the first settings of its lanes, which their operands wait
  // for; the masks follow each other in a pipeline.
  unsigned wait(unsigned width, unsigned unit_width) const {
    return counts_clocks_ && has_control(packing_, width, unit_width) ? control_clocks() : 0;
  }
  Packing packing() const { return packing_; }

 protected:
  static constexpr unsigned kControlClocks = 1;
  virtual unsigned control_clocks() const { return kControlClocks; }

 private:
  Packing packing_;
  bool counts_clocks_;
};

}  // namespace warpfold::divergence
