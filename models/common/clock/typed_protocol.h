// SPDX-License-Identifier: Apache-2.0
// TLM protocol traits for a payload of our own: same sockets and phases as the base protocol, no byte packing.
#pragma once

#include <systemc>
#include <tlm>

#include "warpfold/common/clock/link.h"
#include "warpfold/common/error.h"

namespace warpfold {

template <class Payload>
struct TypedProtocol {
  using tlm_payload_type = Payload;
  using tlm_phase_type = tlm::tlm_phase;
};

// A link's start for transactions that are over when the call returns: its peer never calls back.
template <class Payload>
class OneWayPort : public LinkInitiator<TypedProtocol<Payload>>,
                   private tlm::tlm_bw_transport_if<TypedProtocol<Payload>> {
 public:
  explicit OneWayPort(const char* name) : LinkInitiator<TypedProtocol<Payload>>(name) {
    tlm::tlm_bw_transport_if<TypedProtocol<Payload>>& backward = *this;
    this->bind(backward);
  }

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& /*payload*/, tlm::tlm_phase& /*phase*/,
                                     sc_core::sc_time& /*delay*/) override {
    check(false, "an answer to a transaction that was over");
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override {}
};

// One call with BEGIN_REQ, for sockets whose whole transaction is that call (or that answer later by themselves).
template <class Payload, class Socket>
[[gnu::always_inline]] inline tlm::tlm_sync_enum request(Socket& socket, Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time none;
  return socket->nb_transport_fw(payload, phase, none);
}

}  // namespace warpfold
