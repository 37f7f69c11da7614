// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/tables/predictor_shadow.h"

#include <algorithm>
#include <bit>

namespace warpfold::cosim {

namespace {

enum Op : unsigned { kClear, kPredict, kLearn };

}  // namespace

PredictorShadow::PredictorShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned entries)
    : Shadow(session, clock, "predictor", core, {{"Entries", entries}, {"PcWidth", kPcBits}}, ""),
      branches_(entries, isa::kNoPc),
      latest_(entries),
      op_pc_(model_.pin("op_pc_i")),
      op_adequate_(model_.pin("op_adequate_i")),
      adequate_(model_.pin("adequate_o")) {
  operations({"clear", "predict", "learn"});
  Coverage& coverage = model_.record.coverage;
  points_ = {coverage.sizes("entries_of_branches", 0, entries - 1),
             coverage.sizes("bits_of_pcs", 0, kPcBits),
             coverage.event("predicted_adequate"),
             coverage.event("predicted_inadequate"),
             coverage.event("predictions_of_unknown_branches"),
             coverage.event("predictions_of_another_branchs_entry"),
             coverage.event("branches_that_replace_another"),
             coverage.event("predictions_that_change"),
             coverage.event("clears_of_a_used_table")};
}

void PredictorShadow::cleared() {
  const auto used = [](isa::Pc branch) { return branch != isa::kNoPc; };
  model_.record.coverage.count_if(std::any_of(branches_.begin(), branches_.end(), used), points_.clears_used);
  branches_.assign(branches_.size(), isa::kNoPc);
  model_.rtl().forget();
  operate(kClear, "clear");
}

void PredictorShadow::predicted(isa::Pc branch, bool adequate) {
  Coverage& coverage = model_.record.coverage;
  const auto entry = static_cast<unsigned>(branch % branches_.size());
  coverage.size(points_.entries, entry);
  coverage.size(points_.bits, static_cast<unsigned>(std::bit_width(branch)));
  coverage.count(adequate ? points_.adequate : points_.inadequate);
  if (branches_[entry] == isa::kNoPc) {
    coverage.count(points_.unknown);
  } else if (branches_[entry] != branch) {
    coverage.count(points_.other);
  }
  set_pc(op_pc_, branch);
  operate(kPredict, "predict");
  same("predict", "compaction is adequate", adequate ? 1 : 0, adequate_.get());
}

void PredictorShadow::learned(isa::Pc branch, bool adequate) {
  const std::size_t entry = branch % branches_.size();
  const bool known = branches_[entry] == branch;
  model_.record.coverage.count_if(!known && branches_[entry] != isa::kNoPc, points_.replaced);
  model_.record.coverage.count_if(known && latest_[entry] != adequate, points_.changed);
  branches_[entry] = branch;
  latest_[entry] = adequate;
  set_pc(op_pc_, branch);
  op_adequate_.set(adequate ? 1 : 0);
  operate(kLearn, "learn");
}

}  // namespace warpfold::cosim
