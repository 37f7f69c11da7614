// SPDX-License-Identifier: Apache-2.0
// The thread compactor: turns a block-wide active mask into warps, one per cycle (TBC §3.2, Fig. 8 and 9).
#pragma once

#include <deque>
#include <optional>
#include <systemc>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/clock/typed_protocol.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/compaction/compacted_warp.h"

namespace warpfold {

// Valid/ready on both sides: requests queue (a core has one compactor for all its blocks), a warp that is not taken
// (anything but TLM_COMPLETED) is offered again in the next cycle. Who makes warps in another way overrides tick().
class ThreadCompactor : public sc_core::sc_module, public Clocked {
 public:
  TargetPort<ThreadCompactor, TypedProtocol<divergence::CompactionRequest>> request_socket{"request_socket", *this,
                                                                                           &ThreadCompactor::accept};
  OneWayPort<CompactedWarp> warp_socket{"warp_socket"};

  ThreadCompactor(sc_core::sc_module_name name, const CompactorParams& params, ClockDomain& core_clock, unsigned index,
                  StatGroup& stats);
  Cycle tick(Cycle now) override;
  virtual bool idle() const { return queue_.empty() && !packing_ && made_.empty(); }

 protected:
  struct Pending {
    divergence::CompactionRequest request;
    Cycle ready_at;  // when its first warp is made, if the compactor is free
  };
  // Offers the warp; true: it is taken.
  bool offer(CompactedWarp& warp);

  std::deque<Pending> queue_;  // by when they are ready

 private:
  tlm::tlm_sync_enum accept(unsigned port, divergence::CompactionRequest& request, tlm::tlm_phase& phase);

  Cycle tick_in_two_stages(Cycle now);
  static CompactedWarp make(divergence::CompactionRequest& request);

  CompactorParams params_;
  CompactedWarp out_;
  bool offering_ = false;
  // Of two stages: the request at work in the first, and the warps behind it, of which one is offered.
  std::optional<divergence::CompactionRequest> packing_;
  std::deque<CompactedWarp> made_;
  bool taken_ = false;  // one of them was, in the last cycle
  Counter &requests_, &warps_, &rows_in_;
};

}  // namespace warpfold
