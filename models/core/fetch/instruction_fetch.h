// SPDX-License-Identifier: Apache-2.0
// Instruction fetch of a core whose instructions come through a cache: who fetches, and what each warp has.
#pragma once

#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/divergence/warp.h"
#include "warpfold/memory/l1/cache_protocol.h"

namespace warpfold {

// A warp has a buffer for the instructions that follow the one it is at; issued in order, each leaves it. A warp whose
// next instruction is not there, because the buffer is used up or a branch was taken, waits its turn: fetches_per_cycle
// of them fetch per cycle, round robin, each with one access to the cache for as many instructions as fit the buffer
// and lie in one line. A warp has one access on its way at most; those whose access the cache turned away stand back
// until it has room again.
//
// Goes after the issue stage: what issues in a cycle makes room for a fetch in that cycle, and with a hit latency of n
// the instruction can issue n cycles later.
class InstructionFetch : public sc_core::sc_module, public Clocked {
 public:
  TargetPort<InstructionFetch, FetchProtocol> issue_socket{"issue_socket", *this, &InstructionFetch::accept};
  InitiatorPort<InstructionFetch, CacheProtocol> cache_socket{"cache_socket", *this, &InstructionFetch::cache_answered};

  InstructionFetch(sc_core::sc_module_name name, const CoreParams& params, unsigned line_bytes, ClockDomain& core_clock,
                   unsigned index, StatGroup& stats);

  // A kernel starts whose first instruction lies at `code`.
  void kernel_started(Address code) { code_ = code; }
  Cycle tick(Cycle now) override;

 private:
  struct Buffer {
    isa::Pc first = 0;  // what is there: [first, first + count)
    unsigned count = 0;
    isa::Pc wanted = isa::kNoPc;  // what the issue stage waits for
    isa::Pc coming = 0;           // what the access on its way brings: [coming, coming + coming_count)
    unsigned coming_count = 0;
    Cycle arrives_at = 0;  // where that is known
  };

  tlm::tlm_sync_enum accept(unsigned port, FetchRequest& fetch, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum cache_answered(unsigned port, CacheAccess& access, tlm::tlm_phase& phase);
  void access(divergence::WarpId id);
  Cycle take_in(Cycle now);
  void arrive(divergence::WarpId id);

  const FetchParams params_;
  const unsigned line_bytes_;
  Address code_ = 0;
  std::vector<Buffer> buffers_;       // by warp
  divergence::WarpSet waiting_;       // for their turn
  divergence::WarpSet turned_away_;   // by the cache, until it has room again
  divergence::WarpSet on_their_way_;  // an access whose answer is not known
  divergence::WarpSet arriving_;      // one whose answer is
  divergence::WarpId turn_ = 0;
  Counter& fetches_;
};

}  // namespace warpfold
