// SPDX-License-Identifier: Apache-2.0
// A core's way out of the model: between its port and a network of somebody else's.
#pragma once

#include <deque>
#include <systemc>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/memory/dram/memory_port.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold {

// Each request of the core is a transaction of the base protocol, at once. It covers the bytes that are asked for or
// written, from the first to the last, with byte enables where others lie between them. A write carries the bytes that
// device memory has then. Atomics are writes, too: they have been executed, and the network says when they would have
// been. Who knows of MemoryExtension finds there `core`, `client` (which of its caches), `atomic`, and what the
// instruction says to an L2; it may be ignored.
//
// Answers may come in any order. The core gets one at each edge of the clock, in the order in which they came.
// Requests of one line are best answered in order: a load that waits for several of its sectors goes on when the
// youngest is there.
class CoreGateway : public sc_core::sc_module, public MemoryClient {
 public:
  CoreGateway(sc_core::sc_module_name name, ClockDomain& clock, unsigned index, PayloadPool& pool);

  TargetPort<CoreGateway> core_socket;  // from the core's port; requests name their bytes (CoreCaches::byte_masks)
  MemoryPort network_socket;            // to any target

  // As L2Slice has it.
  void carry_values_of(const DeviceMemory& memory) { values_ = &memory; }

  Cycle tick(Cycle now) override;

 private:
  tlm::tlm_sync_enum from_core(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  tlm::tlm_generic_payload& outside(tlm::tlm_generic_payload& asked);
  void request_taken() override;
  void answered(tlm::tlm_generic_payload& payload) override;

  PayloadPool& pool_;
  const DeviceMemory* values_ = nullptr;
  tlm::tlm_generic_payload* requesting_ = nullptr;  // the core's, whose END_REQ we owe
  std::deque<tlm::tlm_generic_payload*> answers_;   // of the core's; those that it has not got
  bool core_busy_ = false;                          // BEGIN_RESP sent, END_RESP not seen
};

}  // namespace warpfold
