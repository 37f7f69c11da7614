// SPDX-License-Identifier: Apache-2.0
#include "warpfold/memory/network/core_link.h"

#include <algorithm>
#include <string>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold {

CoreLink::CoreLink(sc_core::sc_module_name name, ClockDomain& clock, unsigned index, unsigned first, unsigned cores,
                   std::uint32_t places)
    : sc_module(name), first_(first), places_(places), arriving_(places), withheld_(cores, nullptr) {
  for (unsigned n = 0; n < cores; ++n) {
    core_sockets.emplace_back(("core_socket_" + std::to_string(first + n)).c_str(), *this, &CoreLink::from_core, n);
  }
  clock.add(*this, index);
}

tlm::tlm_sync_enum CoreLink::from_core(unsigned n, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  if (phase == tlm::END_RESP) {
    receiver_busy_ = false;
    free_from_ = clock().upcoming();
    wake();
    return tlm::TLM_COMPLETED;
  }
  check(phase == tlm::BEGIN_REQ && withheld_[n] == nullptr, "BEGIN_REQ, not before the last END_REQ");
  extension_of(payload).sent = answered_ + unanswered_.size();
  unanswered_.push_back(clock().island().now_ps());
  if (!apart_) before_request();
  if (room_ == 0) {
    withheld_[n] = &payload;
    ++withheld_count_;
    return tlm::TLM_ACCEPTED;
  }
  --room_;
  last_ = n;
  sent_.push_back({&payload, clock().island().now_ps()});
  if (!apart_) on_request();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

// Cores take turns.
tlm::tlm_generic_payload* CoreLink::let_in() {
  if (withheld_count_ == 0) return nullptr;
  auto n = last_;
  do {
    n = n + 1 == withheld_.size() ? 0 : n + 1;
  } while (withheld_[n] == nullptr);
  last_ = n;
  --withheld_count_;
  tlm::tlm_generic_payload* const payload = std::exchange(withheld_[n], nullptr);
  tlm::tlm_phase phase = tlm::END_REQ;
  send_backward(core_sockets[n], *payload, phase);
  return payload;
}

// Where the cores have not come to this edge yet, one may be about to leave.
bool CoreLink::has_place(Cycle now) {
  const bool leaves = !receiver_busy_ && !arriving_.empty() && arriving_.front().at <= now && free_from_ <= now &&
                      (delivered_.empty() || delivered_.back() < now);
  while (!delivered_.empty() && delivered_.front() < now) delivered_.pop_front();
  const bool left = !delivered_.empty() && delivered_.front() == now;
  return arriving_.size() + delivered_.size() - (leaves || left ? 1 : 0) < places_;
}

void CoreLink::arrive(tlm::tlm_generic_payload& payload, Cycle at) {
  arriving_.push({&payload, at});
  unanswered_[extension_of(payload).sent - answered_] = ClockIsland::kNoTime;
  for (; !unanswered_.empty() && unanswered_.front() == ClockIsland::kNoTime; ++answered_) unanswered_.pop_front();
  if (!receiver_busy_) wake(arriving_.front().at);
}

Cycle CoreLink::tick(Cycle now) {
  if (receiver_busy_ || arriving_.empty()) return kNever;
  if (arriving_.front().at > now) return arriving_.front().at;
  tlm::tlm_generic_payload& payload = *arriving_.front().payload;
  arriving_.pop();
  delivered_.push_back(now);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  receiver_busy_ =
      send_backward(core_sockets[extension_of(payload).core - first_], payload, phase) != tlm::TLM_COMPLETED;
  return receiver_busy_ || arriving_.empty() ? kNever : std::max(arriving_.front().at, now + 1);
}

}  // namespace warpfold
