// SPDX-License-Identifier: Apache-2.0
// Picks one of the ready warps of a scheduler: loose round-robin (TBC Table 2) or greedy-then-oldest.
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

  WarpScheduler(sc_core::sc_module_name name, WarpPolicy policy, unsigned slots);

 private:
  inline divergence::WarpId pick(const divergence::WarpSet& ready);
  divergence::WarpId oldest(const divergence::WarpSet& ready) const;

  const WarpPolicy policy_;
  std::vector<std::uint64_t> age_;  // order of entering
  std::uint64_t clock_ = 0;
  divergence::WarpId last_;
  std::uint64_t last_age_ = 0;  // GTO: the warp that was greedy, not a later one in its slot
};

}  // namespace warpfold
