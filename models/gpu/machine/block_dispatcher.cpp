// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/machine/block_dispatcher.h"

#include "warpfold/common/error.h"

namespace warpfold {

BlockDispatcher::BlockDispatcher(sc_core::sc_module_name name, unsigned cores, ClockDomain& core_clock, unsigned index,
                                 CoreUsage& usage)
    : sc_module(name), usage_(usage), room_(cores, 0) {
  for (unsigned core = 0; core < cores; ++core) {
    core_sockets.emplace_back(fmt::format("core_socket_{}", core).c_str(), *this, &BlockDispatcher::block_finished,
                              core);
  }
  core_clock.add(*this, index);
}

void BlockDispatcher::start(isa::Dim3 grid, unsigned blocks_per_core) {
  check(finished(), "kernels run one at a time");
  grid_ = grid;
  next_ = finished_ = 0;
  total_ = grid.count();
  room_.assign(room_.size(), blocks_per_core);
  wake();
}

Cycle BlockDispatcher::tick(Cycle now) {
  bool more = false;
  for (unsigned core = 0; core < room_.size() && next_ < total_; ++core) {
    if (room_[core] == 0) continue;
    BlockMessage block = block_message(grid_, next_++);
    --room_[core];
    more |= room_[core] > 0;
    if (on_block) on_block(core);
    usage_.block_started(core, now);
    request(core_sockets[core], block);
  }
  return more && next_ < total_ ? now + 1 : kNever;
}

tlm::tlm_sync_enum BlockDispatcher::block_finished(unsigned core, BlockMessage& /*block*/, tlm::tlm_phase& /*phase*/) {
  ++room_[core];
  ++finished_;
  usage_.block_finished(core, clock().current());
  if (next_ < total_) wake();
  return tlm::TLM_COMPLETED;
}

}  // namespace warpfold
