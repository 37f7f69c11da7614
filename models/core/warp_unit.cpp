// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warp_unit.h"

namespace warpfold {

WarpUnit::WarpUnit(sc_core::sc_module_name name, const CoreParams& params, const CoreContext& context,
                   const divergence::Configured& mechanism, ClockDomain& core_clock, StatGroup& stats)
    : sc_module(name), clock_(core_clock), warps_(params, context, mechanism, *this, stats) {}

tlm::tlm_sync_enum WarpUnit::commit(unsigned /*port*/, Instruction& instruction, tlm::tlm_phase& /*phase*/) {
  warps_.commit(instruction);
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum WarpUnit::take_compacted(unsigned /*port*/, CompactedWarp& compacted, tlm::tlm_phase& /*phase*/) {
  warps_.compacted(compacted);
  return tlm::TLM_COMPLETED;
}

void WarpUnit::tell(WarpUpdate::Kind kind, divergence::WarpId warp, unsigned cycles) {
  WarpUpdate update{kind, warp, cycles};
  request(warp_socket, update);
}

}  // namespace warpfold
