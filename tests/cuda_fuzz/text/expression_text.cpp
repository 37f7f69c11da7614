// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {
namespace {

// Indices that every function can name, by type; then what only a kernel has: its parameters.
std::vector<std::string> indices(Type type) {
  switch (type) {
    case Type::kU32:
      return {"t",          "(t & 31)",   "block_in_grid()", "threadIdx.x", "threadIdx.y", "threadIdx.z",
              "blockIdx.x", "blockIdx.y", "blockIdx.z",      "blockDim.x",  "blockDim.y",  "gridDim.x"};
    case Type::kS32:
      return {"(s32)t", "(s32)(t * 3 - 20)", "(s32)warpSize"};
    case Type::kU64:
      return {"((u64)t * 0x100000001ull)"};
    case Type::kF32:
      return {"(f32)t"};
    case Type::kF64:
      return {"(f64)t"};
    default:
      return {};
  }
}
std::vector<std::string> parameters(Type type) {
  switch (type) {
    case Type::kS8:
      return {"p0", "mixed.a"};
    case Type::kU8:
      return {"mixed.e"};
    case Type::kU16:
      return {"p3", "mixed.c"};
    case Type::kS64:
      return {"mixed.f"};
    case Type::kU64:
      return {"p1"};
    case Type::kF32:
      return {"p2", "mixed.d"};
    case Type::kF64:
      return {"mixed.b"};
    default:
      return {};
  }
}

}  // namespace

std::string KernelText::constant(const Expression& expression) const {
  const std::uint64_t bits = expression.bits;
  switch (expression.type) {
    case Type::kF32:
      return fmt::format("__uint_as_float({:#x}u)", static_cast<std::uint32_t>(bits));
    case Type::kF64:
      return fmt::format("__longlong_as_double((s64){:#x}ull)", bits);
    case Type::kU64:
      return fmt::format("{:#x}ull", bits);
    case Type::kS64:
      return fmt::format("(s64){:#x}ull", bits);
    case Type::kU32:
      return fmt::format("{:#x}u", static_cast<std::uint32_t>(bits));
    default:
      return fmt::format("({}){:#x}u", name_of(expression.type), static_cast<std::uint32_t>(bits));
  }
}

std::string KernelText::special(const Expression& expression, const Scope& scope) const {
  std::vector<std::string> names = indices(expression.type);
  if (!in_function()) {
    for (const std::string& name : parameters(expression.type)) names.push_back(name);
  }
  if (expression.type == Type::kU32) names.push_back(scope.counter);
  if (names.empty()) return fmt::format("({})t", name_of(expression.type));
  return names[expression.bits % names.size()];
}

std::string KernelText::variable(std::size_t index) {
  context_->variables.insert(index);
  return kVariables[index].name;
}

std::string KernelText::array(const std::string& name) {
  context_->arrays.insert(name);
  return name;
}

std::string KernelText::text(const Expression& expression, const Scope& scope) {
  switch (expression.kind) {
    case Expression::Kind::kConstant:
      return constant(expression);
    case Expression::Kind::kVariable:
      return variable(expression.bits);
    case Expression::Kind::kSpecial:
      return special(expression, scope);
    case Expression::Kind::kOperation:
      break;
  }
  std::string out = "(";
  const std::string& form = expression.operation->text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '$') {
      out += form[i];
      continue;
    }
    out += text(expression.operands[static_cast<std::size_t>(form[++i] - 'a')], scope);
  }
  return out + ")";
}

std::string KernelText::assignment(std::size_t index, const std::string& value) {
  return fmt::format("{} = ({})({});", variable(index), name_of(kVariables[index].type), value);
}

}  // namespace warpfold::cuda_fuzz
