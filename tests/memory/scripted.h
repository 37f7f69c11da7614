// SPDX-License-Identifier: Apache-2.0
// Base-protocol partners for a memory module under test: an initiator that plays a list, a target that answers late.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/clock/port_socket.h"
#include "warpfold/memory/dram/payload_pool.h"

namespace warpfold::test {

// Sends its steps in order, one per cycle, as fast as END_REQ allows.
class ScriptedInitiator : public sc_core::sc_module, public Clocked {
 public:
  struct Step {
    bool write = false;
    Address address = 0;
    std::uint32_t bytes = 64;
    Cycle not_before = 0;
    bool atomic = false;
    ByteMask mask{};
    Eviction l2_eviction = Eviction::kNormal;
    std::uint8_t l2_bytes = 0;
  };
  struct Outcome {
    Cycle sent = kNever;
    std::uint64_t accepted_ps = 0;
    std::uint64_t answered_ps = 0;
    unsigned responses = 0;
  };

  ScriptedInitiator(sc_core::sc_module_name name, ClockDomain& clock, unsigned index, PayloadPool& pool,
                    unsigned core = 0, unsigned client = 0)
      : sc_module(name),
        socket("socket", *this, &ScriptedInitiator::backward),
        pool_(pool),
        core_(core),
        client_(client) {
    clock.add(*this, index);
  }

  InitiatorPort<ScriptedInitiator> socket;
  std::vector<Step> steps;
  std::vector<Outcome> outcomes;
  std::vector<std::uint32_t> answers;  // steps in the order of their responses
  Cycle response_hold = 0;             // cycles from BEGIN_RESP to END_RESP

  void start() {
    outcomes.assign(steps.size(), {});
    if (!steps.empty()) wake();
  }

  Cycle tick(Cycle now) override {
    if (held_ != nullptr && held_until_ <= now) {
      tlm::tlm_generic_payload& payload = *held_;
      held_ = nullptr;
      tlm::tlm_phase phase = tlm::END_RESP;
      send_forward(socket, payload, phase);
      payload.release();
    }
    Cycle next = held_ != nullptr ? held_until_ : kNever;
    if (busy_ || next_ == steps.size()) return next;
    if (steps[next_].not_before <= now) send(now);
    if (busy_ || next_ == steps.size()) return next;
    return std::min(next, std::max(now + 1, steps[next_].not_before));
  }

 private:
  static std::uint64_t time_ps() { return sc_core::sc_time_stamp().value(); }

  void send(Cycle now) {
    const Step& step = steps[next_];
    tlm::tlm_generic_payload& payload =
        pool_.acquire(step.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, step.address, step.bytes);
    MemoryExtension& extension = extension_of(payload);
    extension.core = core_;
    extension.client = client_;
    extension.token = static_cast<std::uint32_t>(next_);
    extension.atomic = step.atomic;
    extension.mask = step.mask;
    extension.l2_eviction = step.l2_eviction;
    extension.l2_bytes = step.l2_bytes;
    Outcome& outcome = outcomes[next_++];
    outcome.sent = now;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    busy_ = send_forward(socket, payload, phase) == tlm::TLM_ACCEPTED;
    if (!busy_) outcome.accepted_ps = time_ps();
  }

  tlm::tlm_sync_enum backward(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
    Outcome& outcome = outcomes.at(extension_of(payload).token);
    if (phase == tlm::END_REQ) {
      outcome.accepted_ps = time_ps();
      busy_ = false;
      wake();
      return tlm::TLM_ACCEPTED;
    }
    ++outcome.responses;
    outcome.answered_ps = time_ps();
    answers.push_back(extension_of(payload).token);
    if (response_hold == 0) {
      payload.release();
      phase = tlm::END_RESP;
      return tlm::TLM_COMPLETED;
    }
    held_ = &payload;
    held_until_ = clock().current() + response_hold;
    wake(held_until_);
    return tlm::TLM_ACCEPTED;
  }

  PayloadPool& pool_;
  unsigned core_;
  unsigned client_;
  std::size_t next_ = 0;
  bool busy_ = false;
  tlm::tlm_generic_payload* held_ = nullptr;
  Cycle held_until_ = 0;
};

// Answers every request `delay` cycles after it came, in order; withholds END_REQ while `capacity` of them are in it.
class ScriptedTarget : public sc_core::sc_module, public Clocked {
 public:
  struct Seen {
    bool write;
    Address address;
    std::uint32_t bytes;
    MemoryExtension extension;
    Cycle at;
  };

  ScriptedTarget(sc_core::sc_module_name name, ClockDomain& clock, unsigned index)
      : sc_module(name), socket("socket", *this, &ScriptedTarget::forward) {
    clock.add(*this, index);
  }

  TargetPort<ScriptedTarget> socket;
  std::vector<Seen> seen;
  Cycle delay = 10, more_for_the_next = 0;
  std::size_t capacity = 1000;

  Cycle tick(Cycle now) override {
    while (!answer_offered_ && !inside_.empty() && inside_.front().at <= now) {
      tlm::tlm_generic_payload& payload = *inside_.front().payload;
      inside_.pop_front();
      if (owed_ != nullptr) {
        tlm::tlm_generic_payload& accepted = *owed_;
        owed_ = nullptr;
        tlm::tlm_phase phase = tlm::END_REQ;
        send_backward(socket, accepted, phase);
      }
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      answer_offered_ = send_backward(socket, payload, phase) == tlm::TLM_ACCEPTED;
    }
    return answer_offered_ || inside_.empty() ? kNever : inside_.front().at;
  }

 private:
  struct Inside {
    tlm::tlm_generic_payload* payload;
    Cycle at;
  };

  tlm::tlm_sync_enum forward(unsigned, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
    const Cycle now = clock().current();
    if (phase == tlm::END_RESP) {
      answer_offered_ = false;
      wake();
      return tlm::TLM_COMPLETED;
    }
    seen.push_back({payload.is_write(), payload.get_address(), bytes_moved(payload), extension_of(payload), now});
    inside_.push_back({&payload, now + delay});
    wake(now + delay);
    delay += more_for_the_next;
    if (inside_.size() >= capacity) {
      owed_ = &payload;
      return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  std::deque<Inside> inside_;
  tlm::tlm_generic_payload* owed_ = nullptr;
  bool answer_offered_ = false;
};

}  // namespace warpfold::test
