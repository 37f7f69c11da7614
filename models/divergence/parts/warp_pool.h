// SPDX-License-Identifier: Apache-2.0
// The warp pool of dynamic warp formation: warps that wait for issue, the lookup table by which threads of one pc find
// each other, and the majority policy that picks among the pool's pcs (TBC §2.3; HARP §2.2, §6.1).
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {

struct WarpPoolParams {
  static constexpr Regroups kRegroups = Regroups::kCore;
  unsigned lut_entries = 256;
  static constexpr auto fields() {
    return std::tuple{field("lut_entries", "entries", &WarpPoolParams::lut_entries, 1, 4096,
                            "of each scheduler's warp lookup table: pcs of the pool's warps")};
  }
  Shape shape(const Geometry& geometry) const { return warp_per_thread(geometry, geometry.warp_size); }
  std::string why_not(const Geometry& core) const { return keeps_its_order(core, "the majority's warps"); }
  // Per scheduler the lookup table, found by pc: the open warp and its lanes, and the threads at the pc, for the
  // majority. Pool entries have a pc and a row per lane.
  Hardware hardware(const HardwareGeometry& geometry) const;
};

class WarpPoolObserver;

// A pc with warps in the pool has an entry of the lookup table, which counts its threads and names its open warp, the
// one that others may join; a warp is closed once all its lanes are taken, another warp is opened at its pc, or it
// issues. Warps that find the table full are alone: not in it, joined by nobody, and ready to go where no other is.
// Schedulers share nothing: each has a table, a majority and threads of its own.
class WarpPool {
 public:
  WarpPool(Core& core, const Geometry& geometry, unsigned lut_entries);

  // Told of every operation of a scheduler, after it; null: nobody.
  void observe(unsigned scheduler, WarpPoolObserver* observer) { schedulers_[scheduler].observer = observer; }

  void kernel_started(const isa::Kernel& kernel);
  void kernel_ended() const;

  unsigned scheduler_of(const Warp& warp) const;
  // The warp in a slot, in flight until now, looks its pc up: threads whose lanes are free in the open warp join that.
  // The others keep the slot and become the open warp; without others the slot is given up.
  void enter(WarpId id);
  // The same for threads that hold no slot.
  void enter(Warp threads);
  // The warp in a slot waits for issue by itself: nobody joins it.
  void enter_closed(WarpId id);
  // A warp leaves the pool for the pipeline.
  void issued(WarpId id);
  // Narrows a scheduler's ready warps to those of the majority's pc; those that are alone go where no other is ready.
  void prefer(WarpSet& ready);

  // Threads of a warp that have joined another.
  struct Joined {
    LaneMask lanes = 0;
    WarpId warp = kNoWarp;  // where there are any
  };

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The warps of a pc.
  struct Group {
    explicit Group(unsigned slots) : warps(slots) {}
    Pc pc = 0;
    WarpId open = kNoWarp;
    WarpSet warps;
  };
  struct Scheduler {
    explicit Scheduler(unsigned slots) : alone(slots) {}
    // The lookup table.
    std::vector<std::uint32_t> at;  // by pc: place of its group
    std::vector<Group> groups;      // the first keys.size() of them; the rest keep their room
    // By group: its threads, above the complement of its pc. The greatest is the majority, lowest pc first.
    std::vector<std::uint64_t> keys;
    WarpSet alone;
    Pc majority = isa::kNoPc;
    WarpPoolObserver* observer = nullptr;
  };

  Group* group_at(Scheduler& scheduler, Pc pc);  // null: the table is full
  void release(Scheduler& scheduler, std::uint32_t place);
  void count(Scheduler& scheduler, Pc pc, LaneMask threads);
  Joined join(Scheduler& scheduler, Warp& threads);
  void admit(Scheduler& scheduler, WarpId id);
  bool add(Scheduler& scheduler, WarpId id);
  static void tell_entered(const Scheduler& scheduler, Pc pc, LaneMask threads, WarpId id, const Joined& joined);
  static void choose(Scheduler& scheduler, WarpSet& ready);

  Core& core_;
  LaneMask full_;  // all lanes of a warp
  unsigned slots_, lut_entries_;
  std::vector<Scheduler> schedulers_;
  Counter &lookups_, &hits_, &lut_full_, &formed_, &merged_;
};

// Sees the pool of a scheduler at work: RTL beside the model, say.
class WarpPoolObserver {
 public:
  virtual ~WarpPoolObserver() = default;
  // Threads have entered, `warp` being the slot of those that have not joined another (kNoWarp: all have).
  virtual void entered(Pc pc, LaneMask threads, WarpId warp, const WarpPool::Joined& joined, bool alone) = 0;
  virtual void entered_closed(Pc pc, LaneMask threads, WarpId warp, bool alone) = 0;
  // One that was not alone; `last`: its pc has left the table.
  virtual void issued(WarpId id, const Warp& warp, bool last) = 0;
  // Of the table's pcs these had ready warps: the pc that goes first, kNoPc where there was none.
  virtual void selected(const std::vector<Pc>& ready, Pc majority) = 0;
};

}  // namespace warpfold::divergence
