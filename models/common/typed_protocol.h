// SPDX-License-Identifier: Apache-2.0
// TLM protocol traits for a payload of our own: same sockets and phases as the base protocol, no byte packing.
#pragma once

#include <tlm>

namespace warpfold {

template <class Payload>
struct TypedProtocol {
  using tlm_payload_type = Payload;
  using tlm_phase_type = tlm::tlm_phase;
};

// One call with BEGIN_REQ, for sockets whose whole transaction is that call (or that answer later by themselves).
template <class Payload, class Socket>
tlm::tlm_sync_enum request(Socket& socket, Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time none;
  return socket->nb_transport_fw(payload, phase, none);
}

}  // namespace warpfold
