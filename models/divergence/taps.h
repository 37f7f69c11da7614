// SPDX-License-Identifier: Apache-2.0
// Where hardware of a mechanism can be replaced or watched from outside: by RTL, in co-simulation. What stands in
// decides what the mechanism does, who watches bears on nothing.
#pragma once

#include "warpfold/divergence/parts/block/adequacy.h"
#include "warpfold/divergence/parts/unit_clocks.h"
#include "warpfold/divergence/parts/warp/context_sorter.h"

namespace warpfold::divergence {

class StackPlayer;
class BarrierPlayer;
class WarpStackObserver;
class TokenStackObserver;
class PredictorObserver;
class IgnoreListObserver;
class SplitTableObserver;
class PoolTableObserver;
class MaskFitObserver;
class WarpPoolObserver;
class LookupObserver;
class PackerObserver;

// A set-associative table of reconvergence barriers, per scheduler (HARP §4.2.2).
struct BarrierTableShape {
  unsigned entries = 0, ways = 0, schedulers = 1, stages = 1;
};

// A block's stack, as it is on the core.
struct BlockStackShape {
  unsigned entries = 0, stages = 1;
};

// The pool table of a core (spare-time compaction): groups of threads that may not be in one pool, and the cycles that
// a pool waits at most.
struct PoolTableShape {
  unsigned pools = 0, groups = 1, patience = 0;
};

// A picker looks at the slots of a scheduler, divided into sets.
struct MaskFitShape {
  unsigned warps = 0, sets = 1;
};

class Taps {
 public:
  virtual ~Taps() = default;
  // These stand in for the model's own.
  virtual AdequacyUnit& adequacy_unit() { return adequacy_unit_; }
  virtual ContextSorter& context_sorter() { return context_sorter_; }
  // Does something play such units whose own clocks count?
  virtual bool plays(Unit /*unit*/) const { return false; }
  // Who plays a block's stack, or a scheduler's reconvergence barriers, in place of the model; null: nobody.
  virtual StackPlayer* stack_player(unsigned /*block_slot*/, const BlockStackShape& /*shape*/) { return nullptr; }
  virtual BarrierPlayer* barrier_player(unsigned /*scheduler*/, const BarrierTableShape& /*shape*/) { return nullptr; }
  // Who wants to see every operation; null: nobody. Of the reconvergence stack of a warp, of its token stack, of a
  // core's predictions, of its ignore list, split table and pool table, of a scheduler's mask-fit picker, of its warp
  // pool, of its lookup tables (entries; 0: it has none), of its packer of sub-warps.
  virtual WarpStackObserver* warp_stack_observer(unsigned /*slot*/) { return nullptr; }
  virtual TokenStackObserver* token_stack_observer(unsigned /*slot*/, unsigned /*entries*/) { return nullptr; }
  virtual PredictorObserver* predictor_observer(unsigned /*entries*/) { return nullptr; }
  virtual IgnoreListObserver* ignore_list_observer(unsigned /*entries*/) { return nullptr; }
  virtual SplitTableObserver* split_table_observer(unsigned /*entries*/) { return nullptr; }
  virtual PoolTableObserver* pool_table_observer(const PoolTableShape& /*shape*/) { return nullptr; }
  virtual MaskFitObserver* mask_fit_observer(unsigned /*scheduler*/, const MaskFitShape& /*shape*/) { return nullptr; }
  virtual WarpPoolObserver* warp_pool_observer(unsigned /*scheduler*/, unsigned /*entries*/) { return nullptr; }
  virtual LookupObserver* lookup_observer(unsigned /*scheduler*/, unsigned /*ready*/, unsigned /*waiting*/) {
    return nullptr;
  }
  virtual PackerObserver* packer_observer(unsigned /*scheduler*/) { return nullptr; }

 private:
  AdequacyUnit adequacy_unit_;
  ContextSorter context_sorter_;
};

}  // namespace warpfold::divergence
