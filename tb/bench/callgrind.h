// SPDX-License-Identifier: Apache-2.0
// Host instructions by part of the simulator, from what valgrind's callgrind wrote (its manual, "Callgrind Format
// Specification").
#pragma once

#include <array>
#include <iosfwd>
#include <string>

namespace warpfold::bench {

// What host instructions are spent on.
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

using PartCosts = std::array<double, kParts>;  // host instructions of each part

// A line belongs to the part of its source file, inlined or not. What no part owns (the C++ and C libraries, counters,
// checks) belongs to the function that it was inlined into or, standing alone, to its callers in proportion to what it
// cost under each; where nobody called it, to kOther. The costs sum to the file's own total. `name` is for the
// one-line errors of a file that is none of callgrind's.
PartCosts host_instructions(std::istream& callgrind, const std::string& name);

double sum(const PartCosts& costs);

}  // namespace warpfold::bench
