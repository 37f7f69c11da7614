// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/network/interconnect.h"

#include <algorithm>
#include <string>

namespace warpfold {
namespace {

unsigned ports(unsigned cores, std::uint32_t cores_per_port) { return (cores + cores_per_port - 1) / cores_per_port; }

}  // namespace

struct Interconnect::SliceEnds {
  Interconnect& network;

  void deliver(unsigned slice, Cycle now) {
    SliceEnd& end = network.slice_ends_[slice];
    if (end.arriving.empty() || end.receiver_busy || end.arriving.front().at > now) return;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    tlm::tlm_generic_payload& payload = *end.arriving.front().payload;
    end.receiver_busy = send_forward(network.slice_sockets[slice], payload, phase) == tlm::TLM_ACCEPTED;
    end.arriving.pop();
  }
  Cycle next(unsigned slice, Cycle now) const {
    const SliceEnd& end = network.slice_ends_[slice];
    return end.arriving.empty() || end.receiver_busy ? kNever : std::max(end.arriving.front().at, now + 1);
  }
  bool has_place(unsigned slice, Cycle /*now*/) const { return !network.slice_ends_[slice].arriving.full(); }
  static Cycle has_place_from(Cycle /*now*/) { return kNever; }
  void arrive(unsigned slice, tlm::tlm_generic_payload& payload, Cycle at) {
    network.slice_ends_[slice].arriving.push({&payload, at});
  }
};

// Links deliver by themselves.
struct Interconnect::CoreEnds {
  Interconnect& network;

  static void deliver(unsigned /*port*/, Cycle /*now*/) {}
  static Cycle next(unsigned /*port*/, Cycle /*now*/) { return kNever; }
  bool has_place(unsigned port, Cycle now) const { return network.links_[port].has_place(now); }
  static Cycle has_place_from(Cycle now) { return now + 1; }
  void arrive(unsigned port, tlm::tlm_generic_payload& payload, Cycle at) { network.links_[port].arrive(payload, at); }
};

Interconnect::Interconnect(sc_core::sc_module_name name, const InterconnectParams& params, const AddressMap& map,
                           unsigned cores, unsigned slices, ClockDomain& clock, unsigned index, StatGroup& stats,
                           const std::vector<ClockDomain*>& link_clocks)
    : sc_module(name),
      params_(params),
      map_(map),
      requests_({ports(cores, params.cores_per_port), slices, params.latency_cycles, params.queue_entries}),
      responses_({slices, ports(cores, params.cores_per_port), params.latency_cycles, params.queue_entries}),
      slice_ends_(slices, SliceEnd(params.queue_entries + params.latency_cycles)),
      sends_(ports(cores, params.cores_per_port), false),
      withheld_responses_(slices, nullptr),
      request_packets_(stats.counter("noc_request_packets", "packets", "packets towards the L2 slices")),
      response_packets_(stats.counter("noc_response_packets", "packets", "packets towards the cores")),
      request_flits_(stats.counter("noc_request_flits", "flits", "port cycles of packets towards the L2 slices")),
      response_flits_(stats.counter("noc_response_flits", "flits", "port cycles of packets towards the cores")) {
  for (unsigned port = 0; port < sends_.size(); ++port) {
    const unsigned first = port * params.cores_per_port;
    const bool apart = !link_clocks.empty();
    CoreLink& link = links_.emplace_back(("link" + std::to_string(port)).c_str(), apart ? *link_clocks[port] : clock,
                                         index, first, std::min(params.cores_per_port, cores - first),
                                         params.queue_entries + params.latency_cycles);
    link.before_request = [this, port] { prepare_link(port); };
    link.on_request = [this, port] { notice_requests(port); };
  }
  for (unsigned slice = 0; slice < slices; ++slice) {
    const std::string socket = "slice_socket_" + std::to_string(slice);
    slice_sockets.emplace_back(socket.c_str(), *this, &Interconnect::from_slice, slice);
  }
  clock.add(*this, index);
}

void Interconnect::prepare_link(unsigned port) {
  links_[port].set_room(requests_.room(port) - links_[port].sent().size());
}

void Interconnect::notice_requests(unsigned port) {
  const auto& sent = links_[port].sent();
  if (sent.empty() || sends_[port]) return;
  sends_[port] = true;
  sending_.push_back(port);
  wake(clock().edge_from(sent.front().at_ps + 1));
}

// What was sent before this edge; returns when there is more.
Cycle Interconnect::take_in(Cycle now) {
  const std::uint64_t now_ps = clock().edge_ps(now);
  Cycle next = kNever;
  std::erase_if(sending_, [&](unsigned port) {
    auto& sent = links_[port].sent();
    while (!sent.empty() && sent.front().at_ps < now_ps) {
      enqueue_request(port, *sent.front().payload);
      sent.pop_front();
    }
    if (!sent.empty()) next = std::min(next, clock().edge_from(sent.front().at_ps + 1));
    sends_[port] = !sent.empty();
    return sent.empty();
  });
  return next;
}

tlm::tlm_sync_enum Interconnect::from_slice(unsigned slice, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  wake();
  if (phase == tlm::END_REQ) {
    slice_ends_[slice].receiver_busy = false;
    requests_.look_at(slice);
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

void Interconnect::enqueue_request(unsigned port, tlm::tlm_generic_payload& payload) {
  const std::uint32_t width = params_.request_bytes_per_cycle;
  const std::uint32_t flits = (request_bytes(payload, params_.packet) + width - 1) / width;
  ++request_packets_;
  request_flits_ += flits;
  requests_.push(port, payload, map_.slice(payload.get_address()), flits);
}

void Interconnect::enqueue_response(unsigned slice, tlm::tlm_generic_payload& payload) {
  const std::uint32_t width = params_.response_bytes_per_cycle;
  // Without a header, the reply to a store still takes the port for a cycle.
  const std::uint32_t flits = std::max(1u, (response_bytes(payload, params_.packet) + width - 1) / width);
  ++response_packets_;
  response_flits_ += flits;
  responses_.push(slice, payload, extension_of(payload).core / params_.cores_per_port, flits);
}

void Interconnect::request_place_freed(unsigned port) {
  if (tlm::tlm_generic_payload* const payload = links_[port].let_in()) enqueue_request(port, *payload);
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
  const Cycle more = take_in(now);
  SliceEnds slices{*this};
  CoreEnds cores{*this};
  const Cycle request = requests_.tick(now, slices, [this](unsigned port) { request_place_freed(port); });
  const Cycle response = responses_.tick(now, cores, [this](unsigned slice) { response_place_freed(slice); });
  return std::min({request, response, more});
}

}  // namespace warpfold
