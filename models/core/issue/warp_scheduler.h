// SPDX-License-Identifier: Apache-2.0
// Picks one of the ready warps of a scheduler, by the rule that WarpPolicy names.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/port_socket.h"
#include "warpfold/core/core_params.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/divergence/warp.h"

namespace warpfold {

class WarpScheduler : public sc_core::sc_module {
  tlm::tlm_sync_enum serve(unsigned port, SchedulerCall& call, tlm::tlm_phase& phase);

 public:
  DirectTargetPort<WarpScheduler, SchedulerProtocol, &WarpScheduler::serve> issue_socket{"issue_socket", *this};

  WarpScheduler(sc_core::sc_module_name name, WarpPolicy policy, unsigned warps, unsigned blocks);

 private:
  inline divergence::WarpId pick(const SchedulerCall& call);
  divergence::WarpId in_turn(const divergence::WarpSet& ready) const;
  divergence::WarpId greedy_then_oldest(const divergence::WarpSet& ready);
  const divergence::WarpSet& of_first_block(const SchedulerCall& call);
  std::size_t first_block(Cycle now);
  void entered(const SchedulerCall& call);
  void block_finished(unsigned block);

  const WarpPolicy policy_;
  divergence::WarpId last_;
  // GTO
  std::vector<std::uint64_t> age_;  // order of entering
  std::uint64_t clock_ = 0;
  std::uint64_t last_age_ = 0;  // the warp that was greedy, not a later one in its slot
  // By blocks, which are known by their slots
  std::vector<unsigned> block_of_;          // by warp
  std::vector<divergence::WarpSet> warps_;  // by block: no ready warp of another block is among them
  std::vector<unsigned> blocks_;            // oldest first
  std::vector<std::uint64_t> block_age_;
  divergence::WarpSet chosen_;
  unsigned sticky_ = 0;     // SRR: that issued last
  std::uint64_t turn_ = 0;  // RRB-issue
  Cycle turn_at_ = kNever;
};

}  // namespace warpfold
