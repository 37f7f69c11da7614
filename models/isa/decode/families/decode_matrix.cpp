// SPDX-License-Identifier: Apache-2.0
// One step of mma (execute/matrix_step.h); compound.h made all others of such.
#include <string>
#include <vector>

#include "warpfold/isa/decode/compounds/matrix_shape.h"
#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

bool multiplies(const MatrixStep& step) {
  if (is_integer(step.a) || is_integer(step.b)) {
    return is_integer(step.a) && is_integer(step.b) && step.c == MatrixType::kS32 && step.d == MatrixType::kS32;
  }
  if (step.a != step.b || step.saturates) return false;
  if (step.a == MatrixType::kF64) return step.c == MatrixType::kF64 && step.d == MatrixType::kF64;
  const auto holds = [&](MatrixType sum) {
    return sum == MatrixType::kF32 || (sum == MatrixType::kF16 && step.a == MatrixType::kF16);
  };
  const bool factors = step.a == MatrixType::kF16 || step.a == MatrixType::kBf16 || step.a == MatrixType::kTf32;
  return factors && holds(step.c) && holds(step.d);
}

// sync.aligned.shape.row.col{.satfinite}.types of D, A, B, C
MatrixStep step_of(OperandDecoder& operands, const ptx::Instruction& instruction) {
  std::vector<std::string> words = instruction.modifiers;
  MatrixStep step;
  step.saturates = std::erase(words, "satfinite") != 0;
  if (words.size() != 9 || words[0] != "sync" || words[1] != "aligned" || words[3] != "row" || words[4] != "col") {
    operands.unsupported();
  }
  const auto d = matrix_type(words[5]), a = matrix_type(words[6]), b = matrix_type(words[7]), c = matrix_type(words[8]);
  if (!d || !a || !b || !c) operands.unsupported("of such numbers");
  step.d = *d, step.a = *a, step.b = *b, step.c = *c;
  step.two_rows = words[2].starts_with("m16");
  if (!multiplies(step) || words[2] != step_name(step.a, step.two_rows)) operands.unsupported("of this shape");
  return step;
}

}  // namespace

bool decode_matrix(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  if (instruction.name != "mma") return false;
  const MatrixStep step = step_of(operands, instruction);
  if (instruction.operands.size() != 4) operands.unsupported("with this number of operands");
  draft.op.kind = Kind::kVote;
  draft.op.collective = true;
  draft.op.operation = Operation::kMatrix;
  draft.op.element_type = 'x';
  draft.op.offset = step.pack();
  draft.varying = true;
  const bool wide = step.d == MatrixType::kF64;
  const OpInfo::Operand word{'b', static_cast<std::uint8_t>(wide ? 64 : 32)};
  const unsigned rows = step.two_rows ? 2 : 1;
  const std::size_t counts[] = {sums_of(step.d, step.two_rows), rows, 1, sums_of(step.c, step.two_rows)};
  for (unsigned k = 0; k < 4; ++k) {
    const auto parts = operands.elements(instruction.operands[k]);
    if (parts.size() != counts[k]) operands.unsupported("with this number of elements");
    for (const ptx::Operand& part : parts) {
      if (k == 0) {
        set_destination(draft, draft.op.d_count, operands.destination(part, word), wide);
        ++draft.op.d_count;
      } else {
        set_source(draft, draft.op.s_count, operands.source(part, word), wide);
        ++draft.op.s_count;
      }
    }
  }
  set_source(draft, draft.op.s_count, operands.kernel().constant(~std::uint32_t{0}, false), false);
  ++draft.op.s_count;
  return true;
}

}  // namespace warpfold::isa
