// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/shadows/predictor_shadow.h"

namespace warpfold::cosim {

namespace {

enum Op : unsigned { kClear, kPredict, kLearn };

}  // namespace

PredictorShadow::PredictorShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned entries)
    : Shadow(session, clock, "predictor", core, {{"Entries", entries}, {"PcWidth", kPcBits}}, ""),
      op_pc_(model_.pin("op_pc_i")),
      op_adequate_(model_.pin("op_adequate_i")),
      adequate_(model_.pin("adequate_o")) {}

void PredictorShadow::cleared() {
  model_.rtl().forget();
  operate(kClear, "clear");
}

void PredictorShadow::predicted(isa::Pc branch, bool adequate) {
  set_pc(op_pc_, branch);
  operate(kPredict, "predict");
  same("predict", "compaction is adequate", adequate ? 1 : 0, adequate_.get());
}

void PredictorShadow::learned(isa::Pc branch, bool adequate) {
  set_pc(op_pc_, branch);
  op_adequate_.set(adequate ? 1 : 0);
  operate(kLearn, "learn");
}

}  // namespace warpfold::cosim
