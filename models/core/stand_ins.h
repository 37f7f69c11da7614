// SPDX-License-Identifier: Apache-2.0
// What stands in for boxes of a core, or for parts of its mechanism, and who watches these: the model's own here, RTL
// in co-simulation.
#pragma once

#include <memory>
#include <string>

#include "warpfold/common/results/trace.h"
#include "warpfold/compaction/thread_compactor.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/operands/register_banks.h"
#include "warpfold/divergence/taps.h"

namespace warpfold {

class CoreWatch;

class StandIns : public divergence::Taps {
 public:
  virtual std::unique_ptr<ThreadCompactor> compactor(const char* name, const CompactorParams& params,
                                                     ClockDomain& clock, unsigned index, StatGroup& stats) {
    return std::make_unique<ThreadCompactor>(name, params, clock, index, stats);
  }
  virtual std::unique_ptr<divergence::LanePacking> lane_packing(const CoreParams& params) {
    return std::make_unique<divergence::LanePacking>(params.lane_packing, params.logic.clocks == UnitClocks::kRtl);
  }
  // Who wants to see what the core does, where nobody else watches it; null: nobody.
  virtual CoreWatch* watch() { return nullptr; }
  // Who wants to see the accesses of a register file's banks; null: nobody.
  virtual RegisterObserver* register_observer(unsigned /*file*/, const CoreParams& /*params*/) { return nullptr; }
};

// Where a machine's cores get theirs from. `params`: as the mechanism shapes them.
class StandInSource {
 public:
  virtual ~StandInSource() = default;
  virtual std::unique_ptr<StandIns> make(unsigned core, const CoreParams& params, const ClockDomain& clock) = 0;
  // Who wants the trace records of all cores; null: nobody.
  virtual TraceSink* sink() { return nullptr; }
  // What they have done so far, as a JSON object for run.json.
  virtual std::string report() const = 0;
  // The program ends, and may not take the machine down: files are to be whole.
  virtual void finish() {}
};

}  // namespace warpfold
