// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/decode/compounds/matrix_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace warpfold::isa {
namespace {

struct TypeRow {
  std::string_view name;
  MatrixType type;
  unsigned bytes;
};
constexpr std::array<TypeRow, 8> kTypes{{{"f16", MatrixType::kF16, 2},
                                         {"bf16", MatrixType::kBf16, 2},
                                         {"tf32", MatrixType::kTf32, 4},
                                         {"f64", MatrixType::kF64, 8},
                                         {"s8", MatrixType::kS8, 1},
                                         {"u8", MatrixType::kU8, 1},
                                         {"f32", MatrixType::kF32, 4},
                                         {"s32", MatrixType::kS32, 4}}};

unsigned step_depth(MatrixType type) { return 4 * elements_of(type); }

const TypeRow& row_of(MatrixType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& row) { return row.type == type; });
}

}  // namespace

std::optional<MatrixType> matrix_type(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeRow& row) { return row.name == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

const char* matrix_type_name(MatrixType type) { return row_of(type).name.data(); }
unsigned matrix_type_bytes(MatrixType type) { return row_of(type).bytes; }

std::optional<MatrixShape> matrix_shape(std::string_view name) {
  MatrixShape shape{std::string(name)};
  const char* at = name.data();
  const char* const end = at + name.size();
  for (const auto& [letter, size] : {std::pair{'m', &shape.m}, std::pair{'n', &shape.n}, std::pair{'k', &shape.k}}) {
    if (at == end || *at != letter) return std::nullopt;
    const auto read = std::from_chars(at + 1, end, *size);
    if (read.ec != std::errc() || *size == 0) return std::nullopt;
    at = read.ptr;
  }
  return at == end ? std::optional(shape) : std::nullopt;
}

std::optional<MatrixSteps> wmma_steps(const MatrixShape& shape, MatrixType type) {
  const std::string_view name = shape.name;
  if (type == MatrixType::kF64) {
    return name == "m8n8k4" ? std::optional(MatrixSteps{.two_rows = false}) : std::nullopt;
  }
  const unsigned inner = shape.k / step_depth(type);
  if (type == MatrixType::kTf32) {
    return name == "m16n16k8" ? std::optional(MatrixSteps{.columns = 2, .inner = inner}) : std::nullopt;
  }
  if (name == "m16n16k16") return MatrixSteps{.columns = 2, .inner = inner};
  if (name == "m32n8k16") return MatrixSteps{.rows = 2, .inner = inner};
  if (name == "m8n32k16") return MatrixSteps{.transposed = true, .rows = 2, .inner = inner};
  return std::nullopt;
}

std::optional<MatrixSteps> mma_steps(const MatrixShape& shape, MatrixType type) {
  const unsigned depth = step_depth(type);
  if (type == MatrixType::kF64) {
    return shape.name == "m8n8k4" ? std::optional(MatrixSteps{.two_rows = false}) : std::nullopt;
  }
  if (is_integer(type) && shape.name == "m8n8k16") return MatrixSteps{.two_rows = false};
  if (shape.m != 16 || shape.n != 8 || (shape.k != depth && shape.k != 2 * depth)) return std::nullopt;
  return MatrixSteps{.inner = shape.k / depth};
}

std::string step_name(MatrixType type, bool two_rows) {
  return (two_rows ? "m16n8k" : "m8n8k") + std::to_string(step_depth(type));
}

}  // namespace warpfold::isa
