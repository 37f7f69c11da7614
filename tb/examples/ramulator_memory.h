// SPDX-License-Identifier: Apache-2.0
// Ramulator 2 as a TLM-2.0 target for all slices of the L2, or any other initiators of the base protocol. It brings
// times and no values: reads bring zeros.
//
// - A request is as many of Ramulator's as the transactions of its DRAM that it touches. Those of which no byte is
//   enabled are left out.
// - Where Ramulator's queue is full, send() says false. The rest is offered again at each of its clock's edges, and
//   END_REQ comes when all has been taken.
// - A read is answered when Ramulator has called back for each part. A write is answered when its parts have been
// taken:
//   Ramulator 2.0 tells nothing of writes after that, and a read that follows finds them in the queue.
// - Ramulator's clock stands while no request is inside, so that the simulation has no events then. The edges that were
//   left out are made up for at the next request: refreshes come when they are due, and writes leave the queue.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <algorithm>
#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

#ifdef WITH_RAMULATOR
#include "ramulator/library.h"
#else
#include "ramulator/stand_in.h"
#endif

class RamulatorMemory : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(RamulatorMemory);
  RamulatorMemory(sc_core::sc_module_name name, const std::string& configuration)
      : sc_module(name), socket("socket"), library_(configuration), clock_(library_.clock_ps(), sc_core::SC_PS) {
    socket.register_nb_transport_fw(this, &RamulatorMemory::nb_transport_fw);
    SC_METHOD(edge);
    sensitive << edge_;
    dont_initialize();
  }
  tlm_utils::multi_passthrough_target_socket<RamulatorMemory> socket;
  unsigned withheld = 0;  // requests that were not taken at once

  // A line on the rows, up to now; empty where Ramulator counts none.
  std::string rows() {
    catch_up(sc_core::sc_time_stamp().value() / clock_.value());
    return library_.rows();
  }

 private:
  // What is known of an initiator; the base protocol has one request and one response at a time.
  struct Port {
    tlm::tlm_generic_payload* request = nullptr;  // without its END_REQ
    sc_core::sc_time since;
    std::uint64_t next = 0;  // address of the part that is to be sent
    bool refused = false;
    std::deque<tlm::tlm_generic_payload*> answers;  // the first may be without its END_RESP
    bool responding = false;
  };

  tlm::tlm_sync_enum nb_transport_fw(int id, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
    ports_.resize(socket.size());
    Port& port = ports_[id];
    if (phase == tlm::END_RESP) {
      ended(port);
    } else if (phase == tlm::BEGIN_REQ) {
      payload.acquire();
      port.request = &payload;
      port.since = sc_core::sc_time_stamp() + delay;
      port.next = payload.get_address();
      port.refused = false;
      parts_[&payload] = 1;
    } else {
      return tlm::TLM_ACCEPTED;
    }
    const auto beyond = sc_core::sc_time_stamp().value() % clock_.value();
    edge_.notify(sc_core::sc_time::from_value(beyond == 0 ? 0 : clock_.value() - beyond));
    return tlm::TLM_ACCEPTED;
  }

  // An edge of Ramulator's clock, of which the first is at time 0: what waits is offered, time passes, and what has
  // come out is answered.
  void edge() {
    const std::uint64_t now = sc_core::sc_time_stamp().value() / clock_.value();
    catch_up(now);
    if (ticks_ == now) {  // and not a second time at the same edge
      for (std::size_t n = 0; n < ports_.size(); ++n)
        offer((now + n) % ports_.size());  // each is the first in its turn
      tick();
    }
    for (std::size_t id = 0; id < ports_.size(); ++id) respond(id);
    if (!parts_.empty()) edge_.notify(clock_);
  }
  void catch_up(std::uint64_t edges) {
    while (ticks_ < edges) tick();
  }
  void tick() {
    library_.tick();
    ++ticks_;
  }

  void offer(std::size_t id) {
    Port& port = ports_[id];
    if (port.request == nullptr || port.since > sc_core::sc_time_stamp()) return;
    tlm::tlm_generic_payload& payload = *port.request;
    const std::uint64_t end = payload.get_address() + payload.get_data_length();
    while (port.next < end) {
      const std::uint64_t part = port.next / library_.bytes() * library_.bytes(), behind = part + library_.bytes();
      if (enabled(payload, port.next, std::min(behind, end)) && !send(id, payload, part)) {
        withheld += port.refused ? 0 : 1;
        port.refused = true;
        return;
      }
      port.next = behind;
    }
    port.request = nullptr;
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time now;
    socket[id]->nb_transport_bw(payload, phase, now);
    passed(id, payload);
  }
  bool send(std::size_t id, tlm::tlm_generic_payload& payload, std::uint64_t address) {
    if (payload.is_write()) return library_.send(true, address, nullptr);
    if (!library_.send(false, address, [this, id, &payload] { passed(id, payload); })) return false;
    ++parts_[&payload];
    return true;
  }
  static bool enabled(const tlm::tlm_generic_payload& payload, std::uint64_t from, std::uint64_t end) {
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    if (enables == nullptr) return true;
    for (std::uint64_t n = from - payload.get_address(); n < end - payload.get_address(); ++n) {
      if (enables[n % payload.get_byte_enable_length()] != 0) return true;
    }
    return false;
  }

  // A part, or the sending. The last that passes makes the answer.
  void passed(std::size_t id, tlm::tlm_generic_payload& payload) {
    if (--parts_[&payload] == 0) ports_[id].answers.push_back(&payload);
  }
  void respond(std::size_t id) {
    Port& port = ports_[id];
    while (!port.responding && !port.answers.empty()) {
      tlm::tlm_generic_payload& payload = *port.answers.front();
      if (payload.is_read()) std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      port.responding = true;
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time now;
      if (socket[id]->nb_transport_bw(payload, phase, now) != tlm::TLM_ACCEPTED) ended(port);
    }
  }
  void ended(Port& port) {
    tlm::tlm_generic_payload& payload = *port.answers.front();
    port.answers.pop_front();
    port.responding = false;
    parts_.erase(&payload);
    payload.release();
  }

  RamulatorLibrary library_;
  const sc_core::sc_time clock_;
  std::uint64_t ticks_ = 0;  // edges that Ramulator has had
  sc_core::sc_event edge_;
  std::vector<Port> ports_;
  std::unordered_map<tlm::tlm_generic_payload*, unsigned> parts_;  // inside: what is still to pass, with its sending
};
