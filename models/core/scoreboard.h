// SPDX-License-Identifier: Apache-2.0
// What keeps a warp's next instruction from issuing: instructions of that warp in flight.
#pragma once

#include <vector>

#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

class Scoreboard {
 public:
  Scoreboard(ScoreboardKind kind, unsigned slots);

  // A kernel starts: `words` registers and predicates per thread. Nothing is in flight.
  void kernel_started(unsigned words);
  // simple: nothing of the warp in flight (TBC §2.2.1). per_register: no register that `op` reads or writes is pending.
  bool allows(divergence::WarpId warp, const isa::MicroOp& op) const;
  void issued(divergence::WarpId warp, const isa::MicroOp& op);
  void released(divergence::WarpId warp, const isa::MicroOp& op);
  unsigned in_flight(divergence::WarpId warp) const { return warps_[warp].in_flight; }

 private:
  struct Entry {
    unsigned in_flight = 0;
    std::vector<std::uint16_t> pending;  // per word: writes under way
  };
  ScoreboardKind kind_;
  std::vector<Entry> warps_;
};

}  // namespace warpfold
