// SPDX-License-Identifier: Apache-2.0
// mma and wmma.mma of several steps: along the inner dimension, all parts of D in turn, so that few wait for others.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"
#include "warpfold/isa/decode/compounds/matrix_shape.h"

namespace warpfold::isa {
namespace {

// What the modifiers of a multiplication say.
struct Product {
  MatrixSteps steps;
  MatrixStep step;
};

// wmma.mma.sync.aligned.A's layout.B's layout.shape{.rounding}.types{.satfinite}; the types are D's and C's where the
// elements are halves, otherwise those of D, A, B, C. mma names all four always.
std::optional<Product> product_of(const ptx::Instruction& instruction) {
  const bool is_wmma = instruction.name == "wmma";
  std::vector<MatrixType> types;
  std::optional<MatrixShape> shape;
  Product product;
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto type = matrix_type(modifier)) types.push_back(*type);
    if (const auto named = matrix_shape(modifier)) shape = named;
    product.step.saturates |= modifier == "satfinite";
  }
  if (!shape) return std::nullopt;
  MatrixStep& step = product.step;
  if (is_wmma && types.size() == 2) {
    step.d = types[0], step.c = types[1];
  } else if (types.size() == 4) {
    step.d = types[0], step.a = types[1], step.b = types[2], step.c = types[3];
  } else {
    return std::nullopt;
  }
  const auto steps = is_wmma ? wmma_steps(*shape, step.a) : mma_steps(*shape, step.a);
  if (!steps) return std::nullopt;
  product.steps = *steps;
  step.two_rows = steps->two_rows;
  return product;
}

class Multiplication {
 public:
  Multiplication(CodeWriter& code, const Product& product, const ptx::Instruction& instruction)
      : code_(code), steps_(product.steps), step_(product.step) {
    const auto part = [&](unsigned k) { return parts_of(instruction.operands[k]); };
    d_ = part(0);
    rows_ = part(steps_.transposed ? 2 : 1);
    columns_ = part(steps_.transposed ? 1 : 2);
    c_ = part(3);
    if (steps_.transposed) std::swap(step_.a, step_.b);
  }

  bool fits() const {
    return rows_.size() >= steps_.row_registers() && columns_.size() >= steps_.column_registers() &&
           d_.size() == steps_.sums() * sums_of(step_.d, steps_.two_rows) &&
           c_.size() == steps_.sums() * sums_of(step_.c, steps_.two_rows);
  }

  // Where results lie in registers of operands that are still needed, they go to others first.
  void write() {
    const bool at_once = (steps_.sums() == 1 && steps_.inner == 1) || !overwrites_operands();
    Operands results;
    for (const ptx::Operand& d : d_) {
      results.push_back(at_once ? d : register_operand(code_.new_register(code_.type_of(d))));
    }
    for (unsigned inner = 0; inner < steps_.inner; ++inner) {
      for (unsigned row = 0; row < steps_.rows; ++row) {
        for (unsigned column = 0; column < steps_.columns; ++column) write_step(row, column, inner, results);
      }
    }
    if (at_once) return;
    for (std::size_t k = 0; k < d_.size(); ++k) {
      const bool wide = ptx::type_bytes(code_.type_of(d_[k])) == 8;
      code_.write("mov", {wide ? "b64" : "b32"}, {d_[k], results[k]});
    }
  }

 private:
  static Operands slice(const Operands& registers, unsigned index, unsigned count) {
    const auto first = registers.begin() + index * count;
    return {first, first + count};
  }

  // A sum may lie in its own place of C.
  bool overwrites_operands() const {
    const auto same = [](const ptx::Operand& one, const ptx::Operand& other) {
      return one.kind == other.kind && one.refers == other.refers && one.index == other.index;
    };
    const auto holds = [&](const Operands& operands, const ptx::Operand& d) {
      return std::any_of(operands.begin(), operands.end(), [&](const auto& operand) { return same(operand, d); });
    };
    for (std::size_t k = 0; k < d_.size(); ++k) {
      if (holds(rows_, d_[k]) || holds(columns_, d_[k])) return true;
      const bool own_place = c_.size() == d_.size() && same(c_[k], d_[k]);
      if (!own_place && holds(c_, d_[k])) return true;
    }
    return false;
  }

  void write_step(unsigned row, unsigned column, unsigned inner, const Operands& results) {
    const unsigned part = row * steps_.columns + column;
    const unsigned of_row = steps_.two_rows ? 2 : 1;
    const Operands d = slice(results, part, sums_of(step_.d, steps_.two_rows));
    const Operands sums = inner == 0 ? slice(c_, part, sums_of(step_.c, steps_.two_rows)) : d;
    std::vector<std::string> modifiers{"sync", "aligned", step_name(step_.a, steps_.two_rows), "row", "col"};
    if (step_.saturates) modifiers.push_back("satfinite");
    for (const MatrixType of : {step_.d, step_.a, step_.b, inner == 0 ? step_.c : step_.d}) {
      modifiers.push_back(matrix_type_name(of));
    }
    code_.write("mma", std::move(modifiers),
                {vector_operand(d), vector_operand(slice(rows_, row * steps_.inner + inner, of_row)),
                 vector_operand(slice(columns_, column * steps_.inner + inner, 1)), vector_operand(sums)});
  }

  CodeWriter& code_;
  const MatrixSteps steps_;
  MatrixStep step_;
  Operands d_, rows_, columns_, c_;
};

}  // namespace

bool lower_matrix_product(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  const std::vector<std::string>& modifiers = instruction.modifiers;
  const bool is_wmma = instruction.name == "wmma" && !modifiers.empty() && modifiers[0] == "mma";
  if ((!is_wmma && instruction.name != "mma") || instruction.operands.size() != 4) return false;
  if (std::find(modifiers.begin(), modifiers.end(), "b1") != modifiers.end()) return false;
  const auto product = product_of(instruction);
  if (!product) return false;
  Multiplication multiplication(code, *product, instruction);
  if (!multiplication.fits()) return false;
  multiplication.write();
  return true;
}

}  // namespace warpfold::isa
