// SPDX-License-Identifier: Apache-2.0
// rtl/warp_pool.sv beside the warp pool of a scheduler of dynamic warp formation: every operation goes to both, their
// results are compared. The search of the lookup table, which comes before the RTL, is done here, in the tags that the
// RTL writes.
#pragma once

#include <unordered_map>

#include "tb/cosim/shadow.h"
#include "warpfold/divergence/parts/warp_pool.h"

namespace warpfold::cosim {

class PoolShadow final : public divergence::WarpPoolObserver, Shadow {
 public:
  using Shadow::kPcBits;

  struct Size {
    unsigned lanes, entries, slots, threads;
  };
  static RtlParameters parameters(const Size& size);

  PoolShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned scheduler, const Size& size);

  void entered(isa::Pc pc, isa::LaneMask threads, divergence::WarpId warp, const divergence::WarpPool::Joined& joined,
               bool alone) override;
  void entered_closed(isa::Pc pc, isa::LaneMask threads, divergence::WarpId warp, bool alone) override;
  void issued(divergence::WarpId id, const divergence::Warp& warp, bool last) override;
  void selected(const std::vector<isa::Pc>& ready, isa::Pc majority) override;

 private:
  enum class Op : unsigned { kEnter, kIssue, kSelect };

  void enter(isa::Pc pc, isa::LaneMask threads, divergence::WarpId warp, bool closed,
             const divergence::WarpPool::Joined& joined, bool alone);
  void operate(Op op);
  void same(Op op, const char* what, std::uint64_t expected, std::uint64_t got);
  std::uint64_t entry_of(isa::Pc pc) const;

  std::unordered_map<isa::Pc, std::uint64_t> tags_;  // entries by pc
  std::unordered_map<isa::Pc, unsigned> threads_;    // likewise, as this saw them come and go
  isa::Pc majority_ = isa::kNoPc;
  struct Points {
    Coverage::Index used, filled, alone, entries, slots, threads, ready;
    Coverage::Index hits, join_all, join_some, join_none, closed, leaves, none_ready, stays, changes, ties;
  };
  unsigned size_;
  Points points_;
  Pin op_mask_, op_slot_, op_pc_, op_hit_, op_entry_, op_closed_, op_ready_;
  Pin res_join_, res_slot_, res_alone_, res_entry_, res_found_, res_freed_;
};

}  // namespace warpfold::cosim
