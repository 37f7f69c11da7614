// SPDX-License-Identifier: Apache-2.0
// The seam between a core and a branch-divergence mechanism (DESIGN §2, 1-7).
//
// The mechanism owns who runs what next: masks, reconvergence, which threads share a warp. The core owns time, values,
// barriers and in-flight work. A mechanism is plain C++ without a clock; one instance per core. The core calls it when
// an instruction commits, never while a thread that must leave its warp still has something in flight (leaves_at).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "models/common/clock.h"
#include "models/divergence/warp.h"

namespace warpfold::divergence {

// What a branch did, for the warp's active lanes.
struct Branch {
  Pc pc = 0;
  LaneMask taken = 0;  // lanes that go to target; the warp's other lanes fall through to pc + 1
  Pc target = 0;
  Pc reconvergence = 0;
  Pc likely = isa::kNoPc;
  bool may_diverge = true;  // false: proved block-uniform, block-wide mechanisms need not synchronise (TBC §3.1)
};

// A request to the core's thread compactor: the threads of one block that are to form warps.
struct CompactionRequest {
  unsigned block_slot = 0;
  std::uint64_t block_id = 0;
  unsigned first_row = 0;
  Pc pc = 0;
  bool regroup = true;            // false: one warp per row (the compactor switched off, TBC §3.2)
  std::vector<LaneMask> threads;  // per row
};

// What the core does for its mechanism.
class Core {
 public:
  virtual ~Core() = default;
  // Puts a warp into the warp buffer, ready to issue from warp.pc. Returns its slot.
  virtual WarpId insert(const Warp& warp, unsigned block_slot) = 0;
  // Takes a warp out of the buffer; its slot may be reused at once.
  virtual void remove(WarpId warp) = 0;
  // The warp in a slot. The mechanism may change pc and mask of a warp that it is being told about.
  virtual Warp& warp(WarpId warp) = 0;
  virtual unsigned block_of(WarpId warp) const = 0;
  // Hands threads to the thread compactor; its warps come back through Mechanism::compacted, one per cycle.
  virtual void compact(CompactionRequest request) = 0;
  // A stack of this mechanism has grown to `entries` (TBC Table 3).
  virtual void stack_depth(unsigned entries) = 0;
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;

  // Lanes of the warps that it forms, given the machine's warp size.
  virtual unsigned warp_width(unsigned warp_size) const { return warp_size; }

  // A kernel starts on this core: `end` is the pc one past its last instruction. All tables are empty.
  virtual void kernel_started(Pc end) = 0;
  // A block's threads are to start at pc 0.
  virtual void block_started(const Block& block) = 0;
  // All threads of a block have exited.
  virtual void block_finished(const Block& block) = 0;

  // True when threads never change warps. Otherwise a warp drains before a branch that may diverge.
  virtual bool keeps_warps() const { return false; }
  // Would threads leave the warp, were it to go on at `next`? The core then lets the warp drain before committed().
  virtual bool leaves_at(WarpId warp, Pc next) const = 0;
  // A warp committed an instruction that is no branch and goes on at `next`.
  virtual void committed(WarpId warp, Pc next) = 0;
  // A warp's branch is resolved. Nothing of the warp is in flight.
  virtual void branch_resolved(WarpId warp, const Branch& branch) = 0;
  // `lanes` of the warp exited; the others, if any, go on at `next`. Nothing of the warp is in flight.
  virtual void exited(WarpId warp, LaneMask lanes, Pc next) = 0;
  // The thread compactor made a warp; `last` closes its request.
  virtual void compacted(unsigned block_slot, const Warp& warp, bool last);

  // Narrows the ready warps to those that this mechanism wants issued first; the core's scheduling policy picks among
  // them. Called when a scheduler has something to issue.
  virtual void prefer(WarpSet& /*ready*/, Cycle /*now*/) {}
  // A warp was issued.
  virtual void issued(WarpId /*warp*/, Cycle /*now*/) {}

  // Text for a watchdog report: what keeps the threads of the block that are in no warp.
  virtual std::string waiting(unsigned block_slot) const = 0;
};

}  // namespace warpfold::divergence
