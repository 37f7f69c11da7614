// SPDX-License-Identifier: Apache-2.0
// The second seam: for how many cycles the lanes of an execution mask hold a unit that is narrower than the warp
// (Intra-warp §3, §4). Nothing else says so.
#pragma once

#include "warpfold/divergence/packing/schemes.h"

namespace warpfold::divergence {

class LanePacking {
 public:
  explicit LanePacking(Packing packing = Packing::kNone) : packing_(packing) {}
  virtual ~LanePacking() = default;
  // Cycles for which `mask` of a warp of `width` lanes holds a unit of `unit_width` lanes; at least 1.
  virtual unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const {
    if (packing_ == Packing::kNone) return groups(width, unit_width);
    const LanesOnUnit lanes{mask, width, unit_width};
    return info_of(packing_).cycles(lanes, quads_of(lanes));
  }
  Packing packing() const { return packing_; }

 private:
  Packing packing_;
};

}  // namespace warpfold::divergence
