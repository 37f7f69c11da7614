// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/counters.h"

#include <algorithm>
#include <iterator>

namespace warpfold::sim {
namespace {

constexpr double kSectorBytes = 32;

constexpr Counter kCounters[] = {
    {"cycles", "cycle", "cycles", 1},
    {"core_busy_cycles", "cycle", "core_busy_cycles", 1},
    {"instructions", "inst", "warp_instructions", 1},
    {"dram_read_sectors", "sector", "dram_read_bytes", kSectorBytes},
    {"dram_write_sectors", "sector", "dram_write_bytes", kSectorBytes},
    {"l1_read_hits", "sector", "l1d_read_sectors_hit", 1},
    {"l1_read_misses", "sector", "l1d_read_sectors_missed", 1},
    {"l1_write_hits", "sector", "l1d_write_sectors_hit", 1},
    {"l1_write_misses", "sector", "l1d_write_sectors_missed", 1},
    {"l2_read_hits", "sector", "l2_read_sectors_hit", 1},
    {"l2_read_misses", "sector", "l2_read_sectors_missed", 1},
    {"l2_write_hits", "sector", "l2_write_sectors_hit", 1},
    {"l2_write_misses", "sector", "l2_write_sectors_missed", 1},
};

}  // namespace

const Counter* find_counter(const std::string& name) {
  const auto* const found = std::find_if(std::begin(kCounters), std::end(kCounters),
                                         [&](const Counter& counter) { return name == counter.name; });
  return found == std::end(kCounters) ? nullptr : found;
}

}  // namespace warpfold::sim
