// SPDX-License-Identifier: Apache-2.0
// A kernel while it is being decoded: micro-ops whose operands are still virtual registers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/isa/analysis/flow.h"
#include "warpfold/isa/kernel.h"
#include "warpfold/isa/registers/regalloc.h"

namespace warpfold::isa {

// One operand before registers are allocated.
struct Ref {
  enum class Kind : std::uint8_t { kNone, kRegister, kFixed, kSpecial };
  Kind kind = Kind::kNone;
  std::uint32_t index = 0;  // virtual register, word in DraftKernel::constants, or index into DraftKernel::specials
};

struct Draft {
  MicroOp op;  // all but the words
  std::array<Ref, 4> d;
  std::array<Ref, kMostSources> s;
  Ref guard, base;
  bool varying = false;          // FlowOp::varying
  bool keeps_low_words = false;  // demanded_bits.h
};

struct DraftKernel {
  std::vector<Draft> ops;
  std::vector<RegisterShape> registers;
  std::vector<std::uint32_t> constants;
  std::vector<Special> specials;
  std::vector<std::string> opcodes;

  // What the analyses need to know of the instructions as they stand.
  std::vector<FlowOp> flow() const;

  Ref constant(std::uint64_t bits, bool wide);
  Ref special(Special which);
  std::uint32_t opcode(const std::string& text);

 private:
  std::map<std::pair<std::uint64_t, bool>, std::uint32_t> constant_index_;
  std::map<std::string, std::uint32_t> opcode_index_;
};

}  // namespace warpfold::isa
