// SPDX-License-Identifier: Apache-2.0
// The lane-wise instructions: from an opcode as written to its function, unit and operand shapes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/isa/kernel.h"

namespace warpfold::isa {

struct OpInfo {
  Compute compute = nullptr;
  Unit unit = Unit::kAlu;
  std::uint8_t d_count = 1, s_count = 0;
  // Type of each operand: 'b','u','s','f' with bits, or predicate ('p', 1): how an immediate converts and how many words it takes.
  struct Operand {
    char kind = 'b';
    std::uint8_t bits = 32;
  };
  std::array<Operand, 2> d;
  std::array<Operand, 4> s;
};

// `name` and `modifiers` as in ptx::Instruction, e.g. "add", {"s32"} or "cvt", {"rzi", "s32", "f64"}. nullopt: not supported.
// Covers every lane-wise instruction: arithmetic, logic, shifts, mov (register, immediate), selp, setp (one destination, also with a
// combining predicate and two destinations), cvt, cvta (windows of address_space.h), and the approximate functions.
std::optional<OpInfo> find_op(std::string_view name, std::span<const std::string> modifiers);

}  // namespace warpfold::isa
