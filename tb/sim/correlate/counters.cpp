// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/correlate/counters.h"

#include <algorithm>
#include <iterator>

namespace warpfold::sim {
namespace {

constexpr double kSectorBytes = 32;
constexpr const char* kByLines = "the model counts a cache's accesses by line, not by sector";

constexpr Counter kCounters[] = {
    {"cycles", "cycle", "cycles", 1, ""},
    {"instructions", "inst", "warp_instructions", 1, ""},
    {"dram_read_sectors", "sector", "dram_read_bytes", kSectorBytes, ""},
    {"dram_write_sectors", "sector", "dram_write_bytes", kSectorBytes, ""},
    {"l1_read_hits", "sector", "", 1, kByLines},
    {"l1_read_misses", "sector", "", 1, kByLines},
    {"l1_write_hits", "sector", "", 1, kByLines},
    {"l1_write_misses", "sector", "", 1, kByLines},
    {"l2_read_hits", "sector", "", 1, kByLines},
    {"l2_read_misses", "sector", "", 1, kByLines},
    {"l2_write_hits", "sector", "", 1, kByLines},
    {"l2_write_misses", "sector", "", 1, kByLines},
};

}  // namespace

const Counter* find_counter(const std::string& name) {
  const auto* const found = std::find_if(std::begin(kCounters), std::end(kCounters),
                                         [&](const Counter& counter) { return name == counter.name; });
  return found == std::end(kCounters) ? nullptr : found;
}

}  // namespace warpfold::sim
