// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/operands/spill_unit.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/isa/address_space.h"

namespace warpfold {

using Way = divergence::Spill::Way;

SpillUnit::SpillUnit(sc_core::sc_module_name name, const Place& place, PortClient client, ClockDomain& core_clock,
                     unsigned index)
    : sc_module(name), place_(place), client_(client), owners_(place.owners), ready_(place.owners) {
  core_clock.add(*this, index);
}

// Where the port is free, the first line leaves at once.
tlm::tlm_sync_enum SpillUnit::accept(unsigned /*port*/, SpillRequest& request, tlm::tlm_phase& /*phase*/) {
  const unsigned id = request.part.owner;
  check(id < owners_.size() && request.part.bytes != 0, "something of an owner that there is goes to memory or back");
  Owner& owner = owners_[id];
  owner.parts.push_back(request.part);
  if (owner.parts.size() == 1) {
    ++busy_owners_;
    ready_.insert(id);
    send();
  }
  const bool done = owner.parts.empty();
  if (done) std::erase(done_, id);  // it learns by this answer
  request.owners = busy_owners_;
  return done ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum SpillUnit::answered(unsigned /*port*/, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase) {
  wake();
  if (phase == tlm::END_REQ) {
    offered_ = false;
    return tlm::TLM_ACCEPTED;
  }
  check(phase == tlm::BEGIN_RESP, "END_REQ or BEGIN_RESP from the port");
  answers_.push_back(&payload);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

Cycle SpillUnit::tick(Cycle now) {
  taken_.swap(answers_);
  if (!taken_.empty()) last_answered_ = now;
  for (tlm::tlm_generic_payload* payload : taken_) take_in(*payload);
  taken_.clear();
  send();
  // Those who are told may ask for more.
  told_.swap(done_);
  for (const unsigned owner : told_) {
    SpillRequest done;
    done.part.owner = owner;
    done.owners = busy_owners_;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    send_backward(request_socket, done, phase);
  }
  told_.clear();
  return kNever;
}

void SpillUnit::take_in(tlm::tlm_generic_payload& payload) {
  --unanswered_;
  if (payload.is_read()) {
    const unsigned id = extension_of(payload).token;
    Owner& owner = owners_[id];
    if (--owner.to_come == 0 && owner.sent == owner.parts.front().bytes) part_done(id);
  }
  payload.release();
}

void SpillUnit::send() {
  while (!offered_) {
    unsigned owner = ready_.next(turn_);
    if (owner == divergence::kNoWarp) owner = ready_.next(0);
    if (owner == divergence::kNoWarp) return;
    turn_ = owner + 1;
    send_line(owner);
  }
}

Address SpillUnit::address_of(unsigned owner, std::uint64_t line) const {
  return isa::kSpillBacking + ((line * place_.owners + owner) * place_.cores + client_.core) * place_.line_bytes;
}

void SpillUnit::send_line(unsigned id) {
  Owner& owner = owners_[id];
  const divergence::Spill& part = owner.parts.front();
  const std::uint64_t from = part.offset + owner.sent;
  const auto in_line = static_cast<unsigned>(from % place_.line_bytes);
  const unsigned bytes = std::min(place_.line_bytes - in_line, part.bytes - owner.sent);
  const bool out = part.way == Way::kOut;
  const ByteMask mask =
      bytes <= kMaskedLineBytes ? byte_range(in_line, bytes) : ByteMask{};  // longer ones ask for none
  tlm::tlm_generic_payload& payload = client_.acquire(out ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                                      address_of(id, from / place_.line_bytes), bytes, id, mask, false);
  ++unanswered_;
  owner.sent += bytes;
  if (!out) ++owner.to_come;
  if (owner.sent == part.bytes) {
    ready_.erase(id);
    if (out) part_done(id);
  }
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  offered_ = send_forward(memory_socket, payload, phase) == tlm::TLM_ACCEPTED;
}

void SpillUnit::part_done(unsigned id) {
  Owner& owner = owners_[id];
  owner.parts.erase(owner.parts.begin());
  owner.sent = 0;
  if (!owner.parts.empty()) {
    ready_.insert(id);
  } else {
    --busy_owners_;
    done_.push_back(id);
  }
}

}  // namespace warpfold
