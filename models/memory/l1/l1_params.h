// SPDX-License-Identifier: Apache-2.0
// What a machine file says of a first-level cache.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/memory/l2/index_hash.h"

namespace warpfold {

// What becomes of a store. write_through: sent on, and the line, if there, has it too. write_evict: sent on, and the
// line is given up. local_write_back: local memory's stay in the line, which is written when it leaves; all others
// evict.
enum class WritePolicy : std::uint8_t { kWriteThrough, kWriteEvict, kLocalWriteBack };
template <>
struct Choices<WritePolicy> {
  static constexpr std::array names{"write_through", "write_evict", "local_write_back"};
};

// What a store does that finds no line. no_allocate: is sent on, nothing more. lazy_fetch: the line is taken without
// being fetched; bytes that were written are known, and what else of a sector is missing is fetched when it is loaded.
enum class L1WriteMiss : std::uint8_t { kNoAllocate, kLazyFetch };
template <>
struct Choices<L1WriteMiss> {
  static constexpr std::array names{"no_allocate", "lazy_fetch"};
};

// When a load that misses takes its way of the set: when its line comes, or at once. perfect: no load misses, as in the
// studies that ask what memory costs (the perfect L3 of Intra-warp Fig. 12); stores and atomics go their way.
enum class WayTaken : std::uint8_t { kOnFill, kOnMiss, kPerfect };
template <>
struct Choices<WayTaken> {
  static constexpr std::array names{"on_fill", "on_miss", "perfect"};
};

struct L1Params {
  // TBC Table 2: 32 KB, 64 B lines, 8 ways. The rest are decisions, the paper prints no values: MSHRs, merges and miss
  // queue as GPGPU-Sim 3.x configures Fermi's L1D (32:8, 8); the hit latency leaves a load at about the 38 cycles that
  // Wong et al. (ISPASS 2010) measured for GT200's on-chip storage, of which the core's pipeline takes the rest.
  std::uint64_t size_bytes = 32 * 1024;
  std::uint32_t line_bytes = 64;
  std::uint32_t ways = 8;
  std::uint32_t banks = 1;
  std::uint32_t mshr_entries = 32;
  std::uint32_t mshr_merges = 8;
  std::uint32_t miss_queue_entries = 8;
  std::uint32_t fill_queue_entries = 4;
  std::uint32_t hit_latency_cycles = 24;
  bool read_only = false;
  std::uint32_t sector_bytes = 0;
  IndexHash set_hash = IndexHash::kLinear;
  WritePolicy write_policy = WritePolicy::kWriteThrough;
  L1WriteMiss write_miss = L1WriteMiss::kNoAllocate;
  WayTaken allocation = WayTaken::kOnFill;

  // The ways that are left of it where shared memory lies in it too, and the blocks on a core have so much of that: it
  // takes 8 KiB, a power of two of them, or the most it can (CUDA C++ Programming Guide, compute capability 7.x).
  std::uint32_t ways_beside(std::uint64_t shared_bytes, std::uint64_t most_shared_bytes) const {
    if (shared_bytes == 0) return ways;
    std::uint64_t taken = 8 * 1024;
    while (taken < shared_bytes) taken *= 2;
    taken = taken < most_shared_bytes ? taken : most_shared_bytes;
    const std::uint64_t way_bytes = size_bytes / ways;
    return static_cast<std::uint32_t>((size_bytes - taken) / way_bytes);
  }

  // Whether accesses must say which bytes they are for.
  bool byte_masks() const {
    return sector_bytes != 0 || write_miss == L1WriteMiss::kLazyFetch || write_policy == WritePolicy::kLocalWriteBack;
  }

  static constexpr auto fields() {
    using P = L1Params;
    return std::tuple{
        field("size_bytes", "bytes", &P::size_bytes, 64, 1u << 26, "capacity"),
        power_of_two("line_bytes", "bytes", &P::line_bytes, 16, 1024, "line size; at most the L2's"),
        field("ways", "ways", &P::ways, 1, 4096, "associativity, LRU replacement"),
        power_of_two("banks", "banks", &P::banks, 1, 64, "an access each per cycle; line number modulo banks"),
        field("mshr_entries", "entries", &P::mshr_entries, 1, 4096, "lines that can be on their way at once"),
        field("mshr_merges", "entries", &P::mshr_merges, 1, 4096,
              "loads that can wait for one line, the first included"),
        field("miss_queue_entries", "entries", &P::miss_queue_entries, 1, 4096, "requests waiting for the core's port"),
        field("fill_queue_entries", "entries", &P::fill_queue_entries, 1, 4096, "responses waiting to be taken in"),
        field("hit_latency_cycles", "cycles", &P::hit_latency_cycles, 1, 10'000, "from access to data, on a hit"),
        flag("read_only", &P::read_only, "stores and atomics never come here (texture and constant caches)"),
        field("sector_bytes", "bytes", &P::sector_bytes, 0, 1024,
              "of a line that are there or not, and fetched, together; 0: a whole line"),
        choice("set_hash", &P::set_hash, "a line's set: linear: modulo sets; others mix higher bits in"),
        choice("write_policy", &P::write_policy,
               "of a store that hits; write_through: the line has it too; write_evict: the line goes; "
               "local_write_back: a local store stays in it, any other evicts it"),
        choice("write_miss", &P::write_miss,
               "of a store: no_allocate: only sent on; lazy_fetch: takes a line, of which loads fetch what was not "
               "written"),
        choice("allocation", &P::allocation,
               "when a load's line takes its way: on_fill: as it comes; on_miss: at once; perfect: every load hits "
               "(Intra-warp Fig. 12)"),
    };
  }
};

}  // namespace warpfold
