// SPDX-License-Identifier: Apache-2.0
// What travels between the boxes of a core: instructions down the pipeline, news of warps to the issue stage.
#pragma once

#include "warpfold/common/clock/typed_protocol.h"
#include "warpfold/core/instruction.h"

namespace warpfold {

using InstructionProtocol = TypedProtocol<Instruction>;

// From the warp unit to the issue stage: the warp has entered the buffer, goes on, has left, or is held; a block has
// finished; or how many warps or blocks wait for parts of their mechanism's structures that are on their way to memory
// or back. kDivides asks: which lanes may leave the warp, having all data of the loads that it waits for?
struct WarpUpdate {
  enum class Kind : std::uint8_t { kEntered, kGoesOn, kLeft, kHeld, kSpilling, kBlockFinished, kDivides };
  Kind kind = Kind::kGoesOn;
  divergence::WarpId id = 0;
  unsigned block = 0;       // kBlockFinished: its slot
  unsigned cycles = 0;      // kHeld: for which it issues nothing; kUntilReleased: until it goes on
  unsigned owners = 0;      // kSpilling
  isa::LaneMask lanes = 0;  // kDivides: the answer
};

using WarpProtocol = TypedProtocol<WarpUpdate>;

// From the issue stage to a warp scheduler. kPick: which warps could issue at `now`, at least one; the scheduler fills
// in the one that does. kEntered: `warp` is in the buffer, of the block in the slot `block`, which others of a higher
// `age` started after. kBlockFinished: that has ended.
struct SchedulerCall {
  enum class Kind : std::uint8_t { kPick, kEntered, kBlockFinished };
  Kind kind = Kind::kPick;
  divergence::WarpId warp = 0;
  unsigned block = 0;
  const divergence::WarpSet* ready = nullptr;
  Cycle now = 0;
  std::uint64_t age = 0;
};

using SchedulerProtocol = TypedProtocol<SchedulerCall>;

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

// From the warp unit to the spill unit. Answer: TLM_COMPLETED, it is done; TLM_ACCEPTED, a call back with BEGIN_RESP
// will say when all is done that the part's owner has asked for. Either way the spill unit fills in for how many owners
// something is under way now.
struct SpillRequest {
  divergence::Spill part;
  unsigned owners = 0;
};

using SpillProtocol = TypedProtocol<SpillRequest>;

}  // namespace warpfold
