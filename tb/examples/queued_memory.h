// SPDX-License-Identifier: Apache-2.0
// A memory with the rules of DRAMSys 5, which is what most controllers written in SystemC do: a queue that withholds
// END_REQ while it is full, and one response at a time. The next one goes when END_RESP is told of the last, by a call
// or by TLM_UPDATED. TLM_COMPLETED is no news to it, as to all of DRAMSys' releases up to 5.5.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <systemc>
#include <tlm>

class QueuedMemory : public sc_core::sc_module {
 public:
  // Answers `latency` after it has taken a request, at edges of its clock; holds as many as it has `entries`.
  explicit QueuedMemory(sc_core::sc_module_name name,
                        const sc_core::sc_time& clock = sc_core::sc_time(1.25, sc_core::SC_NS),
                        const sc_core::sc_time& latency = sc_core::sc_time(50, sc_core::SC_NS), std::size_t entries = 4)
      : sc_module(name),
        socket("socket"),
        clock_(clock),
        latency_(latency),
        entries_(entries),
        events_(this, &QueuedMemory::heard) {
    socket.register_nb_transport_fw(this, &QueuedMemory::nb_transport_fw);
  }
  tlm_utils::simple_target_socket<QueuedMemory> socket;
  unsigned requests = 0, withheld = 0;

 private:
  // Whatever is told takes effect at the memory's next edge.
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    const auto beyond = (sc_core::sc_time_stamp() + delay).value() % clock_.value();
    events_.notify(payload, phase, beyond == 0 ? delay : delay + clock_ - sc_core::sc_time::from_value(beyond));
    return tlm::TLM_ACCEPTED;
  }

  void heard(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) {
      if (inside_ < entries_) return take(payload);
      ++withheld;
      waits_ = &payload;
    } else if (phase == tlm::BEGIN_RESP) {
      answers_.push_back(&payload);
      if (!responding_) respond();
    } else if (phase == tlm::END_RESP) {
      ended(payload);
    }
  }

  void take(tlm::tlm_generic_payload& payload) {
    ++inside_;
    ++requests;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time now;
    socket->nb_transport_bw(payload, phase, now);
    events_.notify(payload, tlm::BEGIN_RESP, latency_);
  }

  void respond() {
    responding_ = true;
    tlm::tlm_generic_payload& payload = *answers_.front();
    answers_.pop_front();
    if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    if (socket->nb_transport_bw(payload, phase, delay) != tlm::TLM_UPDATED) return;
    events_.notify(payload, phase, delay + clock_);  // no two responses in the same cycle
  }

  void ended(tlm::tlm_generic_payload& payload) {
    payload.release();
    --inside_;
    responding_ = false;
    if (waits_ != nullptr) {
      tlm::tlm_generic_payload& next = *waits_;
      waits_ = nullptr;
      take(next);
    }
    if (!answers_.empty()) respond();
  }

  const sc_core::sc_time clock_, latency_;
  const std::size_t entries_;
  tlm_utils::peq_with_cb_and_phase<QueuedMemory> events_;
  std::deque<tlm::tlm_generic_payload*> answers_;  // that wait for the last one's END_RESP
  tlm::tlm_generic_payload* waits_ = nullptr;      // for a free entry
  std::size_t inside_ = 0;
  bool responding_ = false;
};
