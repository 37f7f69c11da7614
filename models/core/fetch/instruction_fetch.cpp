// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/fetch/instruction_fetch.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold {

using divergence::kNoWarp;
using divergence::WarpId;

InstructionFetch::InstructionFetch(sc_core::sc_module_name name, const CoreParams& params, unsigned line_bytes,
                                   ClockDomain& core_clock, unsigned index, StatGroup& stats)
    : sc_module(name),
      params_(params.fetch),
      line_bytes_(line_bytes),
      buffers_(params.slots()),
      waiting_(params.slots()),
      turned_away_(params.slots()),
      on_their_way_(params.slots()),
      arriving_(params.slots()),
      fetches_(stats.counter("instruction_fetches", "accesses", "to the instruction cache, taken or turned away")) {
  core_clock.add(*this, index);
}

tlm::tlm_sync_enum InstructionFetch::accept(unsigned /*port*/, FetchRequest& fetch, tlm::tlm_phase& /*phase*/) {
  Buffer& buffer = buffers_[fetch.warp];
  waiting_.erase(fetch.warp);
  turned_away_.erase(fetch.warp);
  buffer.wanted = isa::kNoPc;
  if (fetch.kind != FetchRequest::Kind::kNext) buffer.count = 0;
  if (fetch.kind == FetchRequest::Kind::kDrop) return tlm::TLM_COMPLETED;
  if (fetch.pc - buffer.first < buffer.count) {  // pc >= first: else the difference is huge
    buffer.count -= fetch.pc + 1 - buffer.first;
    buffer.first = fetch.pc + 1;
    return tlm::TLM_COMPLETED;
  }
  buffer.count = 0;
  buffer.wanted = fetch.pc;
  if (!on_their_way_.contains(fetch.warp) && !arriving_.contains(fetch.warp)) waiting_.insert(fetch.warp);
  wake();
  return tlm::TLM_ACCEPTED;
}

Cycle InstructionFetch::tick(Cycle now) {
  for (unsigned n = 0; n < params_.fetches_per_cycle && !waiting_.empty(); ++n) {
    WarpId id = waiting_.next(turn_);
    if (id == kNoWarp) id = waiting_.next(0);
    turn_ = id + 1;
    access(id);
  }
  const Cycle next = take_in(now);
  return waiting_.empty() ? next : now + 1;
}

void InstructionFetch::access(WarpId id) {
  Buffer& buffer = buffers_[id];
  const Address at = code_ + Address{buffer.wanted} * params_.instruction_bytes;
  const Address line = at & ~Address{line_bytes_ - 1};
  const Address left = (line + line_bytes_ - at) / params_.instruction_bytes;
  buffer.coming = buffer.wanted;
  buffer.coming_count = static_cast<unsigned>(std::min<Address>(params_.buffer_entries, left));
  CacheAccess access{CacheAccess::Kind::kLoad, line, line_bytes_, id, CacheAccess::Answer::kHit, 0};
  access.mask.set();  // the whole line
  request(cache_socket, access);
  ++fetches_;
  waiting_.erase(id);
  switch (access.answer) {
    case CacheAccess::Answer::kHit:
      buffer.arrives_at = access.done_at;
      arriving_.insert(id);
      break;
    case CacheAccess::Answer::kPending:
      on_their_way_.insert(id);
      break;
    case CacheAccess::Answer::kBlockedMshr:
    case CacheAccess::Answer::kBlockedQueue:
      turned_away_.insert(id);
      break;
  }
}

tlm::tlm_sync_enum InstructionFetch::cache_answered(unsigned /*port*/, CacheAccess& access, tlm::tlm_phase& phase) {
  if (phase == tlm::END_REQ) {  // the cache has room again
    waiting_ |= turned_away_;
    turned_away_ -= waiting_;
  } else {
    check(on_their_way_.contains(access.token), "a response comes to a warp that waits for one");
    on_their_way_.erase(access.token);
    arriving_.insert(access.token);
    buffers_[access.token].arrives_at = access.done_at;
  }
  wake();
  return tlm::TLM_COMPLETED;
}

// What can be used from the next cycle on; returns when there is more to take in.
Cycle InstructionFetch::take_in(Cycle now) {
  Cycle next = kNever;
  for (WarpId id = arriving_.next(0); id != kNoWarp; id = arriving_.next(id + 1)) {
    const Cycle at = buffers_[id].arrives_at;
    if (at <= now + 1) {
      arrive(id);
    } else {
      next = std::min(next, at - 1);
    }
  }
  return next;
}

void InstructionFetch::arrive(WarpId id) {
  arriving_.erase(id);
  Buffer& buffer = buffers_[id];
  if (buffer.wanted == isa::kNoPc) return;  // the warp is gone
  if (buffer.wanted != buffer.coming) {     // another is in its place, or it is elsewhere
    waiting_.insert(id);
    return;
  }
  buffer.first = buffer.coming + 1;
  buffer.count = buffer.coming_count - 1;
  buffer.wanted = isa::kNoPc;
  FetchRequest there{FetchRequest::Kind::kNext, id, buffer.coming};
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  send_backward(issue_socket, there, phase);
}

}  // namespace warpfold
