// SPDX-License-Identifier: Apache-2.0
// What the cycles of schedulers go to in which they issue nothing: each is charged to one cause, so that those of two
// runs can be subtracted and nothing is left over.
//
// The cause is what, were it not there, would let the scheduler issue in this very cycle. Where there are several, it
// is the first in this order: what the hardware is short of, what the mechanism takes for itself, what warps wait for,
// what is missing altogether. Memory comes before barriers and barriers before other dependencies, as in GSI (Alsop et
// al., ISPASS 2016): a barrier waits for the one warp that is still at its load.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "warpfold/common/results/stats.h"

namespace warpfold {

enum class SlotCause : std::uint8_t {
  kLoadStore,
  kCollector,
  kSimd,
  kSfu,
  kFp64,
  kInteger,
  kFetch,
  kDraining,
  kSpill,
  kCompactor,
  kMechanism,
  kMemory,
  kBarrier,
  kReconvergence,
  kDependency,
  kInactive,
  kImbalance,
  kNoBlock,
};
inline constexpr std::size_t kSlotCauses = 18;

// Name of the counter, and its meaning behind "no issue: ".
inline constexpr std::array<std::pair<const char*, const char*>, kSlotCauses> kSlotCauseNames{{
    {"slot_load_store", "the load/store unit takes nothing, and holds the pipeline up or all that is ready"},
    {"slot_collector", "no operand collector is free"},
    {"slot_simd", "what is ready waits for SIMD lanes, or the FPU pipe"},
    {"slot_sfu", "what is ready waits for the special function unit, or the EM pipe"},
    {"slot_fp64", "what is ready waits for the FP64 unit"},
    {"slot_integer", "what is ready waits for the integer unit"},
    {"slot_fetch", "a warp waits for its instruction"},
    {"slot_draining", "a warp could go on, but its mechanism may move threads there, and something of it is in flight"},
    {"slot_spill", "parts of the mechanism's structures are on their way to memory or back"},
    {"slot_compactor", "threads are in the compactor or in its queue"},
    {"slot_mechanism", "a warp could issue, and its mechanism wants it to wait, for so many cycles or for its turn"},
    {"slot_memory", "a warp waits for memory"},
    {"slot_barrier", "a warp waits at a barrier or for a collective, none for memory"},
    {"slot_reconvergence", "threads wait for others of their block where their paths meet, no warp for memory"},
    {"slot_dependency", "each warp has an instruction in flight, none of them for memory"},
    {"slot_inactive", "there are only threads whose path has not had its turn"},
    {"slot_imbalance", "the scheduler has no warp, others of its core have some"},
    {"slot_no_block", "the core has no block: before its first one, or there is none left for it"},
}};

inline void declare_slot_causes(StatGroup& stats, std::array<Counter*, kSlotCauses>& causes) {
  for (std::size_t i = 0; i < kSlotCauses; ++i) {
    const auto& [name, meaning] = kSlotCauseNames[i];
    causes[i] = &stats.counter(name, "cycles", std::string("no issue: ") + meaning);
  }
}

}  // namespace warpfold
