// SPDX-License-Identifier: Apache-2.0
// The cores' end of a port of the interconnect: what is on the way to them, and what they have sent since the
// interconnect has last looked.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/memory/network/ring.h"

namespace warpfold {

// Ticks at the interconnect's clock, but in the time of its cores, which may be ahead of the interconnect's. That works
// since a response that the interconnect grants comes its latency later, and since a link knows how many requests the
// interconnect's queue has room for, whatever happens there; a core that has used these up waits until times are equal.
//
// Responses: one an edge, the oldest first, when the core has taken the one before whole.
class CoreLink : public sc_core::sc_module, public Clocked {
 public:
  // `first` of the cores that share the port; at most `places` responses are on the way or wait for the cores.
  CoreLink(sc_core::sc_module_name name, ClockDomain& clock, unsigned index, unsigned first, unsigned cores,
           std::uint32_t places);

  std::deque<TargetPort<CoreLink>> core_sockets;

  Cycle tick(Cycle now) override;

  // For the interconnect, whose time is no later than the cores'.
  struct Request {
    tlm::tlm_generic_payload* payload;
    std::uint64_t at_ps;
  };
  // In the order in which the cores sent them; the interconnect takes them out.
  std::deque<Request>& sent() { return sent_; }
  // The interconnect has places for so many more.
  void set_room(std::size_t places) { room_ = places; }
  std::size_t room() const { return room_; }
  // Of requests that wait for a place the one whose turn it is, which has it now; null: none waits.
  tlm::tlm_generic_payload* let_in();
  bool withholds() const { return withheld_count_ != 0; }
  // Is there a place for another response at this edge?
  bool has_place(Cycle now);
  // One will be there at edge `at`.
  void arrive(tlm::tlm_generic_payload& payload, Cycle at);
  // When the oldest request was sent whose response is not on this link yet; ClockIsland::kNoTime: there is none.
  std::uint64_t oldest_unanswered_ps() const {
    return unanswered_.empty() ? ClockIsland::kNoTime : unanswered_.front();
  }

  // While cores and interconnect have their time in common: called before a request is looked at, and when there is
  // one.
  std::function<void()> before_request, on_request;
  void run_apart(bool apart) { apart_ = apart; }

 private:
  tlm::tlm_sync_enum from_core(unsigned n, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);

  struct Arrival {
    tlm::tlm_generic_payload* payload;
    Cycle at;
  };
  const unsigned first_;
  const std::uint32_t places_;
  Ring<Arrival> arriving_;
  bool receiver_busy_ = false;
  Cycle free_from_ = 0;          // it took the last one whole before this edge
  std::deque<Cycle> delivered_;  // when; of those that are in the interconnect's future yet
  std::deque<Request> sent_;
  std::deque<std::uint64_t> unanswered_;  // when; of requests since the first of these, kNoTime: answered
  std::uint64_t answered_ = 0;            // before them
  std::size_t room_ = 0;
  bool apart_ = false;
  std::vector<tlm::tlm_generic_payload*> withheld_;  // per core: its END_REQ is owed
  unsigned withheld_count_ = 0;
  unsigned last_ = 0;  // of the cores, that took a place last
};

}  // namespace warpfold
