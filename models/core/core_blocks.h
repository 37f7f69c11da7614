// SPDX-License-Identifier: Apache-2.0
// The blocks of a core that something else can stand in for, or watch: the model's own here, RTL in co-simulation.
#pragma once

#include <memory>
#include <string>

#include "warpfold/compaction/thread_compactor.h"
#include "warpfold/core/core_params.h"
#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/adequacy.h"

namespace warpfold {

class CoreBlocks {
 public:
  virtual ~CoreBlocks() = default;

  virtual std::unique_ptr<ThreadCompactor> compactor(const char* name, const CompactorParams& params,
                                                     ClockDomain& clock, unsigned index, StatGroup& stats) {
    return std::make_unique<ThreadCompactor>(name, params, clock, index, stats);
  }
  virtual std::unique_ptr<divergence::LanePacking> lane_packing(const CoreParams& params) {
    return std::make_unique<divergence::LanePacking>(params.lane_packing);
  }
  virtual divergence::AdequacyUnit& adequacy_unit() { return adequacy_unit_; }
  virtual divergence::StackObserver* stack_observer(unsigned /*block_slot*/) { return nullptr; }
  virtual divergence::BarrierObserver* barrier_observer(unsigned /*scheduler*/,
                                                        const divergence::BarrierTableShape& /*shape*/) {
    return nullptr;
  }

 private:
  divergence::AdequacyUnit adequacy_unit_;
};

// Where a machine's cores get their blocks from. `params`: as the mechanism shapes them.
class CoreBlocksSource {
 public:
  virtual ~CoreBlocksSource() = default;
  virtual std::unique_ptr<CoreBlocks> make(unsigned core, const CoreParams& params, const ClockDomain& clock) = 0;
  // What the blocks have done so far, as a JSON object for run.json.
  virtual std::string report() const = 0;
  // The program ends, and may not take the machine down: files are to be whole.
  virtual void finish() {}
};

}  // namespace warpfold
