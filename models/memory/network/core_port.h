// SPDX-License-Identifier: Apache-2.0
// A core's one port to the interconnect, shared by its caches.
#pragma once

#include <deque>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/memory/dram/payload_pool.h"
#include "warpfold/memory/network/packet.h"
#include "warpfold/memory/network/packet_watch.h"

namespace warpfold {

// Forwards one request per core cycle, round robin over the clients that have one; a client's requests keep their
// order. Responses pass straight through to the client that the extension names, end-of-response back the same way.
// Order within a core's clock edge, by index: caches, then load/store unit, then this port; so a response taken in at
// an edge is seen by the unit at that edge, and a request of an edge leaves at that edge.
//
// Statistics: core_to_memory_bytes and memory_to_core_bytes (TBC Fig. 16; headers included), core_to_memory_packets,
// memory_to_core_packets, port_stall_cycles (a request was there and the interconnect would not take it).
class CorePort : public sc_core::sc_module, public Clocked {
 public:
  CorePort(sc_core::sc_module_name name, const PacketParams& packets, ClockDomain& core_clock, unsigned index,
           StatGroup& stats, unsigned clients);

  std::deque<TargetPort<CorePort>> client_sockets;  // one per cache; the cache's `client` is the index here
  InitiatorPort<CorePort> network_socket;           // to the interconnect's socket of this core

  Cycle tick(Cycle now) override;
  bool would_send() const { return waiting_ != 0 && !network_busy_; }
  void tell(PacketWatch* watch) { watch_ = watch; }  // null: nobody

 private:
  tlm::tlm_sync_enum from_client(unsigned client, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  tlm::tlm_sync_enum from_network(unsigned port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase);
  void forward(unsigned client);

  const PacketParams packets_;
  std::vector<tlm::tlm_generic_payload*> offered_;  // per client: a request whose END_REQ we owe
  unsigned waiting_ = 0;                            // how many of them
  unsigned next_client_ = 0;
  bool network_busy_ = false;  // BEGIN_REQ sent, END_REQ not seen
  Cycle busy_since_ = 0;
  PacketWatch* watch_ = nullptr;

  Counter& sent_bytes_;
  Counter& received_bytes_;
  Counter& sent_packets_;
  Counter& received_packets_;
  Counter& stall_cycles_;
};

}  // namespace warpfold
