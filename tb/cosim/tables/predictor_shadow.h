// SPDX-License-Identifier: Apache-2.0
// rtl/wct_predictor.sv beside a core's prediction table of the model: every operation goes to both, the predictions are
// compared.
#pragma once

#include <vector>

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
  // Which branch an entry has, as this saw it learn.
  std::vector<isa::Pc> branches_;
  struct Points {
    Coverage::Index entries, bits, adequate, inadequate, unknown, other, replaced, changed, clears_used;
  };
  Points points_;
  std::vector<bool> latest_;
  Pin op_pc_, op_adequate_, adequate_;
};

}  // namespace warpfold::cosim
