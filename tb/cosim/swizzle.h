// SPDX-License-Identifier: Apache-2.0
// rtl/swizzle_control.sv in the place of the model's lane packing, for bcc and scc.
#pragma once

#include <map>

#include "models/common/clock.h"
#include "models/divergence/lane_packing.h"
#include "tb/cosim/session.h"

namespace warpfold::cosim {

// The control works ahead of issue, between the mask and the operands (Intra-warp §4.2): its clocks take no time of the
// machine, the settings that it makes are the cycles of the SIMD unit. A unit as wide as a warp, or one lane wide, has
// nothing to swizzle; there the model answers.
class RtlPacking final : public divergence::LanePacking {
 public:
  RtlPacking(divergence::Packing packing, Session& session, const ClockDomain& clock, unsigned core)
      : LanePacking(packing), session_(session), clock_(clock), core_(core) {}
  unsigned cycles(isa::LaneMask mask, unsigned width, unsigned unit_width) const override;

 private:
  // One per width of warps and units.
  struct Control {
    Control(Session& session, unsigned core, unsigned width, unsigned unit_width, bool swizzle);
    SessionModel model;
    unsigned quad_bits, lane_bits;
    Pin mask_valid, mask_ready, mask, set_valid, set_last, set_enable, set_quad, set_lane;
  };
  Control& control(unsigned width, unsigned unit_width) const;
  void compare(Control& control, const divergence::SwizzleSettings& expected, unsigned cycle,
               const divergence::LanesOnUnit& lanes) const;

  Session& session_;
  const ClockDomain& clock_;
  unsigned core_;
  mutable std::map<std::pair<unsigned, unsigned>, Control> controls_;
};

// Does the RTL answer for these widths?
bool rtl_packs(divergence::Packing packing, unsigned width, unsigned unit_width);

}  // namespace warpfold::cosim
