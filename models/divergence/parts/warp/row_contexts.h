// SPDX-License-Identifier: Apache-2.0
// Stackless reconvergence with hot contexts: of the contexts of a row the first one or two, in the order of the code,
// are warps of the buffer, and the others wait (Brunie, Collange and Diamos, ISCA 2012, with the contexts of thread
// frontiers). What branch and warp interweaving share.
#pragma once

#include <string>
#include <vector>

#include "warpfold/divergence/parts/warp/context_order.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::divergence {

struct RowContextRules {
  unsigned hot = 1;  // contexts of a row in the warp buffer: 1 or 2
  ContextPriority order = ContextPriority::kRpo;
  // A second context at a reconvergence point waits while the first is inside the region that ends there, so that it
  // does not run ahead of those that it is to meet.
  bool waits = true;

  // Rows stay with their schedulers.
  Shape shape(const Geometry& geometry) const;
};

// The contexts of a row that wait in a table: place, mask, depth where the order has one, and whether it is one.
Structure cold_contexts(const HardwareGeometry& geometry, unsigned hot, ContextPriority order, const std::string& name);
unsigned context_bits(const HardwareGeometry& geometry, ContextPriority order);

// With one hot context it takes turns with the others in one warp, which nobody leaves. With two each is a warp of its
// own, which drains where it joins another or stops being hot. One that has issued, or has gone on with something in
// flight, keeps its slot until it commits the next time; any other gives it up to one that comes before it.
class RowContexts : public Mechanism {
 public:
  // `name`: its statistics begin so.
  RowContexts(const RowContextRules& rules, const Geometry& geometry, Core& core, const std::string& name,
              bool any_order);

  void kernel_started(const isa::Kernel& kernel) override;
  void kernel_ended() override;
  void block_started(const Block& block) override;
  void block_finished(const Block& /*block*/) override {}

  bool leaves_at(WarpId id, Pc next) const override;
  void committed(WarpId id, Pc next) override;
  void branch_resolved(WarpId id, const Branch& branch) override;
  void exited(WarpId id, LaneMask lanes, Pc next) override;

  // Whoever is alone in its row keeps nobody waiting.
  bool gives_up(WarpId id) override;
  void together(const Warp& warp) override;

  void issued(WarpId id, Cycle now) override;
  Parked parked() const override { return parked_; }
  std::string waiting(unsigned block_slot) const override;

 protected:
  // Of two hot contexts of a row, both in the buffer: the other one; kNoWarp: there is none.
  WarpId other_of_row(WarpId id) const { return others_.empty() ? kNoWarp : others_[id]; }
  // Warps whose row has another in the buffer that comes before them.
  const WarpSet& seconds() const { return seconds_; }
  const Warp& warp(WarpId id) const { return core_.warp(id); }

 private:
  struct Entry {
    Context context;
    WarpId slot = kNoWarp;  // of the warp buffer
    bool issued = false;    // and the mechanism has not been told what came of it: nobody joins
    bool stays = false;     // something of it may be in flight: it keeps its slot
    bool fixed() const { return issued || stays; }
  };
  struct Row {
    LaneMask live = 0;
    std::vector<Entry> entries;  // first to last
    LaneMask cold = 0;           // lanes in no warp
    LaneMask met = 0;            // threads that ran until they came behind others
    LaneMask counted_met = 0;    // of those, the ones in no warp when parked_ was brought up to date
  };

  unsigned row_of(WarpId id) const;
  static std::size_t take_out(Row& row, WarpId id);  // its place in the row
  void place(Row& row, const Context& context);
  // The threads of a warp are in up to two contexts now, or in none. `meets`: the reconvergence point of the branch
  // that parts them.
  void go_on(WarpId id, const Context& one, const Context& other, Pc meets = isa::kNoPc);
  // While the row's first context is at the place `first`.
  bool must_wait(Pc first, const Context& context) const;
  void arrange(unsigned index, WarpId vacant);
  void show(Row& row, Entry& entry, unsigned index, WarpId& vacant);
  void pair_up(const Row& row);
  void set_cold(Row& row, LaneMask lanes);

  const RowContextRules rules_;
  Core& core_;
  ContextOrder order_;
  std::vector<Pc> regions_;  // by place: of the region that ends there the first place; kNoPc: none ends there
  std::vector<Row> rows_;
  std::vector<WarpId> others_;  // by slot, where two are hot
  WarpSet seconds_;
  Parked parked_;
  Counter &inserts_, &merges_, &turns_, &most_;
  Counter* waits_ = nullptr;  // where two are hot
};

}  // namespace warpfold::divergence
