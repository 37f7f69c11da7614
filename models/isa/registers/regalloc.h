// SPDX-License-Identifier: Apache-2.0
// Linear-scan allocation of virtual registers onto the words that a thread really holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

struct RegisterShape {
  std::uint8_t words = 1;        // 32-bit words of the value: 2 for 64-bit registers
  bool predicate = false;        // predicates are a class of their own
  bool low_only = false;         // a register holds the low word only: nothing asks for the other (demanded_bits.h)
  bool temporary = false;        // of spill code
  Register value = kNoRegister;  // of a temporary that is low_only: the register that was spilled

  unsigned held() const { return low_only ? 1 : words; }  // 32-bit registers of the machine
};

struct RegisterMap {
  std::vector<std::uint32_t> word;  // by virtual register: its (first) word in its class; 0 if nothing touches it
  unsigned words = 0;               // 32-bit words per thread: what occupancy counts
  unsigned predicates = 0;
};

// Each register takes held() words. Two registers share a word only if no instruction lies between a write and a last
// read of both: live ranges are sets of instruction intervals, with holes, in the kernel's layout order. Registers are
// per thread, so what other threads of a warp execute meanwhile does not matter.
RegisterMap allocate_registers(const Cfg& cfg, std::span<const FlowOp> ops, std::span<const RegisterShape> registers);

}  // namespace warpfold::isa
