// SPDX-License-Identifier: Apache-2.0
// The warp pool of dynamic warp formation: warps that wait for issue, the lookup table by which threads of one pc find
// each other, and the majority policy that picks among the pool's pcs (TBC §2.3; HARP §2.2, §6.1).
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/divergence/mixed_warp.h"

namespace warpfold::divergence {

struct WarpPoolParams {
  unsigned lut_entries = 256;
  static constexpr auto fields() {
    return std::tuple{field("lut_entries", "entries", &WarpPoolParams::lut_entries, 1, 4096,
                            "of each scheduler's warp lookup table: pcs that have a warp others can join")};
  }
  Shape shape(const Geometry& geometry) const { return warp_per_thread(geometry, geometry.warp_size); }
  // Per scheduler the lookup table, found by pc: the open warp and its lanes, and the threads at the pc, for the
  // majority. Pool entries have a pc and a row per lane.
  Hardware hardware(const HardwareGeometry& geometry) const;
};

// An entry of the lookup table names a pc's open warp, the one that others may join; a warp is closed once all its
// lanes are taken, another warp is opened at its pc, or it issues. Schedulers share nothing: each has a table, a
// majority and the threads of every schedulers-th row.
class WarpPool {
 public:
  WarpPool(Core& core, const Geometry& geometry, unsigned lut_entries);

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
  // Narrows a scheduler's ready warps to those of the majority's pc.
  void prefer(WarpSet& ready);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The warps of a pc.
  struct Group {
    explicit Group(unsigned slots) : warps(slots) {}
    Pc pc = 0;
    WarpId open = kNoWarp;  // has an entry in the lookup table
    WarpSet warps;
  };
  struct Scheduler {
    std::vector<std::uint32_t> at;  // by pc: place of its group
    std::vector<Group> groups;      // the first keys.size() of them; the rest keep their room
    // By group: its threads, above the complement of its pc. The greatest is the majority, lowest pc first.
    std::vector<std::uint64_t> keys;
    unsigned lut_used = 0;
    Pc majority = isa::kNoPc;
  };

  Group& group_at(Scheduler& scheduler, Pc pc);
  void release(Scheduler& scheduler, std::uint32_t place);
  void close(Scheduler& scheduler, Group& group);
  void count(Scheduler& scheduler, Pc pc, LaneMask threads);
  void join(Scheduler& scheduler, Warp& threads);
  void admit(Scheduler& scheduler, WarpId id);

  Core& core_;
  LaneMask full_;  // all lanes of a warp
  unsigned slots_, lut_entries_;
  std::vector<Scheduler> schedulers_;
  Counter &lookups_, &hits_, &lut_full_, &formed_, &merged_;
};

}  // namespace warpfold::divergence
