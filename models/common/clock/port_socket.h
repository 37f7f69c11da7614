// SPDX-License-Identifier: Apache-2.0
// TLM sockets that know their index: modules with many ports get one handler with the port's number as first argument.
// Where the payload is one of our own they are links, since both ends are boxes of ours (link.h).
#pragma once

#include <systemc>
#include <tlm>
#include <type_traits>

#include "warpfold/common/clock/link.h"
#include "warpfold/common/error.h"

namespace warpfold {

// A call handler is (port, payload, phase). Time annotations are zero everywhere: modules keep their own cycles.
template <class Owner, class Protocol>
using PortHandler = tlm::tlm_sync_enum (Owner::*)(unsigned, typename Protocol::tlm_payload_type&,
                                                  typename Protocol::tlm_phase_type&);

template <class Protocol>
inline constexpr bool kIsBaseProtocol = std::is_same_v<Protocol, tlm::tlm_base_protocol_types>;
template <class Protocol>
using TargetSocket = std::conditional_t<kIsBaseProtocol<Protocol>, tlm::tlm_target_socket<32>, LinkTarget<Protocol>>;
template <class Protocol>
using InitiatorSocket =
    std::conditional_t<kIsBaseProtocol<Protocol>, tlm::tlm_initiator_socket<32>, LinkInitiator<Protocol>>;

// Raw sockets cost half of tlm_utils' convenience sockets (3 against 7 ns a call), which is why these exist.
template <class Protocol, class Handle>
class HandledTargetPort : public TargetSocket<Protocol> {
 public:
  HandledTargetPort(const char* name, const Handle& handle) : TargetSocket<Protocol>(name), forward_(handle) {
    this->bind(forward_);
  }

 private:
  using Payload = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  class Forward : public tlm::tlm_fw_transport_if<Protocol> {
   public:
    explicit Forward(const Handle& handle) : handle_(handle) {}
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, sc_core::sc_time&) override {
      return handle_(payload, phase);
    }
    void b_transport(Payload&, sc_core::sc_time&) override {
      check(false, "memory modules speak non-blocking TLM only");
    }
    bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }
    unsigned int transport_dbg(Payload&) override { return 0; }

   private:
    Handle handle_;
  };
  Forward forward_;
};

template <class Owner, class Protocol>
struct HandleLater {
  Owner& owner;
  PortHandler<Owner, Protocol> handler;
  unsigned port;
  tlm::tlm_sync_enum operator()(typename Protocol::tlm_payload_type& payload,
                                typename Protocol::tlm_phase_type& phase) const {
    return (owner.*handler)(port, payload, phase);
  }
};

template <class Owner, class Protocol = tlm::tlm_base_protocol_types>
class TargetPort : public HandledTargetPort<Protocol, HandleLater<Owner, Protocol>> {
 public:
  TargetPort(const char* name, Owner& owner, PortHandler<Owner, Protocol> handler, unsigned port = 0)
      : HandledTargetPort<Protocol, HandleLater<Owner, Protocol>>(name, {owner, handler, port}) {}
};

// The same with a handler that compilers know, for sockets that every instruction passes.
template <class Owner, class Protocol, PortHandler<Owner, Protocol> kHandler>
struct HandleNow {
  Owner& owner;
  tlm::tlm_sync_enum operator()(typename Protocol::tlm_payload_type& payload,
                                typename Protocol::tlm_phase_type& phase) const {
    return (owner.*kHandler)(0, payload, phase);
  }
};

template <class Owner, class Protocol, PortHandler<Owner, Protocol> kHandler>
class DirectTargetPort : public HandledTargetPort<Protocol, HandleNow<Owner, Protocol, kHandler>> {
 public:
  DirectTargetPort(const char* name, Owner& owner)
      : HandledTargetPort<Protocol, HandleNow<Owner, Protocol, kHandler>>(name, {owner}) {}
};

template <class Owner, class Protocol = tlm::tlm_base_protocol_types>
class InitiatorPort : public InitiatorSocket<Protocol> {
 public:
  InitiatorPort(const char* name, Owner& owner, PortHandler<Owner, Protocol> handler, unsigned port = 0)
      : InitiatorSocket<Protocol>(name), backward_(owner, handler, port) {
    this->bind(backward_);
  }

 private:
  using Payload = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  class Backward : public tlm::tlm_bw_transport_if<Protocol> {
   public:
    Backward(Owner& owner, PortHandler<Owner, Protocol> handler, unsigned port)
        : owner_(owner), handler_(handler), port_(port) {}
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, sc_core::sc_time&) override {
      return (owner_.*handler_)(port_, payload, phase);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

   private:
    Owner& owner_;
    PortHandler<Owner, Protocol> handler_;
    unsigned port_;
  };
  Backward backward_;
};

// One phase sent through a socket; returns what the other side answered, with its phase in `phase`.
template <class Socket, class Payload>
tlm::tlm_sync_enum send_forward(Socket& socket, Payload& payload, tlm::tlm_phase& phase) {
  sc_core::sc_time none;
  return socket->nb_transport_fw(payload, phase, none);
}

template <class Socket, class Payload>
tlm::tlm_sync_enum send_backward(Socket& socket, Payload& payload, tlm::tlm_phase& phase) {
  sc_core::sc_time none;
  return socket->nb_transport_bw(payload, phase, none);
}

}  // namespace warpfold
