// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/text/kernel_text.h"

namespace warpfold::cuda_fuzz {

using Kind = Statement::Kind;

void KernelText::memory(const Statement& statement, const Scope& scope) {
  switch (statement.kind) {
    case Kind::kLoad:
      return load(statement, scope);
    case Kind::kTexture:
      return fetch(statement, scope);
    case Kind::kVectorLoad:
      return vector_load(statement, scope);
    case Kind::kVectorStore:
      return vector_store(statement, scope);
    case Kind::kLocalStore:
    case Kind::kLocalLoad:
      return local(statement, scope);
    case Kind::kCall:
      return call(statement, scope);
    case Kind::kAtomicOwn:
      return atomic_own(statement, scope);
    case Kind::kAtomicCommon:
      return atomic_common(statement, scope);
    case Kind::kTicket:
      return ticket(statement, scope);
    case Kind::kCompareAndSwap:
      return compare_and_swap(statement, scope);
    case Kind::kLock:
      return lock(statement, scope);
    default:
      return;
  }
}

void KernelText::load(const Statement& statement, const Scope& scope) {
  const Type type = kVariables[statement.variable].type;
  const bool constant = in_function() || statement.value % 3 == 0;
  const unsigned elements = (constant ? 64 : 1024) * 4 / bytes_of(type);
  const std::string place = fmt::format("reinterpret_cast<const {}*>({})[{} % {}u]", name_of(type),
                                        constant ? "table" : "in", text(statement.expressions[0], scope), elements);
  line(scope, "{}",
       assignment(statement.variable, !constant && statement.value % 3 == 1 ? "__ldg(&" + place + ")" : place));
}

void KernelText::fetch(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  static constexpr const char* kForms[] = {
      "tex1Dfetch<u32>({0}.words, (s32)({1} % 1024u))",
      "texel_word(tex1Dfetch<uchar4>({0}.bytes, (s32)({1} % 1024u)))",
      "tex1D<s8>({0}.row, coordinate({1}, 64))",
      "texel_word(tex2D<short2>({0}.plane, coordinate({1}, 32), coordinate({2}, 16)))",
      "tex2D<u32>({0}.repeated, coordinate({1}, 16) / 16, coordinate({2}, 16) / 16)",
  };
  line(scope, "{}",
       assignment(statement.variable,
                  fmt::format(fmt::runtime(kForms[statement.value % std::size(kForms)]), array("textures"),
                              text(statement.expressions[0], scope), text(statement.expressions[1], scope))));
}

void KernelText::vector_load(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  struct Form {
    const char* type;
    unsigned bytes;
    std::vector<std::pair<std::size_t, const char*>> uses;  // variable, what becomes of it
  };
  static const std::vector<Form> forms{
      {"uint4", 16, {{0, "u0 ^ q.x"}, {1, "u1 + q.y"}, {2, "u2 - q.z"}, {3, "q.w"}}},
      {"float4", 16, {{8, "q.x"}, {9, "f1 + q.y"}, {10, "d0 * q.z"}, {11, "q.w"}}},
      {"double2", 16, {{10, "d0 - q.x"}, {11, "q.y"}}},
      {"ulonglong2", 16, {{5, "v0 ^ q.x"}, {6, "v1 + q.y"}}},
      {"uchar4", 4, {{12, "b0 + q.x"}, {13, "q.y"}, {0, "u0 * (q.z + 1u)"}, {14, "q.w"}}},
      {"short2", 4, {{15, "q.x"}, {3, "i0 ^ q.y"}}},
      {"int2", 8, {{3, "q.x"}, {4, "i1 & q.y"}}},
      {"float2", 8, {{8, "q.y"}, {9, "q.x"}}},
  };
  const Form& form = forms[statement.value % forms.size()];
  const std::string place = fmt::format("reinterpret_cast<const {}*>(in)[{} % {}u]", form.type,
                                        text(statement.expressions[0], scope), 4096 / form.bytes);
  line(scope, "{{ const {} q = {};", form.type, (statement.value & 0x100) != 0 ? "__ldg(&" + place + ")" : place);
  for (const auto& [index, value] : form.uses) line(scope, "  {}", assignment(index, value));
  line(scope, "}}");
}

void KernelText::vector_store(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  const auto operand = [&](unsigned i) { return text(statement.expressions[i], scope); };
  switch (statement.value % 4) {
    case 0:
      return line(scope, "{}[g] = make_uint4({}, t, 5u, ~t);", array("vector_u"), operand(0));
    case 1:
      return line(scope, "{}[g] = make_float2(one_nan({}), (f32)t);", array("vector_f"), operand(1));
    case 2:
      return line(scope, "{}[g] = make_short4({}, 1, (s16)t, -2);", array("vector_h"), operand(2));
    default:
      return line(scope, "{}[g] = make_double2(0.5, one_nan({}));", array("vector_d"), operand(3));
  }
}

void KernelText::local(const Statement& statement, const Scope& scope) {
  static constexpr const char* kArrays[] = {"local_u", "local_d", "local_b"};
  const unsigned which = statement.value % 3;
  const std::string place = fmt::format("{}[{} & 7]", array(kArrays[which]), text(statement.expressions[0], scope));
  if (statement.kind == Kind::kLocalStore) {
    return line(scope, "{} = {};", place, text(statement.expressions[which + 1], scope));
  }
  const Type to = kVariables[statement.variable].type;
  const bool cast = which == 1 && !is_float(to);
  line(scope, "{}", assignment(statement.variable, cast ? fmt::format("cast<{}>({})", name_of(to), place) : place));
}

// A function calls only those behind it: nothing recurses.
void KernelText::call(const Statement& statement, const Scope& scope) {
  const std::size_t first = static_cast<std::size_t>(context_->function + 1), functions = kernel_.functions.size();
  if (first >= functions) return;
  std::string arguments;
  for (const Expression& expression : statement.expressions) arguments += text(expression, scope) + ", ";
  line(scope, "{}",
       assignment(statement.variable, fmt::format("{}_f{}({}{})", name_, first + statement.value % (functions - first),
                                                  arguments, array("local_u"))));
}

void KernelText::atomic_own(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  struct Form {
    const char* function;
    Type type;
  };
  static constexpr Form kForms[] = {
      {"atomicAdd", Type::kU32}, {"atomicSub", Type::kU32}, {"atomicExch", Type::kU32}, {"atomicMin", Type::kU32},
      {"atomicMax", Type::kU32}, {"atomicAnd", Type::kU32}, {"atomicOr", Type::kU32},   {"atomicXor", Type::kU32},
      {"atomicInc", Type::kU32}, {"atomicDec", Type::kU32}, {"atomicCAS", Type::kU32},  {"atomicMin", Type::kS32},
      {"atomicMax", Type::kS32}, {"atomicAdd", Type::kS32}, {"atomicAdd", Type::kU64},  {"atomicExch", Type::kU64},
      {"atomicMin", Type::kU64}, {"atomicMax", Type::kU64}, {"atomicAnd", Type::kU64},  {"atomicOr", Type::kU64},
      {"atomicXor", Type::kU64}, {"atomicCAS", Type::kU64}, {"atomicMax", Type::kS64},  {"atomicMin", Type::kS64},
  };
  const Form& form = kForms[statement.value % std::size(kForms)];
  const std::string type = name_of(form.type);
  const bool wide = bytes_of(form.type) == 8;
  std::string operand = fmt::format("({}){}", type, text(statement.expressions[wide ? 1 : 0], scope));
  if (std::string(form.function) == "atomicCAS") {
    operand = fmt::format("({})({} & 1), {}", type, text(statement.expressions[0], scope), operand);
  }
  line(scope, "{}",
       assignment(statement.variable, fmt::format("{}(reinterpret_cast<{}*>(&{}[g]), {})", form.function, type,
                                                  array(wide ? "own64" : "own32"), operand)));
}

// In shared memory where there is any: it is cleared and kept between barriers.
std::string KernelText::counters(const Statement& statement, unsigned bits) {
  const bool shared = (statement.value & 0x400) != 0 && kernel_.meetings != Meetings::kNone;
  return array(fmt::format("{}{}", shared ? "shared" : "common", bits));
}

// Each place has one operation of its own: their order does not matter.
void KernelText::atomic_common(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  static constexpr const char* kForms32[] = {
      "atomicAdd(&{0}[{1}], {2})",
      "atomicXor(&{0}[2 + {1}], {2})",
      "atomicOr(&{0}[4 + {1}], {2})",
      "atomicMax(&{0}[6 + {1}], {2})",
      "atomicMin(reinterpret_cast<s32*>(&{0}[8 + {1}]), (s32){2})",
      "atomicInc(&{0}[10 + {1}], 6u)",
      "atomicDec(&{0}[12 + {1}], 9u)",
      "atomicSub(&{0}[14 + {1}], {2})",
      "atomicMax(reinterpret_cast<s32*>(&{0}[16 + {1}]), (s32){2})",
      "atomicAdd(reinterpret_cast<f32*>(&{0}[18 + {1}]), (f32)({2} & 0xff))",
      "atomicAdd(reinterpret_cast<s32*>(&{0}[20 + {1}]), (s32){2})",
  };
  static constexpr const char* kForms64[] = {
      "atomicAdd(&{0}[{1}], {2})",
      "atomicMax(&{0}[2 + {1}], {2})",
      "atomicOr(&{0}[4 + {1}], {2})",
      "atomicXor(&{0}[6 + {1}], {2})",
      "atomicMin(reinterpret_cast<s64*>(&{0}[8 + {1}]), (s64){2})",
      "atomicAdd(reinterpret_cast<f64*>(&{0}[10 + {1}]), (f64)({2} & 0xffff))",
  };
  const bool wide = statement.value % 3 == 0;
  const unsigned pick = statement.value / 3;
  const char* const form = wide ? kForms64[pick % std::size(kForms64)] : kForms32[pick % std::size(kForms32)];
  const std::string place = fmt::format("({} & 1)", text(statement.expressions[0], scope));
  line(scope, "{};",
       fmt::format(fmt::runtime(form), counters(statement, wide ? 64 : 32), place,
                   text(statement.expressions[wide ? 1 : 0], scope)));
}

// Whoever draws which number: together they draw each once.
void KernelText::ticket(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  const std::string place = counters(statement, 32);
  const unsigned id = fresh();
  line(scope, "const u32 q{} = atomicAdd(&{}[22], 1u);", id, place);
  line(scope, "atomicAdd(&{0}[23], q{1} * 2654435761u ^ (q{1} >> 3));", place, id);
}

void KernelText::compare_and_swap(const Statement& statement, const Scope& scope) {
  if (in_function()) return;
  struct Form {
    unsigned at;
    const char* next;
  };
  static constexpr Form kForms[] = {
      {24, "before{0} + {1}"},
      {25, "max(before{0}, {1})"},
      {26, "__float_as_uint(__uint_as_float(before{0}) + (f32)({1} & 63))"},
      {27, "before{0} ^ {1}"},
  };
  const bool wide = statement.value % 5 == 0;
  const Form& form = kForms[wide ? 0 : statement.value / 5 % std::size(kForms)];
  const std::string place = fmt::format("{}[{}]", counters(statement, wide ? 64 : 32), wide ? 12 : form.at);
  const unsigned id = fresh();
  const std::string next = fmt::format(fmt::runtime(form.next), id, fmt::format("x{}", id));
  const char* const type = wide ? "u64" : "u32";
  line(scope, "const {} x{} = {};", type, id, text(statement.expressions[wide ? 1 : 0], scope));
  line(scope, "{0} seen{1} = 0, before{1};", type, id);
  line(scope, "do {{ before{0} = seen{0}; seen{0} = atomicCAS(&{1}, before{0}, {2}); }} while (seen{0} != before{0});",
       id, place, next);
}

// The holder releases it before its warp's others try again. Those who give up after some tries leave no sum behind,
// but count whom they have met inside: nobody.
void KernelText::lock(const Statement& statement, const Scope& scope) {
  if (in_function() || kernel_.shape.threads() > 256) return;  // one after the other
  const std::string place = counters(statement, 32);
  const unsigned id = fresh();
  const bool gives_up = !kernel_.spins || (statement.value & 1) != 0;
  line(scope, "const u32 x{} = {};", id, text(statement.expressions[0], scope));
  line(scope, "bool done{} = false;", id);
  if (gives_up) {
    line(scope, "for (u32 i{0} = 0; i{0} < {1}u && !done{0}; ++i{0}) {{", id, 1 + (statement.value >> 4) % 4);
  } else {
    line(scope, "while (!done{}) {{", id);
  }
  line(scope, "  if (atomicCAS(&{}[{}], 0u, 1u) == 0u) {{", place, gives_up ? 32 : 33);
  if (gives_up) {
    line(scope, "    atomicAdd(&{0}[34], atomicExch(&{0}[35], x{1} | 1u));", place, id);
    line(scope, "    atomicExch(&{}[35], 0u);", place);
  } else {
    line(scope, "    volatile u32* const sums{} = &{}[36];", id, place);
    line(scope, "    sums{0}[0] = sums{0}[0] + x{0};", id);
    line(scope, "    sums{0}[1] = sums{0}[1] ^ x{0};", id);
  }
  line(scope, "    __threadfence();");
  line(scope, "    atomicExch(&{}[{}], 0u);", place, gives_up ? 32 : 33);
  line(scope, "    done{} = true;", id);
  line(scope, "  }}");
  line(scope, "}}");
}

}  // namespace warpfold::cuda_fuzz
