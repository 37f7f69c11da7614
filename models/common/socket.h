// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 sockets with typed payloads, for the boxes inside a core. tlm_utils' simple sockets only compile for payloads that
// look like tlm_generic_payload (they convert b_transport); these carry non-blocking transport alone.
#pragma once

#include <systemc>
#include <tlm>

#include "models/common/error.h"

namespace warpfold {

template <class Payload>
struct Protocol {
  using tlm_payload_type = Payload;
  using tlm_phase_type = tlm::tlm_phase;
};

namespace socket_detail {

// A member function bound to its object: what a socket calls when its peer does.
template <class Payload>
struct Delegate {
  using Function = tlm::tlm_sync_enum (*)(void*, Payload&, tlm::tlm_phase&);
  void* object = nullptr;
  Function function = nullptr;

  template <auto Method, class Module>
  void bind(Module* module) {
    object = module;
    function = [](void* self, Payload& payload, tlm::tlm_phase& phase) {
      return (static_cast<Module*>(self)->*Method)(payload, phase);
    };
  }
  tlm::tlm_sync_enum operator()(Payload& payload, tlm::tlm_phase& phase) const {
    check(function != nullptr, "a socket whose module does not listen");
    return function(object, payload, phase);
  }
};

}  // namespace socket_detail

// Time inside a core is counted in cycles by its clock domain, so the delay argument of TLM is always zero here.
template <class Payload>
class TargetSocket : public tlm::tlm_target_socket<32, Protocol<Payload>>,
                     private tlm::tlm_fw_transport_if<Protocol<Payload>> {
  using Base = tlm::tlm_target_socket<32, Protocol<Payload>>;

 public:
  explicit TargetSocket(const char* name) : Base(name) { this->bind(*static_cast<tlm::tlm_fw_transport_if<Protocol<Payload>>*>(this)); }
  // Method: tlm_sync_enum (Module::*)(Payload&, tlm_phase&)
  template <auto Method, class Module>
  void listen(Module* module) {
    forward_.template bind<Method>(module);
  }
  tlm::tlm_sync_enum answer(Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time zero = sc_core::SC_ZERO_TIME;
    return (*this)->nb_transport_bw(payload, phase, zero);
  }
  using Base::operator->;
  using Base::bind;

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/) override {
    return forward_(payload, phase);
  }
  void b_transport(Payload& /*payload*/, sc_core::sc_time& /*delay*/) override {
    check(false, "blocking transport on a non-blocking socket");
  }
  bool get_direct_mem_ptr(Payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { return false; }
  unsigned transport_dbg(Payload& /*payload*/) override { return 0; }

  socket_detail::Delegate<Payload> forward_;
};

template <class Payload>
class InitiatorSocket : public tlm::tlm_initiator_socket<32, Protocol<Payload>>,
                        private tlm::tlm_bw_transport_if<Protocol<Payload>> {
  using Base = tlm::tlm_initiator_socket<32, Protocol<Payload>>;

 public:
  explicit InitiatorSocket(const char* name) : Base(name) { this->bind(*static_cast<tlm::tlm_bw_transport_if<Protocol<Payload>>*>(this)); }
  // For sockets whose peer answers later.
  template <auto Method, class Module>
  void listen(Module* module) {
    backward_.template bind<Method>(module);
  }
  tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase phase = tlm::BEGIN_REQ) {
    sc_core::sc_time zero = sc_core::SC_ZERO_TIME;
    return (*this)->nb_transport_fw(payload, phase, zero);
  }
  using Base::operator->;
  using Base::bind;

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& /*delay*/) override {
    return backward_(payload, phase);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override {}

  socket_detail::Delegate<Payload> backward_;
};

}  // namespace warpfold
