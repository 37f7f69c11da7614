// SPDX-License-Identifier: Apache-2.0
// The network between cores and L2 slices: two crossbars, one for requests and one for responses, at their own clock.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <tuple>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/config/params.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/address_map.h"
#include "warpfold/memory/network/core_link.h"
#include "warpfold/memory/network/crossbar.h"
#include "warpfold/memory/network/packet.h"

namespace warpfold {

struct InterconnectParams {
  // TBC Table 2: 650 MHz. The rest are decisions: 32-byte ports, a crossbar rather than a mesh (Bakhoda et al., ISPASS
  // 2009, found the topology to matter little next to bisection bandwidth), and a latency with which an unloaded load
  // from DRAM takes about what Wong et al. (ISPASS 2010) measured on GT200 (see MemoryParams).
  std::uint32_t clock_mhz = 650;
  std::uint32_t request_bytes_per_cycle = 32;
  std::uint32_t response_bytes_per_cycle = 32;
  std::uint32_t latency_cycles = 40;
  std::uint32_t queue_entries = 8;
  std::uint32_t cores_per_port = 1;
  PacketParams packet;

  static constexpr auto fields() {
    using P = InterconnectParams;
    return std::tuple{
        field("clock_mhz", "MHz", &P::clock_mhz, 1, 100'000, "clock of interconnect and L2 slices"),
        field("request_bytes_per_cycle", "bytes", &P::request_bytes_per_cycle, 1, 4096,
              "of a port, towards the slices"),
        field("response_bytes_per_cycle", "bytes", &P::response_bytes_per_cycle, 1, 4096,
              "of a port, towards the cores"),
        field("latency_cycles", "cycles", &P::latency_cycles, 1, 10'000, "of a one-flit packet, each direction"),
        field("queue_entries", "packets", &P::queue_entries, 1, 4096, "of each port's queue, on either side"),
        field("cores_per_port", "cores", &P::cores_per_port, 1, 1024,
              "neighbouring cores that share a port (HARP Table 3)"),
        section("packet", &P::packet, "sizes of packets"),
    };
  }
};

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
