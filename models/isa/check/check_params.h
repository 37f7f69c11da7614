// SPDX-License-Identifier: Apache-2.0
// What is looked for while kernels run (docs/checking.md).
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"

namespace warpfold::isa {

// What becomes of a load from where nothing is: a fault, or zeros, which are counted.
enum class StrayReads : std::uint8_t { kFault, kZero };

struct CheckParams {
  bool memory = false, initialized = false, races = false, independent_threads = false;
  unsigned races_memory = 4096;
  StrayReads stray_reads = StrayReads::kFault;

  bool any() const { return memory || initialized || races || stray_reads != StrayReads::kFault; }

  static constexpr auto fields();
};

}  // namespace warpfold::isa

namespace warpfold {

template <>
struct Choices<isa::StrayReads> {
  static constexpr std::array names{"fault", "zero"};
};

}  // namespace warpfold

namespace warpfold::isa {

constexpr auto CheckParams::fields() {
  using P = CheckParams;
  return std::tuple{
      flag("memory", &P::memory, "tell of accesses out of bounds, to freed memory and misaligned, and go on without"),
      flag("initialized", &P::initialized, "tell of reads of what nobody has written"),
      flag("races", &P::races, "tell of races in shared and global memory"),
      flag("independent_threads", &P::independent_threads,
           "races also between threads of an architectural warp; otherwise they are in step"),
      field("races_memory", "MiB", &P::races_memory, 1, 1u << 20,
            "that races take at most to remember who was where; what a launch touches beyond is not looked at"),
      choice("stray_reads", &P::stray_reads, "what a load from where nothing is does: fault, or return zero")};
}

}  // namespace warpfold::isa
