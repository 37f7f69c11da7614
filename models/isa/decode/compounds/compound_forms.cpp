// SPDX-License-Identifier: Apache-2.0
// Forms that are plainer ones with a conversion, a move or a part of the work around them.
#include <algorithm>
#include <array>
#include <string_view>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"

namespace warpfold::isa {
namespace {

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
std::string_view last(const Words& words, std::size_t back = 0) {
  return words.size() > back ? std::string_view(words[words.size() - 1 - back]) : std::string_view();
}

ptx::Operand scratch(CodeWriter& code, ptx::Type type) { return register_operand(code.new_register(type)); }

// `p` itself, or a register with its opposite.
ptx::Operand plain_predicate(CodeWriter& code, ptx::Operand p) {
  if (!p.negated) return p;
  p.negated = false;
  const ptx::Operand opposite = scratch(code, ptx::Type::kPred);
  code.write("not", {"pred"}, {opposite, p});
  return opposite;
}

// add.f32.f16 d, a, c and fma.f32.bf16 d, a, b, c: a and b are widened, which is exact.
bool is_mixed(const ptx::Instruction& i) {
  return is_one_of(i.name, {"add", "sub", "fma"}) && last(i.modifiers, 1) == "f32" &&
         is_one_of(last(i.modifiers), {"f16", "bf16"});
}
bool lower_mixed(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  if (i.operands.size() != (i.name == "fma" ? 4U : 3U)) return false;
  Operands operands = i.operands;
  for (std::size_t k = 1; k + 1 < operands.size(); ++k) {
    operands[k] = scratch(code, ptx::Type::kF32);
    code.write("cvt", {"f32", i.modifiers.back()}, {operands[k], i.operands[k]});
  }
  Words words = i.modifiers;
  words.pop_back();
  code.write(i.name, words, operands);
  return true;
}

// lop3.or.b32 d|p, a, b, c, table, q
bool is_logic_with_predicate(const ptx::Instruction& i) { return i.name == "lop3" && i.modifiers.size() == 2; }
bool lower_logic_with_predicate(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  if (i.operands.size() != 6 || i.operands[0].kind != ptx::OperandKind::kPair) return false;
  const ptx::Operand result = scratch(code, ptx::Type::kB32), any = scratch(code, ptx::Type::kPred);
  code.write("lop3", {"b32"}, {result, i.operands[1], i.operands[2], i.operands[3], i.operands[4]});
  code.write("setp", {"ne", "b32"}, {any, result, integer_operand(0)});
  const ptx::Operand other = plain_predicate(code, i.operands[5]);
  code.write(i.modifiers[0], {"pred"}, {i.operands[0].elements[1], any, other});
  if (i.operands[0].elements[0].kind != ptx::OperandKind::kSink) {
    code.write("mov", {"b32"}, {i.operands[0].elements[0], result});
  }
  return true;
}

// mov.v4.u32 {a, b, c, d}, %tid
bool is_vector_move(const ptx::Instruction& i) {
  return i.name == "mov" && i.modifiers.size() == 2 && is_one_of(i.modifiers[0], {"v2", "v4"});
}
bool lower_vector_move(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  const std::size_t count = i.modifiers[0] == "v2" ? 2 : 4;
  if (i.operands.size() != 2) return false;
  const Operands to = code.components(i.operands[0]), from = code.components(i.operands[1]);
  if (to.size() != count || from.size() != count) return false;
  // What is written may be read by a later one.
  Operands held;
  for (std::size_t k = 0; k < count; ++k) {
    if (to[k].kind == ptx::OperandKind::kSink) continue;
    held.push_back(scratch(code, code.type_of(to[k])));
    code.write("mov", {i.modifiers[1]}, {held.back(), from[k]});
  }
  auto next = held.begin();
  for (const ptx::Operand& operand : to) {
    if (operand.kind != ptx::OperandKind::kSink) code.write("mov", {i.modifiers[1]}, {operand, *next++});
  }
  return true;
}

// ld.global.v8.b32: two accesses of sixteen bytes, as wide as others can be.
bool is_wide_access(const ptx::Instruction& i) { return is_one_of(i.name, {"ld", "st"}) && i.has("v8"); }
bool lower_wide_access(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  const std::size_t address = i.name == "ld" ? 1 : 0;
  if (i.operands.size() < 2 || i.operands[1 - address].elements.size() != 8) return false;
  Words words = i.modifiers;
  std::replace(words.begin(), words.end(), std::string("v8"), std::string("v4"));
  const Operands elements = i.operands[1 - address].elements;
  for (std::size_t half = 0; half < 2; ++half) {
    Operands operands = i.operands;
    const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(4 * half);
    operands[1 - address] = vector_operand(Operands(begin, begin + 4));
    operands[address].offset += static_cast<std::int64_t>(16 * half);
    code.write(i.name, words, operands);
  }
  return true;
}

// cvt.rs.satfinite.e4m3x4.f32 d, {a, b, e, f}, rbits: floats in pairs, since an operation has up to four operands.
bool is_conversion_of_four(const ptx::Instruction& i) {
  return i.name == "cvt" && i.has("rs") && i.operands.size() == 3 && last(i.modifiers, 1).ends_with("x4");
}
bool lower_conversion_of_four(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  const Operands floats = code.components(i.operands[1]);
  if (floats.size() != 4) return false;
  const ptx::Operand first = scratch(code, ptx::Type::kB64), second = scratch(code, ptx::Type::kB64);
  code.write("mov", {"b64"}, {first, vector_operand({floats[0], floats[1]})});
  code.write("mov", {"b64"}, {second, vector_operand({floats[2], floats[3]})});
  code.write("cvt", i.modifiers, {i.operands[0], first, second, i.operands[2]});
  return true;
}

bool is_comparison(const ptx::Instruction& i) { return i.name == "set" || i.name == "setp"; }
bool is_narrow(std::string_view type) { return is_one_of(type, {"f16", "f16x2", "bf16", "bf16x2"}); }
bool is_pair(std::string_view type) { return type.ends_with("x2"); }
bool combines(const ptx::Instruction& i) { return i.has("and") || i.has("or") || i.has("xor"); }

// set.lt.u32.s16: of the half-words as words.
bool is_set_of_half_words(const ptx::Instruction& i) {
  return i.name == "set" && is_one_of(last(i.modifiers), {"u16", "s16", "b16"});
}
bool lower_set_of_half_words(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  if (i.operands.size() < 3) return false;
  const bool is_signed = i.modifiers.back() == "s16";
  Words words = i.modifiers;
  words.back() = is_signed ? "s32" : "u32";
  Operands operands = i.operands;
  for (std::size_t k = 1; k < 3; ++k) {
    if (operands[k].kind != ptx::OperandKind::kRegister) continue;
    operands[k] = scratch(code, ptx::Type::kB32);
    code.write("cvt", {words.back(), is_signed ? "s16" : "u16"}, {operands[k], i.operands[k]});
  }
  code.write("set", words, operands);
  return true;
}

// set.lt.f16.s32 and set.lt.u16.f16: a wider 1 or all ones, narrowed.
bool is_set_of_narrow_result(const ptx::Instruction& i) {
  const std::string_view to = last(i.modifiers, 1), of = last(i.modifiers);
  if (i.name != "set") return false;
  return (is_one_of(to, {"f16", "bf16"}) && to != of) || is_one_of(to, {"u16", "s16"});
}
bool lower_set_of_narrow_result(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  const std::string to = i.modifiers[i.modifiers.size() - 2];
  const bool is_float = to[0] != 'u' && to[0] != 's';
  // Of f16 there is set.u32 only.
  const bool as_word = !is_float || is_narrow(last(i.modifiers));
  Words words = i.modifiers;
  words[words.size() - 2] = as_word ? "u32" : "f32";
  Operands operands = i.operands;
  operands[0] = scratch(code, as_word ? ptx::Type::kB32 : ptx::Type::kF32);
  code.write("set", words, operands);
  if (!is_float) {
    code.write("cvt", {"u16", "u32"}, {i.operands[0], operands[0]});
  } else if (!as_word) {
    code.write("cvt", {"rn", to, "f32"}, {i.operands[0], operands[0]});
  } else {
    const ptx::Operand one = scratch(code, ptx::Type::kB32);
    code.write("and", {"b32"}, {one, operands[0], integer_operand(to == "f16" ? 0x3c00 : 0x3f80)});
    code.write("cvt", {"u16", "u32"}, {i.operands[0], one});
  }
  return true;
}

// setp.lt.ftz.f16: of the flushed numbers; a product with one is flushed and else exact.
bool is_flushed_comparison(const ptx::Instruction& i) {
  return is_comparison(i) && i.has("ftz") && is_one_of(last(i.modifiers), {"f16", "f16x2"});
}
bool lower_flushed_comparison(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  const std::string type = i.modifiers.back();
  if (i.operands.size() < 3) return false;
  Words words = i.modifiers;
  std::erase(words, "ftz");
  Operands operands = i.operands;
  const ptx::Operand one = scratch(code, is_pair(type) ? ptx::Type::kB32 : ptx::Type::kB16);
  code.write("mov", {is_pair(type) ? "b32" : "b16"}, {one, integer_operand(is_pair(type) ? 0x3c003c00 : 0x3c00)});
  for (std::size_t k = 1; k < 3; ++k) {
    operands[k] = scratch(code, is_pair(type) ? ptx::Type::kB32 : ptx::Type::kB16);
    code.write("mul", {"ftz", type}, {operands[k], i.operands[k], one});
  }
  code.write(i.name, words, operands);
  return true;
}

// setp.lt.and.f16x2 p|q, a, b, c
bool is_combined_setp_of_pairs(const ptx::Instruction& i) {
  return i.name == "setp" && combines(i) && is_pair(last(i.modifiers));
}
bool lower_combined_setp_of_pairs(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  if (i.modifiers.size() != 3 || i.operands.size() != 4) return false;
  const Operands results = i.operands[0].kind == ptx::OperandKind::kPair ? i.operands[0].elements : Operands();
  if (results.size() != 2) return false;
  ptx::Operand pair = i.operands[0];
  for (ptx::Operand& element : pair.elements) element = scratch(code, ptx::Type::kPred);
  code.write("setp", {i.modifiers[0], i.modifiers[2]}, {pair, i.operands[1], i.operands[2]});
  const ptx::Operand other = scratch(code, ptx::Type::kPred);
  code.write("mov", {"pred"}, {other, plain_predicate(code, i.operands[3])});
  for (std::size_t k = 0; k < 2; ++k) {
    if (results[k].kind == ptx::OperandKind::kSink) continue;
    code.write(i.modifiers[1], {"pred"}, {results[k], pair.elements[k], other});
  }
  return true;
}

// set.lt.and.f16x2.f16x2 d, a, b, c: bits by the predicates that setp gives.
bool is_combined_set_of_narrow(const ptx::Instruction& i) {
  return i.name == "set" && combines(i) && is_narrow(last(i.modifiers));
}
bool lower_combined_set_of_narrow(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  if (i.modifiers.size() != 4 || i.operands.size() != 4) return false;
  const std::string &to = i.modifiers[2], &type = i.modifiers[3];
  const bool pair = is_pair(type), is_float = to == type;
  if (!is_float && to != "u32" && to != "s32") return false;
  const std::uint32_t one = type.starts_with("bf") ? 0x3f80 : 0x3c00;
  const std::uint32_t low = is_float ? one : pair ? 0xffff : 0xffffffff, high = is_float ? one << 16 : 0xffff0000;
  const ptx::Operand p = scratch(code, ptx::Type::kPred), q = scratch(code, ptx::Type::kPred);
  ptx::Operand results = p;
  if (pair) {
    results = {};
    results.kind = ptx::OperandKind::kPair;
    results.elements = {p, q};
  }
  const ptx::Operand other = plain_predicate(code, i.operands[3]);
  code.write("setp", {i.modifiers[0], type}, {results, i.operands[1], i.operands[2]});
  const ptx::Operand bits = scratch(code, ptx::Type::kB32);
  code.write(i.modifiers[1], {"pred"}, {p, p, other});
  code.write("selp", {"b32"}, {bits, integer_operand(low), integer_operand(0), p});
  if (pair) {
    const ptx::Operand upper = scratch(code, ptx::Type::kB32);
    code.write(i.modifiers[1], {"pred"}, {q, q, other});
    code.write("selp", {"b32"}, {upper, integer_operand(high), integer_operand(0), q});
    code.write("or", {"b32"}, {i.operands[0], bits, upper});
  } else if (is_float) {
    code.write("cvt", {"u16", "u32"}, {i.operands[0], bits});
  } else {
    code.write("mov", {"b32"}, {i.operands[0], bits});
  }
  return true;
}

// setp.lt.s32 _|p, a, b
bool is_setp_without_first(const ptx::Instruction& i) {
  return i.name == "setp" && !i.operands.empty() && i.operands[0].kind == ptx::OperandKind::kPair &&
         i.operands[0].elements[0].kind == ptx::OperandKind::kSink;
}
bool lower_setp_without_first(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  Operands operands = i.operands;
  operands[0].elements[0] = scratch(code, ptx::Type::kPred);
  code.write(i.name, i.modifiers, operands);
  return true;
}

// mapa d, a, rank and getctarank d, a: the shared memory of the cluster is that of its one block, of rank 0.
bool is_of_cluster(const ptx::Instruction& i) { return is_one_of(i.name, {"mapa", "getctarank"}); }
bool lower_of_cluster(CodeWriter& code) {
  const ptx::Instruction i = code.old();
  const bool maps = i.name == "mapa", named = i.modifiers.size() == 2 && i.modifiers[0] == "shared::cluster";
  if ((!named && i.modifiers.size() != 1) || !is_one_of(last(i.modifiers), {"u32", "u64"})) return false;
  if (i.operands.size() != (maps ? 3 : 2)) return false;
  if (!named && i.operands[1].refers != ptx::Refers::kRegister) return false;
  code.write("mov", {maps ? i.modifiers.back() : "u32"}, {i.operands[0], maps ? i.operands[1] : integer_operand(0)});
  return true;
}

struct Form {
  bool (*is)(const ptx::Instruction&);
  bool (*lower)(CodeWriter&);
};
// What one leaves may be another's, later in the list.
constexpr std::array<Form, 12> kForms{{{is_mixed, lower_mixed},
                                       {is_of_cluster, lower_of_cluster},
                                       {is_conversion_of_four, lower_conversion_of_four},
                                       {is_logic_with_predicate, lower_logic_with_predicate},
                                       {is_vector_move, lower_vector_move},
                                       {is_wide_access, lower_wide_access},
                                       {is_flushed_comparison, lower_flushed_comparison},
                                       {is_set_of_narrow_result, lower_set_of_narrow_result},
                                       {is_set_of_half_words, lower_set_of_half_words},
                                       {is_combined_setp_of_pairs, lower_combined_setp_of_pairs},
                                       {is_combined_set_of_narrow, lower_combined_set_of_narrow},
                                       {is_setp_without_first, lower_setp_without_first}}};

}  // namespace

bool is_form(const ptx::Instruction& instruction) {
  return std::any_of(kForms.begin(), kForms.end(), [&](const Form& form) { return form.is(instruction); });
}

bool lower_form(CodeWriter& code) {
  const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& one) { return one.is(code.old()); });
  return form != kForms.end() && form->lower(code);
}

}  // namespace warpfold::isa
