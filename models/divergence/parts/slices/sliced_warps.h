// SPDX-License-Identifier: Apache-2.0
// Warps cut into narrow slices, each with a reconvergence stack and a front end of its own: what mechanisms have in
// common that run them. A warp of the buffer is a gang, slices of one row that are at one pc. In a cycle a scheduler
// issues as many gangs of any rows as find the lanes of their slices free.
//
// Who makes one gang of several slices, where and for how long, says the mechanism: regroup().
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "warpfold/divergence/hardware.h"
#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/warp/warp_stack.h"

namespace warpfold::divergence {

using Slices = std::uint64_t;  // of a row, by bit

template <class Visit>
void for_each_slice(Slices slices, Visit visit) {
  for (Slices rest = slices; rest != 0; rest &= rest - 1) visit(static_cast<unsigned>(std::countr_zero(rest)));
}

// Slices of so many lanes.
class SliceWidth {
 public:
  explicit SliceWidth(unsigned lanes) : lanes_(lanes) {}
  unsigned of_warp(const Geometry& core) const { return std::max(1U, core.warp_size / lanes_); }
  // A slot for each slice; gangs stay with the scheduler of their row.
  Shape shape(const Geometry& core) const;
  // For why_not(), as mechanism.slice.
  std::string why_not(const Geometry& core) const;
  // Slices that slip may be in different rounds of a loop. One slice: PDOM.
  Traits traits(const Geometry& core) const;
  // A slice's stack has two pcs and its lanes; its pc, its lanes, its instruction and `more_bits` are kept for each.
  Hardware hardware(const HardwareGeometry& geometry, unsigned more_bits) const;

  LaneMask lanes_of(unsigned slice) const { return isa::low_lanes(lanes_) << (slice * lanes_); }
  LaneMask lanes_of_all(Slices slices) const;
  // The slices that have some of the lanes.
  Slices with(LaneMask lanes) const;

 private:
  unsigned lanes_;
};

class SlicedWarps : public Mechanism {
 public:
  void kernel_started(const isa::Kernel& kernel) override { kernel_ = &kernel; }
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& /*block*/) override {}
  bool leaves_by(WarpId id, const Branch& branch, bool divides) const override;
  void branch_resolved(WarpId id, const Branch& branch) override;
  void exited(WarpId id, LaneMask lanes, Pc next) override;
  // A slice's stack runs its top first.
  LaneMask kept_back(WarpId carrier, const Warp& /*waiting*/, unsigned row) const override {
    const Gang& gang = gangs_[carrier];
    return gang.row == row ? width_.lanes_of_all(gang.slices) & ~core_.warp(carrier).mask : 0;
  }
  unsigned entries_on_stack(WarpId id) const override;
  Parked parked() const override { return parked_; }
  std::string waiting(unsigned /*block_slot*/) const override {
    return "none: a stack per slice keeps every live thread in its gang";
  }
  // Gangs are those that come next by slot, as turns go round.
  WarpId partner(const IssuedParts& parts, const WarpSet& ready, Cycle now) override;

 protected:
  // A warp of the buffer.
  struct Gang {
    unsigned row = 0;
    Slices slices = 0;
    Pc rpc = isa::kNoPc;  // of the tops of all its slices; kNoPc: they differ
    bool stands = false;  // where others may join it, since it has not issued there

    bool several() const { return (slices & (slices - 1)) != 0; }
  };

  SlicedWarps(const Traits& of, SliceWidth width, const Geometry& geometry, Core& core);
  // Where the most gangs that a row has had are counted.
  void count_most(Counter& most) { most_ = &most; }

  // --- What a mechanism says of gangs ---
  // A row's threads start, in these slices: enter() those that begin together.
  virtual void started(unsigned row, Slices live) = 0;
  // The gang's slices are where their stacks say: place() them.
  virtual void regroup(WarpId id) = 0;
  // Might others join slices of the gang at this pc, or they others?
  virtual bool meets(const Gang& gang, Pc pc) const = 0;
  // A branch takes these slices, which were one gang, to several places.
  virtual void split_by(const Branch& /*branch*/, unsigned /*row*/, Slices /*before*/) {}
  // The last threads of these slices have exited.
  virtual void gone(unsigned /*row*/, Slices /*slices*/) {}

  // Where the gang's first slice goes on, if all come to `next`, and whether the others go on elsewhere.
  struct Next {
    Pc pc = isa::kNoPc;
    bool splits = false;
  };
  Next behind(const Gang& gang, Pc next) const;
  void go_on(const Gang& gang, Pc next) {
    for_each_slice(gang.slices, [&](unsigned s) { rows_[gang.row].slices[s].stack.go_on(next); });
  }
  Pc pc_of(unsigned row, Slices slices) const {
    return rows_[row].slices[static_cast<unsigned>(std::countr_zero(slices))].stack.top().pc;
  }
  // Slices with threads that have not exited.
  Slices live(unsigned row) const { return rows_[row].live; }
  // Each a warp of the buffer.
  const std::vector<WarpId>& gangs_of(unsigned row) const { return rows_[row].gangs; }
  WarpId enter(unsigned row, Slices slices);
  // The slices become part of a gang of their row that stands at their pc.
  void join(WarpId other, Slices slices);
  // Slices of the gang that are at one pc stay together, or, `apart`, none do. joins(row, slices): they have joined
  // another gang; those that have not are a gang, and placed(id) is told of it.
  template <class Joins, class Placed>
  void place(WarpId id, bool apart, Joins joins, Placed placed);

  const SliceWidth width_;
  Core& core_;
  const unsigned slices_;  // of a row
  const isa::Kernel* kernel_ = nullptr;
  std::vector<Gang> gangs_;  // by slot

 private:
  struct Slice {
    WarpStack stack;
    Parked counted;  // of its threads, in parked_
  };
  struct Row {
    std::vector<Slice> slices;
    Slices live = 0;
    std::vector<WarpId> gangs;
  };

  // The slice does what the branch says; returns how deep its stack was then. All slices run the taken side first: were
  // it the smaller side of each, threads of one warp-wide operation would wait in one slice behind those of another.
  static unsigned follow(WarpStack& stack, const Branch& branch);
  Warp warp_of(unsigned row, Slices slices) const;
  void describe(WarpId id, unsigned row, Slices slices);
  void count(Slice& slice);

  const LaneMask all_lanes_;
  std::vector<Row> rows_;
  Parked parked_;
  Counter* most_ = nullptr;
};

template <class Joins, class Placed>
void SlicedWarps::place(WarpId id, bool apart, Joins joins, Placed placed) {
  const unsigned index = gangs_[id].row;
  Row& row = rows_[index];
  Slices rest = gangs_[id].slices;
  for_each_slice(rest, [&](unsigned s) { count(row.slices[s]); });
  gangs_[id].stands = false;
  bool has_warp = false;
  while (rest != 0) {
    const Pc pc = pc_of(index, rest);
    Slices together = rest & -rest;
    if (!apart) {
      for_each_slice(rest, [&](unsigned s) {
        if (row.slices[s].stack.top().pc == pc) together |= Slices{1} << s;
      });
    }
    rest &= ~together;
    if (joins(index, together)) continue;
    WarpId now = id;
    if (has_warp) {
      now = enter(index, together);
    } else {
      const Warp warp = warp_of(index, together);
      core_.warp(id).pc = warp.pc;
      core_.warp(id).mask = warp.mask;
      describe(id, index, together);
      has_warp = true;
    }
    placed(now);
  }
  if (has_warp) return;
  std::erase(row.gangs, id);
  core_.remove(id);
}

}  // namespace warpfold::divergence
