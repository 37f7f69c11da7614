// SPDX-License-Identifier: Apache-2.0
// Host instructions and cache misses by part of the simulator, from what valgrind's callgrind wrote (its manual,
// "Callgrind Format Specification").
#pragma once

#include <array>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::bench {

// What the host's time is spent on.
enum Part : unsigned {
  kClock,
  kSystemC,
  kIssue,
  kLoadStore,
  kRegisters,
  kLaneStatistics,
  kLanes,
  kBranch,
  kTlm,
  kMemory,
  kResults,
  kOther,
  kParts
};

inline constexpr std::array<const char*, kParts> kPartNames{
    "clock scan and calls",
    "SystemC kernel",
    "issue, scoreboard, scheduler",
    "coalescer, load/store unit",
    "register file, SIMD, write-back",
    "lane and packing statistics",
    "lanes: memory values, operands, arithmetic",
    "branch unit, mechanism",
    "TLM and payloads",
    "L1, network, L2, DRAM",
    "results of a launch",
    "other",
};

using PartCosts = std::array<double, kParts>;  // events of each part

// A line belongs to the part of its source file, inlined or not. What no part owns (the C++ and C libraries, counters,
// checks) belongs to the function that it was inlined into or, standing alone, to its callers in proportion to what it
// cost under each; where nobody called it, to kOther. `events`, of which a cost is the sum, are callgrind's names: Ir,
// instructions; D1mr and D1mw, loads and stores that miss in the simulated L1 data cache. The costs sum to the file's
// own total. `name` is for the one-line errors of a file that is none of callgrind's, or does not have the events.
PartCosts part_costs(std::istream& callgrind, const std::string& name, const std::vector<std::string_view>& events);

double sum(const PartCosts& costs);

}  // namespace warpfold::bench
