// SPDX-License-Identifier: Apache-2.0
// The second seam: how many cycles an instruction holds a SIMD unit, given the lanes that execute (DESIGN §2, 5).
#pragma once

#include "models/isa/kernel.h"

namespace warpfold::divergence {

// Nothing else computes how long an instruction occupies lanes, so that intra-warp compaction is a class beside this
// one.
class LanePacking {
 public:
  virtual ~LanePacking() = default;
  // Cycles for which `mask` of a warp of `width` lanes holds a unit of `unit_width` lanes; at least 1.
  virtual unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const = 0;
};

// The baseline: every group of lanes takes its cycle, active or not.
class NoPacking final : public LanePacking {
 public:
  unsigned cycles(isa::LaneMask /*mask*/, unsigned width, unsigned unit_width) const override {
    return (width + unit_width - 1) / unit_width;
  }
};

}  // namespace warpfold::divergence
