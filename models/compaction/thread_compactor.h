// SPDX-License-Identifier: Apache-2.0
// The thread compactor: turns a block-wide active mask into warps, one per cycle (TBC §3.2, Fig. 8 and 9).
#pragma once

#include <deque>
#include <systemc>
#include <tuple>

#include "warpfold/common/clock.h"
#include "warpfold/common/params.h"
#include "warpfold/common/port_socket.h"
#include "warpfold/common/stats.h"
#include "warpfold/common/typed_protocol.h"
#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/compact_step.h"

namespace warpfold {

struct CompactorParams {
  unsigned latency_cycles = 1;
  static constexpr auto fields() {
    return std::tuple{field("latency_cycles", "cycles", &CompactorParams::latency_cycles, 1, 64,
                            "from a request to its first warp; the others follow one per cycle")};
  }
};

struct CompactedWarp {
  unsigned block_slot = 0;
  divergence::Warp warp;
  bool last = false;  // of its request
  unsigned tag = 0;   // of its request
};

// The next warp of a request, which loses its threads; `last` when none are left.
CompactedWarp next_warp(divergence::CompactionRequest& request);

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
  virtual bool idle() const { return queue_.empty(); }

 protected:
  struct Pending {
    divergence::CompactionRequest request;
    Cycle ready_at;  // when its first warp is made, if the compactor is free
  };
  // Offers the warp; true: it is taken.
  bool offer(CompactedWarp& warp);

  std::deque<Pending> queue_;

 private:
  tlm::tlm_sync_enum accept(unsigned port, divergence::CompactionRequest& request, tlm::tlm_phase& phase);

  CompactorParams params_;
  CompactedWarp out_;
  bool offering_ = false;
  Counter &requests_, &warps_, &rows_in_;
};

}  // namespace warpfold
