// SPDX-License-Identifier: Apache-2.0
// Whom CAPRI and TSTBC keep together. Their papers allow two readings, and each is a mechanism of its own.
#pragma once

#include <memory>

#include "warpfold/divergence/parts/branch_meeting.h"
#include "warpfold/divergence/parts/warp/stack_hardware.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"
#include "warpfold/divergence/registry.h"

namespace warpfold {

namespace divergence {

// kBlock: a block's warps run one side of a branch at a time, all of them, since a block has one stack (TSTBC §3.3) and
// all warps have come when the other side's turn is (Algorithm 1's else). kWarp: one that passes a branch by goes on
// alone (§3.2, HARP §5). The first is what the text of TSTBC says of its hardware, so it is the default.
enum class MeetingOf : std::uint8_t { kBlock, kWarp };

}  // namespace divergence

template <>
struct Choices<divergence::MeetingOf> {
  static constexpr std::array names{"block", "warp"};
};

namespace divergence {

template <class Params>
constexpr auto meeting_field(MeetingOf Params::*member) {
  return choice("meeting", member,
                "block: its warps meet at the end of each side of a branch; warp: those that pass a branch by do not");
}

// A mechanism but for its policy: SelectiveCompaction or CompactionScopes.
std::unique_ptr<Mechanism> meets(MeetingOf meeting, BranchOrder order, unsigned stack_entries, const Geometry& geometry,
                                 Core& core, std::unique_ptr<MeetingPolicy> policy);

}  // namespace divergence
}  // namespace warpfold
