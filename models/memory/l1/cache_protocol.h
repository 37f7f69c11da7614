// SPDX-License-Identifier: Apache-2.0
// The socket between a load/store unit and a cache of its core: one line-sized access per call, typed payload.
#pragma once

#include <cstdint>
#include <tlm>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/memory/cache_use.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/memory/l1/byte_mask.h"

namespace warpfold {

struct CacheAccess {
  enum class Kind : std::uint8_t { kLoad, kStore, kAtomic };
  Kind kind = Kind::kLoad;
  Address line = 0;         // aligned to the cache's line_bytes
  std::uint32_t bytes = 0;  // that the access moves: what a store sends on, what a load's hit delivers
  std::uint32_t token = 0;  // the initiator's, handed back with the response

  enum class Answer : std::uint8_t {
    kHit,           // done at `done_at` (core cycles); no response follows. Stores: the line keeps them
    kPending,       // a response follows: nb_transport_bw with BEGIN_RESP and this token. Stores: when acknowledged
    kBlockedMshr,   // not taken: no free MSHR, or its merge list is full
    kBlockedQueue,  // not taken: the queue towards the interconnect is full
  };
  Answer answer = Answer::kHit;
  Cycle done_at = 0;

  bool local = false;  // of local memory, which the core's threads have for themselves
  ByteMask mask{};     // which of the line's bytes; where a cache of the machine tells them apart
  CacheUse use{};
};

// fw: phase BEGIN_REQ, `answer` filled in on return (TLM_COMPLETED for kHit and kBlocked*, TLM_ACCEPTED for kPending).
// The cache keeps no reference to the payload. bw: phase BEGIN_RESP with a payload holding kind, line, bytes and token;
// `done_at` is the core cycle from which the data may be used. It returns TLM_COMPLETED.
// bw with phase END_REQ and no meaning but "what blocked an access is gone: try again". Both are only noted by the
// initiator, which makes no access from within the call.
struct CacheProtocol {
  using tlm_payload_type = CacheAccess;
  using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace warpfold
