// SPDX-License-Identifier: Apache-2.0
// Who is told what the warps of a core do, cycle by cycle, beside what is in its trace records (common/trace.h).
#pragma once

#include <array>
#include <cstdint>

#include "warpfold/core/instruction.h"
#include "warpfold/memory/network/packet_watch.h"

namespace warpfold {

// What a warp waits for in a cycle in which it does not issue, as far as the issue stage knows it: memory, an access of
// its own beyond the core; execution, any other instruction of its own that is in flight, shared memory included; unit,
// it could issue, but the unit is busy, or the load/store unit full; fetch, its instruction; barrier, other threads, at
// a barrier or a collective; mechanism, what its mechanism does or wants done first; turn, another warp issues.
enum class Wait : std::uint8_t { kMemory, kExecution, kUnit, kFetch, kBarrier, kMechanism, kTurn };
inline constexpr std::array kWaitNames{"memory", "execution", "unit", "fetch", "barrier", "mechanism", "turn"};

// Cycles of a core's schedulers, by what they are charged to: all `issue_w…`, `stall`, `w0_fetch`, `w0_mem`, `w0_idle`.
inline constexpr std::array kIssueSlotNames{"issued", "stall", "fetch", "memory", "idle"};
using IssueSlots = std::array<std::uint64_t, kIssueSlotNames.size()>;

class CoreWatch : public PacketWatch {
 public:
  // The instruction takes its warp's place at the issue port for so many cycles from now on.
  virtual void issued(const Instruction& instruction, Cycle now, Cycle cycles) = 0;
  // What the warp waits for from now on, or from the end of its issue, until something else is said of it. May be said
  // again and again.
  virtual void waits(divergence::WarpId warp, isa::Pc pc, Wait why, Cycle now) = 0;
  // An access beyond the core is done, as far as its warp is concerned.
  virtual void completed(const Instruction& instruction, Cycle now) = 0;
};

}  // namespace warpfold
