// SPDX-License-Identifier: Apache-2.0
// The blocks of a core that something else can stand in for, or watch: the model's own here, RTL in co-simulation.
#pragma once

#include <functional>
#include <memory>

#include "models/compaction/thread_compactor.h"
#include "models/core/core_params.h"
#include "models/divergence/adequacy.h"
#include "models/divergence/mechanism.h"

namespace warpfold {

class CoreBlocks {
 public:
  virtual ~CoreBlocks() = default;

  virtual std::unique_ptr<ThreadCompactor> compactor(const char* name, const CompactorParams& params,
                                                     ClockDomain& clock, unsigned index, StatGroup& stats) {
    return std::make_unique<ThreadCompactor>(name, params, clock, index, stats);
  }
  virtual divergence::AdequacyUnit& adequacy_unit() { return adequacy_unit_; }
  virtual divergence::StackObserver* stack_observer(unsigned /*block_slot*/) { return nullptr; }
  virtual divergence::BarrierObserver* barrier_observer(unsigned /*scheduler*/) { return nullptr; }

 private:
  divergence::AdequacyUnit adequacy_unit_;
};

// Makes the blocks of one core, whose parameters are as its mechanism shapes them.
using CoreBlocksFactory = std::function<std::unique_ptr<CoreBlocks>(unsigned core, const CoreParams& params)>;

}  // namespace warpfold
