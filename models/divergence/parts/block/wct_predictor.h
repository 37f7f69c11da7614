// SPDX-License-Identifier: Apache-2.0
// CAPRI's prediction table: was compaction adequate at a branch the last time (TSTBC §2)? Indexed by the low bits of
// the branch's pc; two branches that share an entry replace each other.
#pragma once

#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

// Sees a table at work: RTL beside the model, say.
class PredictorObserver {
 public:
  virtual ~PredictorObserver() = default;
  virtual void cleared() = 0;
  virtual void predicted(isa::Pc branch, bool adequate) = 0;
  virtual void learned(isa::Pc branch, bool adequate) = 0;
};

class WctPredictor {
 public:
  explicit WctPredictor(unsigned entries) : entries_(entries) {}

  // Told of every operation, after it; null: nobody.
  void observe(PredictorObserver* observer) { observer_ = observer; }

  void clear() {
    entries_.assign(entries_.size(), {});
    if (observer_ != nullptr) observer_->cleared();
  }
  // Of a branch that the table does not know, compaction is taken to be adequate.
  bool adequate(isa::Pc branch) const {
    const Latest& latest = entries_[branch % entries_.size()];
    const bool adequate = latest.branch != branch || latest.adequate;
    if (observer_ != nullptr) observer_->predicted(branch, adequate);
    return adequate;
  }
  // True: another branch lost its prediction.
  bool learn(isa::Pc branch, bool adequate) {
    Latest& latest = entries_[branch % entries_.size()];
    const bool replaces = latest.branch != branch && latest.branch != isa::kNoPc;
    latest = {branch, adequate};
    if (observer_ != nullptr) observer_->learned(branch, adequate);
    return replaces;
  }

 private:
  struct Latest {
    isa::Pc branch = isa::kNoPc;
    bool adequate = true;
  };

  std::vector<Latest> entries_;
  PredictorObserver* observer_ = nullptr;
};

}  // namespace warpfold::divergence
