// SPDX-License-Identifier: Apache-2.0
// rtl/thread_compactor.sv in the place of the model's thread compactor: same sockets, the warps are the RTL's.
#pragma once

#include <optional>

#include "tb/cosim/session.h"
#include "tb/cosim/shadows/compactor_pins.h"
#include "warpfold/compaction/thread_compactor.h"

namespace warpfold::cosim {

// A core's cycle is a clock of the RTL. What other modules did in a cycle is on the pins at the edge that ends it, so
// the edge is made at the beginning of the next tick. Waits between a request and its first warp that are longer than
// the RTL's one clock (core.compactor.latency_cycles) are the queue's. The block is clocked only while it has work.
class RtlCompactor final : public ThreadCompactor {
 public:
  // Requests of blocks of up to `rows` rows of `lanes`.
  RtlCompactor(const char* name, const CompactorParams& params, ClockDomain& clock, unsigned index, StatGroup& stats,
               Session& session, unsigned core, unsigned lanes, unsigned rows);
  Cycle tick(Cycle now) override;
  bool idle() const override { return queue_.empty() && running_.empty(); }

 private:
  struct Running {
    divergence::CompactionRequest request;  // what is left of it
    std::optional<CompactedWarp> expected;  // the twin's next warp; under contract, what the RTL offered first
    Cycle ready_at;
    bool begun = false;       // its first warp has been made
    unsigned warps = 0;       // that have been taken
    unsigned most_warps = 0;  // that a contract allows
    Cycle since = 0;          // the model would offer its first warp
  };

  void take_request(Cycle now);
  void take_warp(Cycle now);
  void begin(divergence::CompactionRequest request, Cycle ready_at);
  void compare(Cycle now);
  void check_contract(Running& running, const CompactedWarp& got);
  void end(Cycle now);
  CompactedWarp warp_on_pins() const;
  Cycle due(Running& running);
  void show_sockets(Cycle now);

  SessionModel model_;
  CompactorPins pins_;
  unsigned stages_;
  std::deque<Running> running_;  // the first makes warps; the others have been taken
  // The last warp: when the model would have made it, and when it was taken; and the one before.
  Cycle made_at_ = 0, taken_at_ = 0, taken_before_at_ = 0;
  Cycle progress_at_ = 0;
  std::unique_ptr<RtlModel> sockets_;
  // Coverage.
  struct Points {
    Coverage::Index rows, warps, places, lanes, regrouped, as_they_are, all_rows, back_to_back, waits, stalls,
        stalls_of_last;
  };
  Points points_;
};

}  // namespace warpfold::cosim
