// SPDX-License-Identifier: Apache-2.0
// The seam between a core and a branch-divergence mechanism.
//
// The mechanism owns who runs what next: masks, reconvergence, which threads share a warp. The core owns time, values,
// barriers and in-flight work. A mechanism is plain C++ without a clock; one instance per core. The core calls it when
// an instruction commits, never while a thread that must leave its warp still has something in flight (leaves_at,
// leaves_by), unless it knows by thread what is (core.scoreboard: per_thread): then threads part and meet whenever they
// come to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "warpfold/common/clock/cycle.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/divergence/taps.h"
#include "warpfold/divergence/warp.h"

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
  unsigned tag = 0;               // the mechanism's own; comes back with each warp
  unsigned after = 0;             // cycles until the unit that asks has the threads
};

inline constexpr unsigned kAnyScheduler = ~0U;

// Threads of a core that may not run although nothing of theirs is in flight.
struct Parked {
  std::uint64_t inactive = 0;      // on a path whose turn has not come
  std::uint64_t reconverging = 0;  // waiting at a reconvergence point for others
};

inline constexpr unsigned kUntilReleased = ~0U;

// Part of a structure that has no room on the core: it goes to memory, or comes back from there.
struct Spill {
  enum class Way : std::uint8_t { kOut, kIn };
  Way way = Way::kOut;
  unsigned owner = 0;        // whose structure: a slot of a warp or of a block, as the mechanism will have it
  std::uint64_t offset = 0;  // of the part, in bytes of the owner's memory
  unsigned bytes = 0;
};

// Threads that a warp waiting for memory has let go.
struct Divided {
  LaneMask lanes = 0;
  Pc next = 0;  // where they go on
};

// What a scheduler has issued in this cycle: its pick, and the parts beside it so far.
struct IssuedParts {
  WarpId first = kNoWarp;  // the pick of the core's scheduling policy
  LaneMask lanes = 0;      // active in one of the parts
  unsigned count = 0;
};

// What the core does for its mechanism.
class Core {
 public:
  virtual ~Core() = default;
  // Puts a warp into the warp buffer, ready to issue from warp.pc, in the lowest free slot of the scheduler or of all.
  // Slot mod schedulers is the scheduler that it belongs to.
  virtual WarpId insert(const Warp& warp, unsigned scheduler = kAnyScheduler) = 0;
  // Takes a warp out of the buffer; its slot may be reused at once.
  virtual void remove(WarpId warp) = 0;
  // The warp in a slot. The mechanism may change pc, mask and rows of a warp that it is being told about, and add
  // threads to one that has not issued since it entered the buffer or went on.
  virtual Warp& warp(WarpId warp) = 0;
  // The slot of the block whose threads a warp holds, or, where warps mix blocks, of one of them.
  virtual unsigned block_of(WarpId warp) const = 0;
  virtual unsigned block_of_row(unsigned row) const = 0;
  // Whose the row's threads are, where mechanisms have something for each scheduler.
  virtual unsigned scheduler_of_row(unsigned row) const = 0;
  // The warp issues nothing for so many cycles from now on. kUntilReleased: it stays where it is until then.
  virtual void hold(WarpId warp, unsigned cycles) = 0;
  virtual void release(WarpId warp) = 0;
  // Hands threads to the thread compactor; its warps come back through Mechanism::compacted, one per cycle.
  virtual void compact(CompactionRequest request) = 0;
  // Moves a part of a structure to memory or back; the owner stands still meanwhile. What an owner asks for is done one
  // after the other: a part that goes out once the core's port has taken it, one that comes back when it is there.
  // True: it has been done. False: Mechanism::spilled() tells when all that this owner has asked for has been.
  virtual bool spill(const Spill& part) = 0;
  // The index-th unit of its kind works for so many clocks, once it is done with what it was asked for before. Returns
  // the cycles from now until it has the answer: 0 where the machine does not count them.
  virtual unsigned occupy(Unit /*unit*/, unsigned /*index*/, unsigned /*clocks*/) { return 0; }
  // Takes those lanes out of a warp that have all data of the loads that it waits for, while others have not: these
  // stay with what is in flight. The mechanism finds a place for those that it gets. None: the warp does not wait so,
  // or it waits for something else too.
  virtual Divided divide(WarpId /*warp*/) { return {}; }
  // A stack of this mechanism has grown to `entries` (TBC Table 3).
  virtual void stack_depth(unsigned entries) = 0;
  // Where a mechanism keeps counters of its own; it asks for them when it is made.
  virtual StatGroup& stats() = 0;
  // For whoever replaces or watches parts of the mechanism; it asks when it is made.
  virtual Taps& taps() { return taps_; }

 private:
  Taps taps_;
};

// What never changes about a mechanism.
struct Traits {
  // Threads never change warps. Otherwise a warp that a branch divides drains, unless leaves_by() says another thing.
  bool keeps_warps = false;
  // A warp may hold threads of several blocks or rounds of a loop: even a branch that is proved block-uniform may then
  // divide it.
  bool mixes_paths = false;
  // It may keep threads back until others have gone on: kept_back() says whom.
  bool keeps_back = false;
  // Any ready warp may issue, and nothing moves by itself: prefer(), running_dry() and tick() need not be called.
  bool any_order = false;
  // A scheduler issues several warps in a cycle, each in other lanes: partner() says which. Not on cores whose
  // schedulers issue in passes or whose lanes are packed: takes_parts() of geometry.h says so to users.
  bool issues_parts = false;
  // accessed() is told of what loads and stores ask of lines.
  bool hears_of_lines = false;
};

class Mechanism {
 public:
  explicit Mechanism(const Traits& of = {}) : traits(of) {}
  virtual ~Mechanism() = default;
  const Traits traits;

  // --- What every mechanism must say ---

  // A kernel starts on this core. All tables are empty.
  virtual void kernel_started(const isa::Kernel& kernel) = 0;
  // A block's threads are to start at pc 0.
  virtual void block_started(const Block& block) = 0;
  // All threads of a block have exited.
  virtual void block_finished(const Block& block) = 0;

  // Would threads leave the warp, were it to go on at `next`? The core then lets the warp drain before committed(), or
  // before branch_resolved() where threads go there.
  virtual bool leaves_at(WarpId warp, Pc next) const = 0;
  // A warp committed an instruction that is no branch and goes on at `next`.
  virtual void committed(WarpId warp, Pc next) = 0;
  // A warp's branch is resolved.
  virtual void branch_resolved(WarpId warp, const Branch& branch) = 0;
  // `lanes` of the warp exited; the others, if any, go on at `next`. Nothing of theirs is in flight.
  virtual void exited(WarpId warp, LaneMask lanes, Pc next) = 0;
  // Text for a watchdog report: what keeps the threads of the block that are in no warp.
  virtual std::string waiting(unsigned block_slot) const = 0;

  // Might threads leave the warp by this branch, wherever it leads? The core then lets the warp drain before
  // branch_resolved(). `divides`: some threads take it and others do not.
  virtual bool leaves_by(WarpId /*warp*/, const Branch& /*branch*/, bool divides) const {
    return divides && !traits.keeps_warps;
  }

  // --- What it may: tables of its own, threads that wait, the order of issue, time ---

  // All blocks of the kernel have finished: the mechanism checks that nothing is left in its tables.
  virtual void kernel_ended() {}
  // The thread compactor made a warp; `last` closes its request. Requests are served in order.
  virtual void compacted(unsigned block_slot, unsigned tag, const Warp& warp, bool last);

  // The warp's threads are to wait, for their block or for a collective. False: the warp waits as it is and is
  // committed() when all of them may go on. True: the mechanism has removed the warp, as it must where it holds threads
  // that wait for different others; the core keeps them and gives them back, warp by warp, each at the pc where it goes
  // on.
  virtual bool gives_up(WarpId /*warp*/) { return false; }
  virtual void together(const Warp& /*warp*/) {}
  // Lanes of a row whose threads, live or not, cannot go on before those of `waiting` do: whom a stack holds, say.
  // `carrier`: the warp in which these wait, unless they have left it.
  virtual LaneMask kept_back(WarpId /*carrier*/, const Warp& /*waiting*/, unsigned /*row*/) const { return 0; }
  // Entries of the stack that the warp's threads are on, 0 where there is none. For traces.
  virtual unsigned entries_on_stack(WarpId /*warp*/) const { return 0; }
  // Threads in no warp, for idle cycles; kept up to date rather than counted.
  virtual Parked parked() const { return {}; }

  // What Core::spill() was asked for by this owner is done.
  virtual void spilled(unsigned owner);

  // Narrows the ready warps to those that this mechanism wants issued first; the core's scheduling policy picks among
  // them. Called when a scheduler has something to issue; leaves the set empty to let nothing issue in this cycle.
  virtual void prefer(WarpSet& /*ready*/, Cycle /*now*/) {}
  // Which of the scheduler's other warps issues in the same cycle as `parts`, in lanes that are idle in all of these?
  // kNoWarp: none, or no more. `ready`: warps that could issue in this cycle and have not been named in it. The core
  // asks again until it hears kNoWarp. It passes over an answer whose unit is busy with something of an earlier cycle,
  // and over a second instruction that accesses memory; units are held until the last of their parts is through.
  // Each part reads its operands as it would alone. Names nobody that has an active lane in common with the parts.
  virtual WarpId partner(const IssuedParts& /*parts*/, const WarpSet& /*ready*/, Cycle /*now*/) { return kNoWarp; }
  // A warp was issued.
  virtual void issued(WarpId /*warp*/, Cycle /*now*/) {}
  // What was issued last is a load or store of this warp that coalesces (global, local or read-only memory): for each
  // line that it asks for, the lanes that do. Only with the trait hears_of_lines, and never where nothing takes time.
  virtual void accessed(WarpId /*warp*/, std::span<const LaneMask> /*lines*/) {}
  // A scheduler has no warp that it could issue in this cycle. What the mechanism inserts for it now can issue at once.
  virtual void running_dry(unsigned /*scheduler*/, Cycle /*now*/) {}
  // Moves that take time of their own, such as from one table to another. Called once per cycle before issue, at least
  // in every cycle in which the mechanism was told something; returns the next cycle in which it wants to be called
  // even if nothing happens.
  virtual Cycle tick(Cycle /*now*/) { return kNever; }
  // Some lanes of a warp have all data of the loads that it waits for, others have not: Core::divide() lets the former
  // go on, now or later. Told when the warp begins to wait so, and when more data come. `alone`: its scheduler has
  // nothing else to issue. Only where the parameters say that loads divide (Configured::divides).
  virtual void partly_loaded(WarpId /*warp*/, bool /*alone*/) {}
  // Where nothing takes time: up to which instruction, at most `end`, may the warp go on from its pc before this
  // mechanism need be told? Until then issued() and committed() would do no more than move its pc. The last of them may
  // be a branch, of which it is told. 0: it is told of each.
  virtual Pc goes_straight_to(WarpId /*warp*/, Pc /*end*/) const { return 0; }
};

}  // namespace warpfold::divergence
