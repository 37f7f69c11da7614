// SPDX-License-Identifier: Apache-2.0
// rtl/thread_compactor.sv beside the packing of large warps: per lane the first row that is left, a sub-warp per clock,
// is what that block does for the blocks of TBC. A packing goes to both, the sub-warps are compared.
#pragma once

#include "tb/cosim/session.h"
#include "tb/cosim/shadows/compactor_pins.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/parts/block/compact_step.h"

namespace warpfold::cosim {

class PackerShadow final : public divergence::PackerObserver {
 public:
  // Of large warps of `rows` rows, as wide as the SIMD units.
  struct Size {
    unsigned lanes, rows;
  };
  PackerShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, const Size& size);

  void packed(const std::vector<isa::LaneMask>& threads, unsigned first_row,
              const std::vector<divergence::Warp>& subwarps) override;

 private:
  void compare(const divergence::Warp& expected, unsigned first_row, bool last);

  SessionModel model_;
  const ClockDomain& clock_;
  CompactorPins pins_;
  Coverage::Index rows_, subwarps_, places_, lanes_;
};

}  // namespace warpfold::cosim
