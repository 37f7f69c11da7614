// SPDX-License-Identifier: Apache-2.0
// The warp unit: the warps of a core with their divergence mechanism, at the pipeline's sockets.
// Written-back instructions commit here; the issue stage learns which warps may issue.
#pragma once

#include <functional>
#include <memory>
#include <systemc>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/compaction/thread_compactor.h"
#include "warpfold/core/core_protocols.h"
#include "warpfold/core/warps/warps.h"

namespace warpfold {

class WarpUnit : public sc_core::sc_module, private Warps::Pipeline {
  tlm::tlm_sync_enum commit(unsigned port, Instruction& instruction, tlm::tlm_phase& phase);

 public:
  DirectTargetPort<WarpUnit, InstructionProtocol, &WarpUnit::commit> commit_socket{"commit_socket", *this};
  OneWayPort<WarpUpdate> warp_socket{"warp_socket"};
  OneWayPort<divergence::CompactionRequest> compact_socket{"compact_socket"};
  std::unique_ptr<InitiatorPort<WarpUnit, SpillProtocol>> spill_socket;  // null: this mechanism's structures have room
  TargetPort<WarpUnit, TypedProtocol<CompactedWarp>> compacted_socket{"compacted_socket", *this,
                                                                      &WarpUnit::take_compacted};

  WarpUnit(sc_core::sc_module_name name, const CoreParams& params, const CoreContext& context,
           const divergence::Configured& mechanism, ClockDomain& core_clock, StatGroup& stats);

  Warps& warps() { return warps_; }
  const Warps& warps() const { return warps_; }
  // Called when the last thread of a block has exited.
  std::function<void(const divergence::Block&)> on_block_finished;

 private:
  tlm::tlm_sync_enum take_compacted(unsigned port, CompactedWarp& compacted, tlm::tlm_phase& phase);

  tlm::tlm_sync_enum spilled(unsigned port, SpillRequest& done, tlm::tlm_phase& phase);

  // Warps::Pipeline
  void entered(divergence::WarpId warp) override { tell(WarpUpdate::Kind::kEntered, warp); }
  void goes_on(divergence::WarpId warp) override { tell(WarpUpdate::Kind::kGoesOn, warp); }
  void left(divergence::WarpId warp) override { tell(WarpUpdate::Kind::kLeft, warp); }
  void held(divergence::WarpId warp, unsigned cycles) override { tell(WarpUpdate::Kind::kHeld, warp, cycles); }
  void compact(divergence::CompactionRequest compaction) override { request(compact_socket, compaction); }
  bool spill(const divergence::Spill& part) override;
  void block_finished(const divergence::Block& block) override;
  isa::LaneMask loaded(divergence::WarpId warp) override;
  Cycle now() const override { return clock_.current(); }
  void tell_spilling(unsigned owners);
  void tell(WarpUpdate::Kind kind, divergence::WarpId warp, unsigned cycles = 0);

  const ClockDomain& clock_;
  Warps warps_;
};

}  // namespace warpfold
