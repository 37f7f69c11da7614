// SPDX-License-Identifier: Apache-2.0
// Links between the boxes of a core: TLM's interfaces, phases and way to bind, without objects of the SystemC kernel. A
// machine has a thousand of them, and as sockets, each a named port and a named export, they were most of what it cost
// to make one. A module that has real sockets is bound like another box.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "warpfold/common/error.h"

namespace warpfold {

// Either end.
class LinkEnd {
 public:
  LinkEnd() : owner_(sc_core::sc_get_curr_simcontext()->hierarchy_curr()) {}
  LinkEnd(const LinkEnd&) = delete;
  LinkEnd& operator=(const LinkEnd&) = delete;
  const sc_core::sc_object* owner() const { return owner_; }  // the module that has it

 private:
  const sc_core::sc_object* owner_;
};

// An end that begins transactions. Whoever draws the boxes has those that are made from now on written down.
class LinkStart : public LinkEnd {
 public:
  explicit LinkStart(const char* name) : name_(name) {
    if (made != nullptr) made->push_back(this);
  }
  const std::string& name() const { return name_; }
  const LinkEnd* peer() const { return peer_; }  // null: a real socket, or none

  inline static std::vector<const LinkStart*>* made = nullptr;  // null: nobody draws

 protected:
  const LinkEnd* peer_ = nullptr;

 private:
  std::string name_;
};

// At the other end of a link that was never bound.
template <class Protocol>
class Nobody : public tlm::tlm_fw_transport_if<Protocol>, public tlm::tlm_bw_transport_if<Protocol> {
  using Payload = typename Protocol::tlm_payload_type;
  using Phase = typename Protocol::tlm_phase_type;
  [[noreturn]] static void fail() { throw InternalError("a link between two boxes of a core is not bound"); }
  tlm::tlm_sync_enum nb_transport_fw(Payload& /*payload*/, Phase& /*phase*/, sc_core::sc_time& /*delay*/) override {
    fail();
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& /*payload*/, Phase& /*phase*/, sc_core::sc_time& /*delay*/) override {
    fail();
  }
  void b_transport(Payload& /*payload*/, sc_core::sc_time& /*delay*/) override { fail(); }
  bool get_direct_mem_ptr(Payload& /*payload*/, tlm::tlm_dmi& /*dmi*/) override { fail(); }
  unsigned int transport_dbg(Payload& /*payload*/) override { fail(); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override { fail(); }
};
template <class Protocol>
inline Nobody<Protocol> nobody;

template <class Protocol>
class LinkTarget : public LinkEnd {
 public:
  using Forward = tlm::tlm_fw_transport_if<Protocol>;
  using Backward = tlm::tlm_bw_transport_if<Protocol>;

  explicit LinkTarget(const char* /*name*/) {}
  void bind(Forward& forward) { forward_ = &forward; }  // who takes what comes
  void bind(tlm::tlm_base_initiator_socket_b<32, Forward, Backward>& socket) {
    socket.get_base_port().bind(*forward_);
    backward_ = &socket.get_base_interface();
  }
  Backward* operator->() const { return backward_; }

 private:
  template <class>
  friend class LinkInitiator;
  Forward* forward_ = &nobody<Protocol>;
  Backward* backward_ = &nobody<Protocol>;
};

template <class Protocol>
class LinkInitiator : public LinkStart {
 public:
  using Forward = tlm::tlm_fw_transport_if<Protocol>;
  using Backward = tlm::tlm_bw_transport_if<Protocol>;

  using LinkStart::LinkStart;
  void bind(Backward& backward) { backward_ = &backward; }  // who takes answers
  void bind(LinkTarget<Protocol>& target) {
    peer_ = &target;
    forward_ = target.forward_;
    target.backward_ = backward_;
  }
  void bind(tlm::tlm_base_target_socket_b<32, Forward, Backward>& socket) {
    forward_ = &socket.get_base_interface();
    socket.get_base_port().bind(*backward_);
  }
  Forward* operator->() const { return forward_; }

 private:
  Forward* forward_ = &nobody<Protocol>;
  Backward* backward_ = &nobody<Protocol>;
};

}  // namespace warpfold
