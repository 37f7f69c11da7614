// SPDX-License-Identifier: Apache-2.0
// Between the L2 and a memory whose addresses begin at 0.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

// Device addresses to those of a memory that begins at 0. What lies further up than it is large comes round, which
// nobody sees: such a memory has times and no values.
class AddressWindow : public sc_core::sc_module {
 public:
  AddressWindow(sc_core::sc_module_name name, std::uint64_t bytes)
      : sc_module(name), in("in"), out("out"), bytes_(bytes) {
    in.register_nb_transport_fw(this, &AddressWindow::forward);
    out.register_nb_transport_bw(this, &AddressWindow::backward);
  }
  tlm_utils::simple_target_socket<AddressWindow> in;
  tlm_utils::simple_initiator_socket<AddressWindow> out;
  unsigned requests = 0, writes = 0;

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      ++requests;
      writes += payload.is_write() ? 1 : 0;
      payload.set_address(payload.get_address() % bytes_);
    }
    return out->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return in->nb_transport_bw(payload, phase, delay);
  }
  const std::uint64_t bytes_;
};
