// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/dram/memory_port.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold {

MemoryPort::MemoryPort(const char* name, MemoryClient& client) : tlm::tlm_initiator_socket<>(name), client_(client) {
  tlm::tlm_bw_transport_if<>& backward = *this;
  bind(backward);
}

bool MemoryPort::send(tlm::tlm_generic_payload& payload) {
  requesting_ = &payload;
  extension_of(payload).unanswered = true;
  extension_of(payload).write = payload.is_write();
  ++unanswered_;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  told_ = &payload;
  const tlm::tlm_sync_enum status = (*this)->nb_transport_fw(payload, phase, delay);
  told_ = nullptr;
  if (status == tlm::TLM_ACCEPTED) return ready();
  return updated(payload, status, phase, delay);
}

// What nb_transport_fw said of a request, apart from TLM_ACCEPTED.
bool MemoryPort::updated(tlm::tlm_generic_payload& payload, tlm::tlm_sync_enum status, const tlm::tlm_phase& phase,
                         const sc_core::sc_time& delay) {
  if (status == tlm::TLM_COMPLETED) {
    postpone(payload, tlm::BEGIN_RESP, delay, false);
  } else if (requesting_ == &payload && phase == tlm::END_REQ && delay == sc_core::SC_ZERO_TIME) {
    requesting_ = nullptr;
  } else if (phase <= tlm::END_RESP) {
    postpone(payload, phase, delay, phase == tlm::BEGIN_RESP);
  }
  return ready();
}

tlm::tlm_sync_enum MemoryPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  const bool answer = phase == tlm::BEGIN_RESP;
  if (phase > tlm::END_RESP) return tlm::TLM_ACCEPTED;
  const bool at_once = clock().in_edge() && delay == sc_core::SC_ZERO_TIME;
  if (at_once && phase == tlm::END_REQ && told_ == &payload && requesting_ == &payload) {
    requesting_ = nullptr;  // send() tells
  } else if (!at_once || told_ != nullptr) {
    postpone(payload, phase, delay, false);
  } else {
    hear(payload, phase);
    if (answer) give_back(payload);
  }
  if (!answer) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_UPDATED;
}

void MemoryPort::postpone(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                          bool wants_end) {
  const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
  const Cycle edge = std::max(clock().edge_from(at), clock().upcoming());
  const auto after = [](const sc_core::sc_time& time, const Late& late) { return time < late.at; };
  late_.insert(std::upper_bound(late_.begin(), late_.end(), at, after), {at, edge, &payload, phase, wants_end});
  client_.wake(edge);
}

void MemoryPort::deliver(Cycle now) {
  while (!late_.empty() && late_.front().edge <= now) {
    const Late next = late_.front();
    late_.pop_front();
    hear(*next.payload, next.phase);
    if (next.phase == tlm::END_REQ) continue;
    if (next.wants_end) send_end(*next.payload);
    give_back(*next.payload);
  }
  if (!late_.empty()) client_.wake(late_.front().edge);
}

void MemoryPort::hear(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase == tlm::BEGIN_RESP) return response(payload);
  if (phase != tlm::END_REQ) out_of_order(payload, phase, "which is no phase of a memory's");
  end_request(payload);
}

void MemoryPort::end_request(tlm::tlm_generic_payload& payload) {
  if (requesting_ != &payload) out_of_order(payload, tlm::END_REQ, "which does not wait for it");
  requesting_ = nullptr;
  client_.request_taken();
}

void MemoryPort::response(tlm::tlm_generic_payload& payload) {
  auto* const extension = payload.get_extension<MemoryExtension>();
  if (extension == nullptr || !extension->unanswered)
    out_of_order(payload, tlm::BEGIN_RESP, "which does not wait for it");
  extension->unanswered = false;
  check_status(payload);
  if (payload.get_ref_count() == 0) out_of_order(payload, tlm::BEGIN_RESP, "which it has released, but not acquired");
  if (requesting_ == &payload) end_request(payload);
  client_.answered(payload);
  --unanswered_;  // not of one whose error ends the launch
}

void MemoryPort::send_end(tlm::tlm_generic_payload& payload) {
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay;
  told_ = &payload;
  (*this)->nb_transport_fw(payload, phase, delay);
  told_ = nullptr;
}

void MemoryPort::give_back(tlm::tlm_generic_payload& payload) {
  if (payload.get_ref_count() > 1) extension_of(payload).kept_since = sc_core::sc_time_stamp();
  payload.release();
}

void MemoryPort::out_of_order(const tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                              const char* why) const {
  user_error("{}: the memory sent {} for the request at {:#x} ({}), {}", name(), phase.get_name(),
             payload.get_address(), payload.get_response_string(), why);
}

void MemoryPort::check_status(const tlm::tlm_generic_payload& payload) const {
  const bool write = extension_of(payload).write;
  if (write ? !payload.is_write() : !payload.is_read()) {
    user_error("{}: the memory made something else of the {} of {} bytes at {:#x} ({}); leave its command as it is",
               name(), write ? "write" : "read", payload.get_data_length(), payload.get_address(),
               payload.get_response_string());
  }
  if (payload.is_response_ok()) return;
  user_error(
      "{}: the memory answered a {} of {} bytes at {:#x} with {}; is it large enough, and at the device's addresses?",
      name(), payload.is_write() ? "write" : "read", payload.get_data_length(), payload.get_address(),
      payload.get_response_string());
}

}  // namespace warpfold
