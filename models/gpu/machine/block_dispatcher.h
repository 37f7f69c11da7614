// SPDX-License-Identifier: Apache-2.0
// Hands the blocks of a launch to cores with room: one per core and cycle, cores in order, blocks in order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/core/warps/block_protocol.h"
#include "warpfold/gpu/record/core_usage.h"

namespace warpfold {

class BlockDispatcher : public sc_core::sc_module, public Clocked {
 public:
  BlockDispatcher(sc_core::sc_module_name name, unsigned cores, ClockDomain& core_clock, unsigned index,
                  CoreUsage& usage);
  std::deque<InitiatorPort<BlockDispatcher, BlockProtocol>> core_sockets;
  std::function<void(unsigned core)> on_block;  // that the core gets next

  void start(isa::Dim3 grid, unsigned blocks_per_core);
  bool more() const { return next_ < total_; }  // blocks that no core has yet
  // May the core get one of them?
  bool may_send(unsigned core) const { return more() && room_[core] != 0; }
  bool finished() const { return finished_ == total_; }
  std::uint64_t blocks_finished() const { return finished_; }
  std::uint64_t blocks() const { return total_; }
  Cycle tick(Cycle now) override;

 private:
  tlm::tlm_sync_enum block_finished(unsigned core, BlockMessage& block, tlm::tlm_phase& phase);

  CoreUsage& usage_;
  std::vector<unsigned> room_;  // per core: blocks that it can still take
  isa::Dim3 grid_;
  std::uint64_t next_ = 0, total_ = 0, finished_ = 0;
};

}  // namespace warpfold
