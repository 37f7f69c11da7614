// SPDX-License-Identifier: Apache-2.0
// An issued instruction, and which core it is on.
#pragma once

#include <vector>

#include "warpfold/common/clock/cycle.h"
#include "warpfold/common/results/trace.h"
#include "warpfold/divergence/mechanism.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/memory_ops.h"

namespace warpfold {

// An issued instruction. Values are computed at issue; what travels is what timing needs.
struct Instruction {
  divergence::WarpId warp = 0;
  isa::Pc pc = 0;
  const isa::MicroOp* op = nullptr;
  isa::LaneMask active = 0;           // lanes of the warp
  isa::LaneMask executed = 0;         // those whose guard held
  isa::LaneMask taken = 0;            // branches
  unsigned width = 32;                // lanes of the warp, active or not
  bool meets = false;                 // a collective for which the warp's threads are to wait for others (rendezvous.h)
  bool gone_on = false;               // the warp has: at issue (scoreboards of registers), or at its release
  bool partly = false;                // only `executed` lanes of a load have their data: it stays in flight
  std::uint32_t ticket = 0;           // the scoreboard's
  unsigned operand_cycles = 0;        // added by register bank conflicts
  bool takes_last_collector = false;  // of its scheduler, which has none free until END_REQ says so
  std::uint32_t result = kNoResult;   // that waits for its turn in the register file, where it needs one
  unsigned unit = 0;                  // of the core's, if it goes to one: ExecutionUnits::number
  bool beside = false;                // in lanes of its unit that another leaves idle which entered it in its cycle
  unsigned hold_cycles = 1;           // for which it holds its unit; filled in on the way down, as is
  unsigned port_cycles = 1;           // for which it holds the issue port
  // What the load/store unit makes of it, filled in on the way down too: see PcCounts
  std::uint16_t lines = 0, conflicts = 0;
  Cycle issued_at = 0;
  Cycle done_at = 0;
  // Only during the call that issues it:
  const isa::Outcome* outcome = nullptr;  // addresses
  const divergence::Warp* threads = nullptr;
  const std::vector<isa::LaneMask>* lines_by_lanes = nullptr;  // Mechanism::accessed, where the mechanism hears of it

  static constexpr std::uint32_t kNoResult = ~0U;

  // A box keeps it.
  void call_ends() {
    outcome = nullptr;
    threads = nullptr;
    lines_by_lanes = nullptr;
  }
};

// The execution mask: what lane packing sees (Intra-warp §3.1). A branch reads the predicates of all active lanes.
inline isa::LaneMask execution_mask(const isa::MicroOp& op, isa::LaneMask active, isa::LaneMask executed) {
  return op.kind == isa::Kind::kBranch ? active : executed;
}
inline isa::LaneMask execution_mask(const Instruction& instruction) {
  return execution_mask(*instruction.op, instruction.active, instruction.executed);
}

using isa::accesses_memory;

// Which core, and who listens; shared by its boxes.
struct CoreContext {
  unsigned core = 0;
  TraceSink* trace = nullptr;
  divergence::Taps* taps = nullptr;  // null: the model's own
};

}  // namespace warpfold
