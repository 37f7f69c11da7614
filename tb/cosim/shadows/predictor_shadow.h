// SPDX-License-Identifier: Apache-2.0
// rtl/wct_predictor.sv beside a core's prediction table of the model: every operation goes to both, the predictions are
// compared.
#pragma once

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/block/wct_predictor.h"

namespace warpfold::cosim {

class PredictorShadow final : public divergence::PredictorObserver, Shadow {
 public:
  using Shadow::kPcBits;

  PredictorShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned entries);

  void cleared() override;
  void predicted(isa::Pc branch, bool adequate) override;
  void learned(isa::Pc branch, bool adequate) override;

 private:
  Pin op_pc_, op_adequate_, adequate_;
};

}  // namespace warpfold::cosim
