// SPDX-License-Identifier: Apache-2.0
// A memory of one's own, of a fixed latency and bandwidth.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <systemc>
#include <tlm>

// Requests pass one after the other, at the speed of the data; each is answered a latency after its data has passed.
// Reads bring zeros: the values of a kernel are those of DeviceMemory, and what comes here of them is for looking at.
class LatencyMemory : public sc_core::sc_module {
 public:
  LatencyMemory(sc_core::sc_module_name name, const sc_core::sc_time& latency, const sc_core::sc_time& per_byte)
      : sc_module(name),
        socket("socket"),
        latency_(latency),
        per_byte_(per_byte),
        answers_(this, &LatencyMemory::answer) {
    socket.register_nb_transport_fw(this, &LatencyMemory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<LatencyMemory> socket;

 private:
  // END_REQ when the data has passed. TLM_COMPLETED would do as well for a memory without a queue; this one answers by
  // a call.
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
    payload.acquire();
    delay += per_byte_ * payload.get_data_length();
    answers_.notify(payload, tlm::BEGIN_RESP, delay + latency_);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void answer(tlm::tlm_generic_payload& payload, const tlm::tlm_phase&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time now;
    socket->nb_transport_bw(payload, phase, now);
    payload.release();
  }

  const sc_core::sc_time latency_, per_byte_;
  tlm_utils::peq_with_cb_and_phase<LatencyMemory> answers_;
};
