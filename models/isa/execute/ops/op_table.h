// SPDX-License-Identifier: Apache-2.0
// The lane-wise instructions: from an opcode as written to its function, unit and operand shapes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

// `compute` works in groups of eight lanes: every lane array it is given must be readable and writable up to `lanes`
// rounded up to a multiple of eight. Computing on the padding is harmless.
struct OpInfo {
  Compute compute = nullptr;
  RowCompute row_compute = nullptr;  // the same, with one result
  Unit unit = Unit::kAlu;
  std::uint8_t d_count = 1, s_count = 0;
  // Type of each operand: 'b','u','s','f' with bits, 'h' (one half or two, as their bits), or predicate ('p', 1): how
  // an immediate converts and how many words it takes.
  struct Operand {
    char kind = 'b';
    std::uint8_t bits = 32;
  };
  std::array<Operand, 2> d;
  std::array<Operand, 4> s;
  std::uint8_t custom = 0;  // MicroOp::custom
};

// `name` and `modifiers` as in ptx::Instruction, e.g. "add", {"s32"} or "cvt", {"rzi", "s32", "f64"}. nullopt: not
// supported. Covers every lane-wise instruction: arithmetic, logic, shifts, mov (register, immediate), selp, setp (one
// destination, also with a combining predicate and two destinations), cvt, cvta (windows of address_space.h), the
// approximate functions, and what plug-ins bring (custom_instructions.h).
// - setp has d_count 2; the second destination (the `q` of p|q) may be left out: d_count 1, d[1] = kNoWord.
// - A negated combining predicate, `setp.lt.and.s32 p, a, b, !c` (also `set`), is the opcode with a further modifier
// "negated".
// - An immediate operand is a constant like any other, lop3's table and prmt's selector included.
// - The vector forms of mov have names of their own: `mov.b64 d, {a, b}` is "pack" {"b64", "b32"} (two sources) and
//   `mov.b64 {d, p}, a` is "unpack" {"b64", "b32"} (two results, d_count 2, either may be kNoWord). Likewise "pack"
//   {"b32", "b16"} (2), "pack" {"b64", "b16"} (4) and "unpack" {"b32", "b16"} (2). ("unpack" {"b64", "b16"} would need
//   four results: not supported.)
// - mul.wide/mad.wide and cvt name their operand widths in the OpInfo; a predicate operand has kind 'p'.
std::optional<OpInfo> find_op(std::string_view name, std::span<const std::string> modifiers);

// Every opcode that find_op knows, sorted, as "name.modifier.modifier".
std::vector<std::string> op_names();

}  // namespace warpfold::isa
