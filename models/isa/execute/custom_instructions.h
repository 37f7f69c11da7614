// SPDX-License-Identifier: Apache-2.0
// Instructions that plug-ins bring (docs/plug-ins.md): an opcode for inline PTX, a function for its values, and the
// unit that executes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "warpfold/isa/execute/custom_unit.h"
#include "warpfold/isa/execute/ops/lane_function.h"

namespace warpfold::isa {

// Put one at namespace scope. `opcode`: as PTX writes it, "popacc.u32", with a name of its own before the first dot;
// `function`: a captureless lambda of one to four operands that returns one result or Both (lane_function.h), for each
// lane by itself.
class RegisterInstruction {
 public:
  template <class F>
  RegisterInstruction(const char* opcode, CustomUnit unit, F function) {
    add(opcode, std::move(unit), make_op(Unit::kCustom, function));
  }

 private:
  static void add(std::string opcode, CustomUnit unit, OpInfo info);
};

// By opcode; nullopt: no plug-in has brought it.
std::optional<OpInfo> find_custom_op(const std::string& opcode);

const OpInfo& custom_op(unsigned place);  // in custom_units()

// Why the last one could not be registered, in words; empty: all could.
const std::string& refused_instruction();

// Hears what lanes compute, an instruction of a warp at a time: the unit's RTL, which is held against the function.
class CustomWatch {
 public:
  struct Lane {
    std::array<std::uint64_t, 4> sources{};
    std::array<std::uint64_t, 2> results{};
  };
  virtual ~CustomWatch() = default;
  virtual void executed(unsigned place, std::span<const Lane> lanes) = 0;
};
// Null: nobody does. One host thread at a time computes while somebody does.
CustomWatch*& custom_watch();
// Computes what `arrays` hold of these lanes, and tells.
void compute_watched(const MicroOp& op, const LaneArrays& arrays, unsigned lanes, LaneMask active);

}  // namespace warpfold::isa
