// SPDX-License-Identifier: Apache-2.0
// rtl/mask_fit_picker.sv beside a scheduler's picker of the model: each search goes to both, the picks are compared.
#pragma once

#include "tb/cosim/session.h"
#include "warpfold/common/clock/clock.h"
#include "warpfold/divergence/parts/warp/mask_fit.h"
#include "warpfold/divergence/taps.h"

namespace warpfold::cosim {

class MaskFitShadow final : public divergence::MaskFitObserver {
 public:
  struct Size {
    unsigned lanes;
    divergence::MaskFitShape shape;
  };
  MaskFitShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, const Size& size);

  void picked(std::span<const Candidate> ready, isa::LaneMask taken, unsigned set, divergence::WarpId fits) override;

 private:
  SessionModel model_;
  const ClockDomain& clock_;
  const Size size_;
  struct Points {
    Coverage::Index picked, ready, lanes, sets, fitting, none, without, ties;
  };
  Points points_;
  SessionModel::Handshake handshake_;
  Pin op_ready_, op_masks_, op_taken_, op_set_, found_, warp_;
};

}  // namespace warpfold::cosim
