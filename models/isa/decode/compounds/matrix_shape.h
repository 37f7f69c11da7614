// SPDX-License-Identifier: Apache-2.0
// What wmma and mma name, and where this model keeps a wmma fragment, whose layout PTX leaves open: as mma would.
//
// All multiplications are of steps of 16 × 8 (doubles 8 × 8). The operand whose lines are the steps' rows is A; of
// m8n32k16 it is B, and C and D are transposed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/isa/execute/matrix_step.h"

namespace warpfold::isa {

std::optional<MatrixType> matrix_type(std::string_view name);
const char* matrix_type_name(MatrixType type);
unsigned matrix_type_bytes(MatrixType type);

struct MatrixShape {
  std::string name;  // "m16n16k16"
  unsigned m = 0, n = 0, k = 0;
};
std::optional<MatrixShape> matrix_shape(std::string_view name);

// A multiplication as steps.
struct MatrixSteps {
  bool transposed = false;  // B gives the rows
  bool two_rows = true;
  unsigned rows = 1, columns = 1, inner = 1;  // steps in each dimension

  unsigned row_registers() const { return rows * inner * (two_rows ? 2 : 1); }
  unsigned column_registers() const { return columns * inner; }
  unsigned sums() const { return rows * columns; }
};

// Of wmma, for elements of this type; nothing where PTX has no such shape.
std::optional<MatrixSteps> wmma_steps(const MatrixShape& shape, MatrixType type);
// Of mma.
std::optional<MatrixSteps> mma_steps(const MatrixShape& shape, MatrixType type);
// "m16n8k8": the shape of one step.
std::string step_name(MatrixType type, bool two_rows);

constexpr bool is_integer(MatrixType type) { return type == MatrixType::kS8 || type == MatrixType::kU8; }

}  // namespace warpfold::isa
