// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/network/core_port.h"

#include <string>

namespace warpfold {

CorePort::CorePort(sc_core::sc_module_name name, const PacketParams& packets, ClockDomain& core_clock, unsigned index,
                   StatGroup& stats, unsigned clients)
    : sc_module(name),
      network_socket("network_socket", *this, &CorePort::from_network),
      packets_(packets),
      offered_(clients, nullptr),
      sent_bytes_(
          stats.counter("core_to_memory_bytes", "bytes", "requests sent to the interconnect, headers included")),
      received_bytes_(
          stats.counter("memory_to_core_bytes", "bytes", "responses got from the interconnect, headers included")),
      sent_packets_(stats.counter("core_to_memory_packets", "packets", "requests sent to the interconnect")),
      received_packets_(stats.counter("memory_to_core_packets", "packets", "responses got from the interconnect")),
      stall_cycles_(stats.counter("port_stall_cycles", "cycles", "a request waited for the interconnect to take it")) {
  for (unsigned client = 0; client < clients; ++client) {
    const std::string socket = "client_socket_" + std::to_string(client);
    client_sockets.emplace_back(socket.c_str(), *this, &CorePort::from_client, client);
  }
  core_clock.add(*this, index);
}

tlm::tlm_sync_enum CorePort::from_client(unsigned client, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  if (phase == tlm::END_RESP) return send_forward(network_socket, payload, phase);
  check(phase == tlm::BEGIN_REQ && offered_[client] == nullptr, "BEGIN_REQ, not before the last one's END_REQ");
  offered_[client] = &payload;
  ++waiting_;
  if (!network_busy_) wake();
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum CorePort::from_network(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {
    check(network_busy_, "END_REQ for a request that waits for it");
    network_busy_ = false;
    stall_cycles_ += clock().current() - busy_since_;
    if (waiting_ != 0) wake();
    return tlm::TLM_ACCEPTED;
  }
  check(phase == tlm::BEGIN_RESP, "END_REQ or BEGIN_RESP from the interconnect");
  ++received_packets_;
  received_bytes_ += response_bytes(payload, packets_);
  if (watch_ != nullptr) [[unlikely]]
    watch_->answered(payload, clock().current());
  return send_backward(client_sockets[extension_of(payload).client], payload, phase);
}

Cycle CorePort::tick(Cycle now) {
  if (network_busy_ || waiting_ == 0) return kNever;
  unsigned client = next_client_;
  while (offered_[client] == nullptr) client = client + 1 == offered_.size() ? 0 : client + 1;
  next_client_ = client + 1 == offered_.size() ? 0 : client + 1;
  busy_since_ = now;
  forward(client);
  return waiting_ != 0 && !network_busy_ ? now + 1 : kNever;
}

void CorePort::forward(unsigned client) {
  tlm::tlm_generic_payload& payload = *offered_[client];
  offered_[client] = nullptr;
  --waiting_;
  ++sent_packets_;
  sent_bytes_ += request_bytes(payload, packets_);
  if (watch_ != nullptr) [[unlikely]]
    watch_->sent(payload, clock().current());
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  network_busy_ = send_forward(network_socket, payload, phase) == tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  send_backward(client_sockets[client], payload, phase);
}

}  // namespace warpfold
