// SPDX-License-Identifier: Apache-2.0
// What travels between the boxes of a core: instructions down the pipeline, warps between branch unit and issue stage.
#pragma once

#include "warpfold/common/clock.h"
#include "warpfold/common/trace.h"
#include "warpfold/common/typed_protocol.h"
#include "warpfold/core/spin_watch.h"
#include "warpfold/divergence/mechanism.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// An issued instruction. Values are computed at issue; what travels is what timing needs.
struct Instruction {
  divergence::WarpId warp = 0;
  isa::Pc pc = 0;
  const isa::MicroOp* op = nullptr;
  isa::LaneMask active = 0;    // lanes of the warp
  isa::LaneMask executed = 0;  // those whose guard held
  isa::LaneMask taken = 0;     // branches
  unsigned width = 32;         // lanes of the warp, active or not
  bool meets = false;          // a collective for which the warp's threads are to wait for others (rendezvous.h)
  bool advances_at_issue =
      false;                    // the warp went on at issue (per-register scoreboard): write-back only frees registers
  unsigned operand_cycles = 0;  // added by register bank conflicts
  unsigned hold_cycles = 1;     // for which it holds its unit; filled in on the way down, as is
  unsigned port_cycles = 1;     // for which it holds the issue port
  Cycle issued_at = 0;
  Cycle done_at = 0;
  const isa::Outcome* outcome = nullptr;  // addresses; only during the call that issues it
};

// The execution mask: what lane packing sees (Intra-warp §3.1). A branch reads the predicates of all active lanes.
inline isa::LaneMask execution_mask(const Instruction& instruction) {
  return instruction.op->kind == isa::Kind::kBranch ? instruction.active : instruction.executed;
}

inline bool accesses_memory(const isa::MicroOp& op) {
  return op.kind == isa::Kind::kLoad || op.kind == isa::Kind::kStore || op.kind == isa::Kind::kAtomic;
}

using InstructionProtocol = TypedProtocol<Instruction>;

// From the branch unit to the issue stage: the warp buffer's contents.
struct WarpUpdate {
  enum class Kind : std::uint8_t { kInsert, kRemove, kGoOn, kHold };
  Kind kind = Kind::kGoOn;
  divergence::WarpId id = 0;
  const divergence::Warp* warp = nullptr;  // kInsert: where its pc and mask stand until kRemove
  unsigned cycles = 0;                     // kHold: for which it issues nothing
};

using WarpProtocol = TypedProtocol<WarpUpdate>;

// From the issue stage to instruction fetch: a warp is at `pc`, the one after the last or a branch's target (kNext), as
// the first of its slot (kFirst), or leaves its slot (kDrop). Answer: TLM_COMPLETED, the instruction is there;
// TLM_ACCEPTED, it will be from the cycle on after the one that calls back with BEGIN_RESP.
struct FetchRequest {
  enum class Kind : std::uint8_t { kNext, kFirst, kDrop };
  Kind kind = Kind::kNext;
  divergence::WarpId warp = 0;
  isa::Pc pc = 0;
};

using FetchProtocol = TypedProtocol<FetchRequest>;

// How many threads of a core have not exited, and how many of them wait at barriers.
struct ThreadCensus {
  std::uint64_t live = 0, at_barrier = 0;
};

class CoreBlocks;
class Rendezvous;

// Which core, and who listens; shared by its boxes.
struct CoreContext {
  unsigned core = 0;
  TraceSink* trace = nullptr;
  SpinWatch* spin = nullptr;
  ThreadCensus* census = nullptr;    // kept by the branch unit
  CoreBlocks* blocks = nullptr;      // null: the model's own
  Rendezvous* rendezvous = nullptr;  // the branch unit's
};

}  // namespace warpfold
