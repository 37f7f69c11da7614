// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warps/warp_unit.h"

namespace warpfold {

WarpUnit::WarpUnit(sc_core::sc_module_name name, const CoreParams& params, const CoreContext& context,
                   const divergence::Configured& mechanism, ClockDomain& core_clock, StatGroup& stats)
    : sc_module(name), clock_(core_clock), warps_(params, context, mechanism, *this, stats) {
  if (!mechanism.spills) return;
  spill_socket = std::make_unique<InitiatorPort<WarpUnit, SpillProtocol>>("spill_socket", *this, &WarpUnit::spilled);
}

tlm::tlm_sync_enum WarpUnit::commit(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  warps_.commit(instruction);
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum WarpUnit::take_compacted(unsigned /*port*/, CompactedWarp& compacted, tlm::tlm_phase& /*phase*/) {
  // Of as few warps as can be there is always room; another policy's wait for it.
  if (!warps_.has_room()) return tlm::TLM_ACCEPTED;
  warps_.compacted(compacted);
  return tlm::TLM_COMPLETED;
}

bool WarpUnit::spill(const divergence::Spill& part) {
  check(spill_socket != nullptr, "a mechanism spills whose parameters say that it does not");
  SpillRequest asked{part};
  if (request(*spill_socket, asked) == tlm::TLM_COMPLETED) return true;
  tell_spilling(asked.owners);
  return false;
}

tlm::tlm_sync_enum WarpUnit::spilled(unsigned /*port*/, SpillRequest& done, tlm::tlm_phase& /*phase*/) {
  tell_spilling(done.owners);
  warps_.spilled(done.part.owner);
  return tlm::TLM_COMPLETED;
}

void WarpUnit::tell_spilling(unsigned owners) {
  WarpUpdate update{WarpUpdate::Kind::kSpilling};
  update.owners = owners;
  request(warp_socket, update);
}

void WarpUnit::tell(WarpUpdate::Kind kind, divergence::WarpId warp, unsigned cycles) {
  WarpUpdate update{kind, warp};
  update.cycles = cycles;
  request(warp_socket, update);
}

isa::LaneMask WarpUnit::loaded(divergence::WarpId warp) {
  WarpUpdate asked{WarpUpdate::Kind::kDivides, warp};
  request(warp_socket, asked);
  return asked.lanes;
}

void WarpUnit::block_finished(const divergence::Block& block) {
  WarpUpdate update{WarpUpdate::Kind::kBlockFinished};
  update.block = block.slot;
  request(warp_socket, update);
  on_block_finished(block);
}

}  // namespace warpfold
