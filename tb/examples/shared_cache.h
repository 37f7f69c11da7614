// SPDX-License-Identifier: Apache-2.0
// A cache that several cores share, behind a network that takes one request a clock: what a platform may have of which
// only the cores are Warpfold's. It keeps tags and times; the values of a kernel are those of DeviceMemory.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "warpfold/memory/dram/payload_pool.h"

class SharedCache : public sc_core::sc_module {
 public:
  struct Shape {
    sc_core::sc_time clock{1, sc_core::SC_NS}, hit{20, sc_core::SC_NS}, miss{120, sc_core::SC_NS};
    sc_core::sc_time atomic{4, sc_core::SC_NS};  // more than a write
    std::size_t lines = 1024;                    // direct mapped
    unsigned line_bytes = 64;
  };
  // One core's end of the network. Its responses go one after the other, a clock apart.
  class Port : public sc_core::sc_module {
   public:
    Port(sc_core::sc_module_name name, SharedCache& cache)
        : sc_module(name), socket("socket"), cache_(cache), events_(this, &Port::heard) {
      socket.register_nb_transport_fw(this, &Port::nb_transport_fw);
    }
    tlm_utils::simple_target_socket<Port> socket;

   private:
    // END_REQ when the network has taken it.
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
      if (phase == tlm::END_RESP) {
        events_.notify(payload, phase, delay + cache_.shape_.clock);
        return tlm::TLM_COMPLETED;
      }
      payload.acquire();
      const sc_core::sc_time now = sc_core::sc_time_stamp(), taken = cache_.take(now + delay);
      events_.notify(payload, tlm::BEGIN_RESP, cache_.answer_at(payload, taken) - now);
      phase = tlm::END_REQ;
      delay = taken - now;
      return tlm::TLM_UPDATED;
    }

    void heard(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
      if (phase == tlm::BEGIN_RESP) {
        answers_.push_back(&payload);
        if (!responding_) respond();
        return;
      }
      payload.release();
      responding_ = false;
      if (!answers_.empty()) respond();
    }

    void respond() {
      responding_ = true;
      tlm::tlm_generic_payload& payload = *answers_.front();
      answers_.pop_front();
      if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      if (socket->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) return;  // END_RESP will be called
      events_.notify(payload, tlm::END_RESP, delay + cache_.shape_.clock);
    }

    SharedCache& cache_;
    tlm_utils::peq_with_cb_and_phase<Port> events_;
    std::deque<tlm::tlm_generic_payload*> answers_;  // that wait for the last one's END_RESP
    bool responding_ = false;
  };

  SharedCache(sc_core::sc_module_name name, unsigned cores, const Shape& shape)
      : sc_module(name), shape_(shape), lines_(shape.lines) {
    for (unsigned core = 0; core < cores; ++core) ports_.emplace_back(("port_" + std::to_string(core)).c_str(), *this);
  }
  explicit SharedCache(sc_core::sc_module_name name, unsigned cores) : SharedCache(name, cores, Shape()) {}
  auto& socket(unsigned core) { return ports_.at(core).socket; }

  std::size_t requests = 0, hits = 0, atomics = 0;

 private:
  struct Line {
    sc_dt::uint64 number = ~sc_dt::uint64{0};
    sc_core::sc_time there;  // from when on
  };

  sc_core::sc_time take(const sc_core::sc_time& from) {
    ++requests;
    const sc_core::sc_time at = std::max(from, free_from_);
    free_from_ = at + shape_.clock;
    return at;
  }

  // A line on its way is waited for.
  sc_core::sc_time answer_at(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& at) {
    const sc_dt::uint64 first = payload.get_address() / shape_.line_bytes;
    const sc_dt::uint64 last = (payload.get_address() + payload.get_data_length() - 1) / shape_.line_bytes;
    sc_core::sc_time done = at;
    bool hit = true;
    for (sc_dt::uint64 number = first; number <= last; ++number) {
      Line& line = lines_[number % lines_.size()];
      if (line.number != number) line = {number, at + shape_.miss}, hit = false;
      done = std::max(done, line.there);
    }
    hits += hit ? 1 : 0;
    const bool atomic = warpfold::extension_of(payload).atomic;  // the base protocol would say: a write
    atomics += atomic ? 1 : 0;
    return done + shape_.hit + (atomic ? shape_.atomic : sc_core::SC_ZERO_TIME);
  }

  const Shape shape_;
  std::vector<Line> lines_;
  std::deque<Port> ports_;
  sc_core::sc_time free_from_;  // the network
};
