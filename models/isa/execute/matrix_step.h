// SPDX-License-Identifier: Apache-2.0
// One step of a matrix multiplication D = A B + C among the 32 threads of an architectural warp: PTX's mma of 16 or 8
// rows, 8 columns and as many products as four registers of A hold; larger shapes are several steps.
//
// Lane 4 g + t brings of A the rows g and g + 8, of B column g, of either the elements t e to t e + e − 1 of the inner
// dimension, where a register holds e; of C and D columns 2 t and 2 t + 1 of the same rows (PTX ISA §9.7.14,
// fragments).
#pragma once

#include <array>
#include <cstdint>

#include "warpfold/isa/kernel.h"

namespace warpfold::isa {

enum class MatrixType : std::uint8_t { kF16, kBf16, kTf32, kF64, kS8, kU8, kF32, kS32 };

struct MatrixStep {
  MatrixType a = MatrixType::kF16, b = MatrixType::kF16;  // elements of A and B
  MatrixType c = MatrixType::kF32, d = MatrixType::kF32;
  bool two_rows = true;    // 16 rows, or 8
  bool saturates = false;  // integers: sums are limited to the range of s32
  // As MicroOp::offset holds it.
  std::int64_t pack() const;
  static MatrixStep unpack(std::int64_t bits);
};

// Elements of A or B in a register.
unsigned elements_of(MatrixType type);
// Registers of C or D in a lane: halves lie in pairs.
constexpr unsigned sums_of(MatrixType type, bool two_rows) {
  return (type == MatrixType::kF16 ? 1U : 2U) * (two_rows ? 2U : 1U);
}

// Registers by operand and lane, as bits; halves and bytes as they lie in a word.
struct MatrixTile {
  using Register = std::array<std::uint64_t, kArchitecturalWarp>;
  std::array<Register, 2> a{};
  Register b{};
  std::array<Register, 4> c{}, d{};
};

// Products are exact. Integers: sums modulo 2^32. Doubles: fused, in the order of the inner dimension, each rounded.
// Others: added to C in double, in that order, and rounded to D's type once.
void multiply(const MatrixStep& step, MatrixTile& tile);

}  // namespace warpfold::isa
