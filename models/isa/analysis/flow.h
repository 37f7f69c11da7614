// SPDX-License-Identifier: Apache-2.0
// What the analyses need to know of an instruction: where control goes, and which virtual registers it touches.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

using Register = std::uint32_t;  // virtual register of a kernel: one PTX register, whatever its width
inline constexpr Register kNoRegister = ~Register{0};

enum class Flow : std::uint8_t {
  kNext,
  kBranch,  // to `target`; with a guard, else to the next instruction
  kExit,    // the thread ends; with a guard, else on to the next instruction
  kTrap,    // the kernel ends with an error: no thread reconverges after it
};

struct FlowOp {
  Flow flow = Flow::kNext;
  Pc target = kNoPc;
  Register guard = kNoRegister;  // also among `reads`; a guarded write keeps the old value where it does not execute
  std::vector<Register> reads, writes;
  bool varying = false;  // the result may differ from thread to thread even if all sources agree
};

}  // namespace warpfold::isa
