// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/interconnect.h"

#include <algorithm>
#include <string>

namespace warpfold {
namespace {

unsigned ports(unsigned cores, std::uint32_t cores_per_port) { return (cores + cores_per_port - 1) / cores_per_port; }

}  // namespace

Interconnect::Interconnect(sc_core::sc_module_name name, const InterconnectParams& params, const AddressMap& map,
                           unsigned cores, unsigned slices, ClockDomain& clock, unsigned index, StatGroup& stats)
    : sc_module(name),
      params_(params),
      map_(map),
      cores_(cores),
      requests_({ports(cores, params.cores_per_port), slices, params.latency_cycles, params.queue_entries}),
      responses_({slices, ports(cores, params.cores_per_port), params.latency_cycles, params.queue_entries}),
      withheld_requests_(cores, nullptr),
      withheld_responses_(slices, nullptr),
      request_packets_(stats.counter("noc_request_packets", "packets", "packets towards the L2 slices")),
      response_packets_(stats.counter("noc_response_packets", "packets", "packets towards the cores")),
      request_flits_(stats.counter("noc_request_flits", "flits", "port cycles of packets towards the L2 slices")),
      response_flits_(stats.counter("noc_response_flits", "flits", "port cycles of packets towards the cores")) {
  for (unsigned core = 0; core < cores; core += params.cores_per_port) last_.push_back(core);
  for (unsigned core = 0; core < cores; ++core) {
    const std::string socket = "core_socket_" + std::to_string(core);
    core_sockets.emplace_back(socket.c_str(), *this, &Interconnect::from_core, core);
  }
  for (unsigned slice = 0; slice < slices; ++slice) {
    const std::string socket = "slice_socket_" + std::to_string(slice);
    slice_sockets.emplace_back(socket.c_str(), *this, &Interconnect::from_slice, slice);
  }
  clock.add(*this, index);
}

tlm::tlm_sync_enum Interconnect::from_core(unsigned core, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  wake();
  if (phase == tlm::END_RESP) {
    responses_.taken(port_of(core));
    return tlm::TLM_COMPLETED;
  }
  check(phase == tlm::BEGIN_REQ && withheld_requests_[core] == nullptr, "BEGIN_REQ, not before the last END_REQ");
  if (requests_.full(port_of(core))) {
    withheld_requests_[core] = &payload;
    return tlm::TLM_ACCEPTED;
  }
  enqueue_request(core, payload);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum Interconnect::from_slice(unsigned slice, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  wake();
  if (phase == tlm::END_REQ) {
    requests_.taken(slice);
    return tlm::TLM_ACCEPTED;
  }
  check(phase == tlm::BEGIN_RESP && withheld_responses_[slice] == nullptr, "BEGIN_RESP, not before the last END_RESP");
  if (responses_.full(slice)) {
    withheld_responses_[slice] = &payload;
    return tlm::TLM_ACCEPTED;
  }
  enqueue_response(slice, payload);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void Interconnect::enqueue_request(unsigned core, tlm::tlm_generic_payload& payload) {
  const std::uint32_t width = params_.request_bytes_per_cycle;
  const std::uint32_t flits = (request_bytes(payload, params_.packet) + width - 1) / width;
  ++request_packets_;
  request_flits_ += flits;
  last_[port_of(core)] = core;
  requests_.push(port_of(core), payload, map_.slice(payload.get_address()), flits);
}

void Interconnect::enqueue_response(unsigned slice, tlm::tlm_generic_payload& payload) {
  const std::uint32_t width = params_.response_bytes_per_cycle;
  // Without a header, the reply to a store still takes the port for a cycle.
  const std::uint32_t flits = std::max(1u, (response_bytes(payload, params_.packet) + width - 1) / width);
  ++response_packets_;
  response_flits_ += flits;
  responses_.push(slice, payload, port_of(extension_of(payload).core), flits);
}

void Interconnect::request_place_freed(unsigned port) {
  const unsigned first = port * params_.cores_per_port;
  const unsigned sharing = std::min(params_.cores_per_port, cores_ - first);
  for (unsigned i = 0; i < sharing; ++i) {
    const unsigned core = first + (last_[port] - first + 1 + i) % sharing;
    tlm::tlm_generic_payload* payload = withheld_requests_[core];
    if (payload == nullptr) continue;
    withheld_requests_[core] = nullptr;
    enqueue_request(core, *payload);
    tlm::tlm_phase phase = tlm::END_REQ;
    send_backward(core_sockets[core], *payload, phase);
    return;
  }
}

void Interconnect::response_place_freed(unsigned slice) {
  tlm::tlm_generic_payload* payload = withheld_responses_[slice];
  if (payload == nullptr) return;
  withheld_responses_[slice] = nullptr;
  enqueue_response(slice, *payload);
  tlm::tlm_phase phase = tlm::END_RESP;
  send_forward(slice_sockets[slice], *payload, phase);
}

Cycle Interconnect::tick(Cycle now) {
  const auto to_slice = [this](unsigned slice, tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    return send_forward(slice_sockets[slice], payload, phase) != tlm::TLM_ACCEPTED;
  };
  const auto to_core = [this](unsigned /*port*/, tlm::tlm_generic_payload& payload) {
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    return send_backward(core_sockets[extension_of(payload).core], payload, phase) == tlm::TLM_COMPLETED;
  };
  const Cycle request = requests_.tick(now, to_slice, [this](unsigned port) { request_place_freed(port); });
  const Cycle response = responses_.tick(now, to_core, [this](unsigned slice) { response_place_freed(slice); });
  return std::min(request, response);
}

}  // namespace warpfold
