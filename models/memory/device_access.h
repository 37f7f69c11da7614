// SPDX-License-Identifier: Apache-2.0
// Device memory as a target on a platform's bus: how data gets to kernels and back, and how debuggers look at it.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "warpfold/common/memory/device_memory.h"

namespace warpfold {

// b_transport, debug transport and DMI reach every byte of the memory, allocated or not, at once: an access adds no
// time. What a kernel has stored is there from the instruction's issue on, whatever its caches do in the meantime.
class DeviceAccess : public sc_core::sc_module {
 public:
  // `origin`: the address, at this socket, of the memory's first byte; a bus that hands on offsets has 0.
  DeviceAccess(sc_core::sc_module_name name, DeviceMemory& memory, Address origin);
  // Device addresses as they are.
  DeviceAccess(sc_core::sc_module_name name, DeviceMemory& memory) : DeviceAccess(name, memory, memory.base()) {}

  tlm_utils::simple_target_socket<DeviceAccess> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload) const;
  bool holds(Address at, std::uint64_t bytes) const;
  unsigned char* bytes(Address at) const;

  DeviceMemory& memory_;
  const Address origin_;
};

}  // namespace warpfold
