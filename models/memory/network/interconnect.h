// SPDX-License-Identifier: Apache-2.0
// The network between cores and L2 slices: two crossbars, one for requests and one for responses, at their own clock.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/address_map.h"
#include "warpfold/memory/network/core_link.h"
#include "warpfold/memory/network/crossbar.h"
#include "warpfold/memory/network/interconnect_params.h"
#include "warpfold/memory/network/packet.h"

namespace warpfold {

// A packet of b bytes is ceil(b / bytes_per_cycle) flits; timing and order as Crossbar says. A request given at one
// instant competes from the next interconnect edge. END_REQ towards a core is withheld while that core's queue is full,
// END_RESP towards a slice likewise; responses are delivered without condition of any request, so nothing deadlocks.
// Cores that share a port share its queue, first come first served; those that wait for a place take turns.
//
// Statistics: request_packets, response_packets, request_flits, response_flits (noc_…).
class Interconnect : public sc_core::sc_module, public Clocked {
 public:
  // `link_clocks`: of the ports' links, one for all or one each; twins of `clock` that may be ahead of it (CoreLink).
  Interconnect(sc_core::sc_module_name name, const InterconnectParams& params, const AddressMap& map, unsigned cores,
               unsigned slices, ClockDomain& clock, unsigned index, StatGroup& stats,
               const std::vector<ClockDomain*>& link_clocks = {});

  tlm::tlm_target_socket<>& core_socket(unsigned core) {
    return links_[core / params_.cores_per_port].core_sockets[core % params_.cores_per_port];
  }
  std::deque<InitiatorPort<Interconnect>> slice_sockets;
  CoreLink& link(unsigned port) { return links_[port]; }

  Cycle tick(Cycle now) override;

  // Before cores go ahead, in step or beyond: their links know what they may send.
  void prepare_link(unsigned port);
  // After that: takes notice of what the port's cores have sent.
  void notice_requests(unsigned port);
  // Before this edge no request of the port leaves its queue, when the edges before `from` have been served.
  Cycle nothing_leaves_before(unsigned port, Cycle from) const { return std::max(from, requests_.grant_from(port)); }
  // Before this edge nothing comes to a core that is not on its link yet, when the edges before `from` have been
  // served.
  Cycle nothing_before(Cycle from) const { return from + params_.latency_cycles; }

 private:
  // What is on the way to a slice or waits for it: either holds a place.
  struct SliceEnd {
    explicit SliceEnd(std::uint32_t places) : arriving(places) {}
    struct Arrival {
      tlm::tlm_generic_payload* payload;
      Cycle at;
    };
    Ring<Arrival> arriving;
    bool receiver_busy = false;
  };
  struct SliceEnds;
  struct CoreEnds;

  tlm::tlm_sync_enum from_slice(unsigned slice, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  Cycle take_in(Cycle now);
  void enqueue_request(unsigned port, tlm::tlm_generic_payload& payload);
  void enqueue_response(unsigned slice, tlm::tlm_generic_payload& payload);
  void request_place_freed(unsigned port);
  void response_place_freed(unsigned slice);

  const InterconnectParams params_;
  const AddressMap map_;
  Crossbar requests_;
  Crossbar responses_;
  std::deque<CoreLink> links_;  // of the ports
  std::vector<SliceEnd> slice_ends_;
  std::vector<unsigned> sending_;                              // ports that have sent requests not yet taken in
  std::vector<bool> sends_;                                    // per port: it is one of them
  std::vector<tlm::tlm_generic_payload*> withheld_responses_;  // per slice: its END_RESP is owed

  Counter& request_packets_;
  Counter& response_packets_;
  Counter& request_flits_;
  Counter& response_flits_;
};

}  // namespace warpfold
