// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/network/core_gateway.h"

#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {

CoreGateway::CoreGateway(sc_core::sc_module_name name, ClockDomain& clock, unsigned index, PayloadPool& pool)
    : sc_module(name),
      core_socket("core_socket", *this, &CoreGateway::from_core),
      network_socket("network_socket", *this),
      pool_(pool) {
  clock.add(*this, index);
}

tlm::tlm_sync_enum CoreGateway::from_core(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  if (phase == tlm::END_RESP) {
    core_busy_ = false;
    if (!answers_.empty()) wake();
    return tlm::TLM_COMPLETED;
  }
  check(phase == tlm::BEGIN_REQ && requesting_ == nullptr, "BEGIN_REQ, not before the last one's END_REQ");
  requesting_ = &payload;
  if (!network_socket.send(outside(payload))) return tlm::TLM_ACCEPTED;
  requesting_ = nullptr;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_generic_payload& CoreGateway::outside(tlm::tlm_generic_payload& asked) {
  const MemoryExtension& inside = extension_of(asked);
  std::size_t first = 0, end = asked.get_data_length();
  if (inside.mask.any()) {  // what is longer than masks are asks for all of it
    first = inside.mask._Find_first();
    for (end = inside.mask.size(); !inside.mask[end - 1];) --end;
  }
  tlm::tlm_generic_payload& payload =
      pool_.acquire(asked.get_command(), asked.get_address() + first, static_cast<std::uint32_t>(end - first));
  MemoryExtension& extension = extension_of(payload);
  extension.core = inside.core;
  extension.client = inside.client;
  extension.atomic = inside.atomic;
  extension.l2_eviction = inside.l2_eviction;
  extension.l2_bytes = inside.l2_bytes;
  extension.asked_by = &asked;
  give_data(payload, values_);
  if (inside.mask.any() && inside.mask.count() != end - first) {
    enable_bytes(payload, [&](std::size_t byte) { return inside.mask[first + byte]; });
  }
  return payload;
}

void CoreGateway::request_taken() {
  tlm::tlm_phase phase = tlm::END_REQ;
  send_backward(core_socket, *std::exchange(requesting_, nullptr), phase);
}

void CoreGateway::answered(tlm::tlm_generic_payload& payload) {
  tlm::tlm_generic_payload& asked = *extension_of(payload).asked_by;
  asked.set_response_status(payload.get_response_status());
  answers_.push_back(&asked);
  wake();
}

Cycle CoreGateway::tick(Cycle now) {
  if (network_socket.has_late()) network_socket.deliver(now);
  if (core_busy_ || answers_.empty()) return kNever;
  tlm::tlm_generic_payload& asked = *answers_.front();
  answers_.pop_front();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  core_busy_ = send_backward(core_socket, asked, phase) != tlm::TLM_COMPLETED;
  return core_busy_ || answers_.empty() ? kNever : now + 1;
}

}  // namespace warpfold
