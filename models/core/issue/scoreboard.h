// SPDX-License-Identifier: Apache-2.0
// What keeps a warp's next instruction from issuing: instructions in flight, of the warp or of its threads.
#pragma once

#include <vector>

#include "warpfold/common/clock/slots.h"
#include "warpfold/common/error.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

class Scoreboard {
 public:
  // `rows`: of threads.
  Scoreboard(ScoreboardKind kind, unsigned slots, unsigned rows);

  // A kernel starts: `words` registers and predicates per thread. Nothing is in flight.
  void kernel_started(unsigned words);
  // simple: nothing of the warp in flight (TBC §2.2.1). per_register: no register that `op` reads or writes is pending.
  // per_thread: none of these threads' own.
  bool allows(divergence::WarpId id, const divergence::Warp& warp, const isa::MicroOp& op) const {
    return (!follows_threads() && warps_[id].in_flight == 0) || allows_beside_others(id, warp, op);
  }
  // The warp has issued `op`. What it returns says to released() whose registers have been written.
  std::uint32_t issued(divergence::WarpId id, const divergence::Warp& warp, const isa::MicroOp& op) {
    ++warps_[id].in_flight;
    return kind_ == ScoreboardKind::kSimple ? 0 : registers_pending(id, warp, op);
  }
  void released(divergence::WarpId id, std::uint32_t ticket, const isa::MicroOp& op) {
    check(warps_[id].in_flight > 0, "an instruction is released that is not in flight");
    --warps_[id].in_flight;
    if (kind_ != ScoreboardKind::kSimple) registers_written(id, ticket, op);
  }
  // Some lanes of a load have their data, which is in flight for the others.
  void partly_released(std::uint32_t ticket, const isa::MicroOp& op, isa::LaneMask lanes) {
    if (follows_threads()) threads_written(ticket, op, lanes);
  }
  // Lanes that need not stay when the warp divides: nothing of theirs is in flight. `loads`: instructions in flight of
  // which only some lanes lack data, `done`: those that lack none of any. None where something else is in flight.
  isa::LaneMask free_lanes(divergence::WarpId id, const divergence::Warp& warp, unsigned loads,
                           isa::LaneMask done) const {
    if (follows_threads()) return free_threads(warp);
    return warps_[id].in_flight == loads ? warp.mask & done : 0;
  }
  // Is anything of the warp, or of these threads, in flight?
  bool busy(divergence::WarpId id, const divergence::Warp& warp) const {
    return follows_threads() ? threads_busy(warp) : warps_[id].in_flight != 0;
  }
  // Threads may leave a warp, or join it, with registers still to be written: what is in flight is known by thread.
  bool follows_threads() const { return kind_ == ScoreboardKind::kPerThread; }

 private:
  struct Entry {
    unsigned in_flight = 0;
    std::vector<std::uint16_t> pending;  // per word: writes under way
  };
  bool allows_beside_others(divergence::WarpId id, const divergence::Warp& warp, const isa::MicroOp& op) const;
  std::uint32_t registers_pending(divergence::WarpId id, const divergence::Warp& warp, const isa::MicroOp& op);
  void registers_written(divergence::WarpId id, std::uint32_t ticket, const isa::MicroOp& op);
  void threads_written(std::uint32_t ticket, const isa::MicroOp& op, isa::LaneMask lanes);
  isa::LaneMask free_threads(const divergence::Warp& warp) const;
  bool threads_busy(const divergence::Warp& warp) const;
  isa::LaneMask& pending(unsigned row, isa::Word word) { return lanes_[std::size_t{row} * words_ + word]; }

  ScoreboardKind kind_;
  std::vector<Entry> warps_;

  // per_thread
  unsigned rows_, words_ = 0;
  std::vector<isa::LaneMask> lanes_;   // per row and word: whose write is under way
  Slots<divergence::Warp> in_flight_;  // by ticket: whose instruction it is; free ones have an empty mask
};

}  // namespace warpfold
