// SPDX-License-Identifier: Apache-2.0
// What a machine file says of a slice of the second-level cache.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/memory/l2/index_hash.h"

namespace warpfold {

// What a store does whose line is not there. fetch_on_write: takes the line and fetches what it does not cover.
// lazy_fetch: takes the line and fetches nothing; bytes that were written are known, and what else of a sector is
// missing is fetched when it is loaded (write-validate of Jouppi, ISCA 1993).
enum class L2WriteMiss : std::uint8_t { kFetchOnWrite, kLazyFetch };
template <>
struct Choices<L2WriteMiss> {
  static constexpr std::array names{"fetch_on_write", "lazy_fetch"};
};

struct L2PortParams {
  std::uint32_t bytes_per_cycle = 0;

  static constexpr auto fields() {
    return std::tuple{field("bytes_per_cycle", "bytes", &L2PortParams::bytes_per_cycle, 0, 4096,
                            "that a slice reads or writes; 0: a request a cycle, whatever it moves")};
  }
};

struct L2Params {
  // TBC Table 2: 1 MB per memory channel, 64 B lines, 64 ways. The rest are decisions: MSHRs that cover the latency of
  // DRAM at its peak rate, a hit latency that puts an L2 hit near the 300 core cycles seen on Fermi, one atomic per
  // line every 2 cycles.
  std::uint64_t size_bytes = 1024 * 1024;
  std::uint32_t line_bytes = 64;
  std::uint32_t ways = 64;
  std::uint32_t mshr_entries = 64;
  std::uint32_t mshr_merges = 16;
  std::uint32_t hit_latency_cycles = 84;
  std::uint32_t request_queue_entries = 8;
  std::uint32_t response_queue_entries = 8;
  std::uint32_t dram_queue_entries = 8;
  std::uint32_t atomic_cycles = 2;
  std::uint32_t sector_bytes = 0;
  IndexHash set_hash = IndexHash::kLinear;
  L2WriteMiss write_miss = L2WriteMiss::kFetchOnWrite;
  std::uint32_t dirty_ways = 0;
  bool filled_by_copies = false;
  L2PortParams port{};

  // Whether requests must say which bytes they are for.
  bool byte_masks() const { return sector_bytes != 0 || write_miss == L2WriteMiss::kLazyFetch; }

  static constexpr auto fields() {
    using P = L2Params;
    return std::tuple{
        field("size_bytes", "bytes", &P::size_bytes, 64, 1u << 30, "capacity of one slice"),
        power_of_two("line_bytes", "bytes", &P::line_bytes, 16, 1024, "line size"),
        field("ways", "ways", &P::ways, 1, 4096, "associativity, LRU replacement"),
        field("mshr_entries", "entries", &P::mshr_entries, 1, 4096, "lines that can be on their way at once"),
        field("mshr_merges", "entries", &P::mshr_merges, 1, 4096,
              "requests that can wait for one line, the first included"),
        field("hit_latency_cycles", "cycles", &P::hit_latency_cycles, 1, 10'000,
              "from request to tags and data; on a miss too"),
        field("request_queue_entries", "entries", &P::request_queue_entries, 1, 4096, "requests behind a stalled one"),
        field("response_queue_entries", "entries", &P::response_queue_entries, 1, 4096,
              "responses waiting for the interconnect"),
        field("dram_queue_entries", "entries", &P::dram_queue_entries, 2, 4096,
              "requests waiting for the DRAM channel"),
        field("atomic_cycles", "cycles", &P::atomic_cycles, 1, 10'000, "for which an atomic holds the slice"),
        field("sector_bytes", "bytes", &P::sector_bytes, 0, 1024,
              "of a line that are there or not, fetched and written back together; 0: a whole line"),
        choice("set_hash", &P::set_hash, "a line's set: linear: modulo sets; others mix higher bits in"),
        choice("write_miss", &P::write_miss,
               "of a store: fetch_on_write: fetches what it does not cover; lazy_fetch: loads fetch what was not "
               "written"),
        field(
            "dirty_ways", "ways", &P::dirty_ways, 0, 4096,
            "of a set that may be modified: a write to one more writes the least recently used of them to memory, and "
            "its line stays; 0: all"),
        flag("filled_by_copies", &P::filled_by_copies, "copies from the host leave their lines here"),
        optional_section("port", &P::port, "between a slice's data and the interconnect"),
    };
  }
};

}  // namespace warpfold
