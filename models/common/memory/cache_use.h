// SPDX-License-Identifier: Apache-2.0
// What an access asks of the caches beside its data (PTX ISA §9.7.9.1, cache operators, and §9.7.9.2, eviction
// priorities): hints, which move time and no value.
#pragma once

#include <cstdint>

namespace warpfold {

// Of a line that an access uses. first: it is the next to go; last: it goes when all others of its set are such;
// unchanged: its place stays what it was.
enum class Eviction : std::uint8_t { kNormal, kFirst, kLast, kUnchanged };

struct CacheUse {
  bool past_l1 = false;        // of memory that others see: nothing is looked up there, and nothing left
  bool takes_no_line = false;  // of the L1, where it misses
  bool last_use = false;       // of local memory: what the line has and the L2 has not need not be kept
  bool prefetch = false;       // nobody waits for it
  Eviction l1 = Eviction::kNormal, l2 = Eviction::kNormal;
  std::uint8_t l2_bytes = 0;  // that the L2 fetches around what it has not, at most a line; 0: what is asked for
};

}  // namespace warpfold
