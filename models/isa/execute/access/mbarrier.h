// SPDX-License-Identifier: Apache-2.0
// The 64 bits of an mbarrier (PTX ISA §9.7.13.15 leaves them open): how many arrivals the current phase still lacks,
// how many each phase takes, and which phase it is.
#pragma once

#include <cstdint>

namespace warpfold::isa::mbarrier {

inline constexpr unsigned kCountBits = 20;  // counts go to 2^20 − 1
inline constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;
inline constexpr unsigned kPhaseShift = 2 * kCountBits;
inline constexpr std::uint64_t kOnePhase = std::uint64_t{1} << kPhaseShift;
// Times an expected count: an mbarrier in its first phase.
inline constexpr std::uint64_t kInitial = std::uint64_t{1} << kCountBits | 1;

// After `count` arrivals; who drops out is not expected in later phases either.
constexpr std::uint64_t arrived(std::uint64_t state, std::uint64_t count, bool drops) {
  const std::uint64_t expected = ((state >> kCountBits & kCountMask) - (drops ? count : 0)) & kCountMask;
  const std::uint64_t lacking = ((state & kCountMask) - count) & kCountMask;
  const std::uint64_t phase = (state >> kPhaseShift) + (lacking == 0 ? 1 : 0);
  return phase << kPhaseShift | expected << kCountBits | (lacking == 0 ? expected : lacking);
}

}  // namespace warpfold::isa::mbarrier
