// SPDX-License-Identifier: Apache-2.0
// What a core does, on the pins of the blocks that the user hangs on it.
#pragma once

#include <array>
#include <deque>

#include "tb/cosim/hung_block.h"
#include "tb/cosim/session.h"
#include "warpfold/common/results/trace.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_watch.h"

namespace warpfold::cosim {

// Events of a core's cycle are on the pins together; where there are two of a kind, as when two schedulers issue, the
// second has a clock of its own. A cycle without an event has none.
class ObservedCore final : public CoreWatch, public TraceSink {
 public:
  ObservedCore(Session& session, const ClockDomain& clock, unsigned core, const CoreParams& params);

  void issued(const Instruction& instruction, Cycle now, Cycle cycles) override;
  void waits(divergence::WarpId /*warp*/, isa::Pc /*pc*/, Wait /*why*/, Cycle /*now*/) override {}
  void completed(const Instruction& instruction, Cycle now) override;
  void sent(const tlm::tlm_generic_payload& request, Cycle now) override;
  void answered(const tlm::tlm_generic_payload& request, Cycle now) override;
  void record(const TraceRecord& record) override;

  // The clock of the events that are on the pins.
  void settle();

 private:
  struct Hung {
    Hung(Session& session, unsigned core, const HungBlock& block);
    SessionModel model;
    std::vector<std::pair<Pin, CoreSignal>> inputs;
    std::vector<std::pair<Pin, std::uint64_t*>> ones;  // outputs of one bit, and the clocks in which they are high
  };
  // There is one of the kind whose first signal this is.
  void event(CoreSignal first);
  void set(CoreSignal signal, std::uint64_t value) { values_[static_cast<std::size_t>(signal)] = value; }

  const ClockDomain& clock_;
  unsigned core_, schedulers_;
  std::deque<Hung> hung_;
  std::array<std::uint64_t, static_cast<std::size_t>(CoreSignal::kCount)> values_{};
  bool pending_ = false;
  Cycle at_ = 0;
};

// Those of a machine, which share its trace records.
class ObservedCores final : public TraceSink {
 public:
  void add(ObservedCore& core) { cores_.push_back(&core); }
  void record(const TraceRecord& record) override {
    for (ObservedCore* const core : cores_) core->record(record);
  }
  void settle() const {
    for (ObservedCore* const core : cores_) core->settle();
  }

 private:
  std::vector<ObservedCore*> cores_;
};

}  // namespace warpfold::cosim
