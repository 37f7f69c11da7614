// SPDX-License-Identifier: Apache-2.0
// Votes, matches, reductions and shuffles among the threads of a warp (PTX ISA §9.7.8.6, §9.7.12); encodings as
// isa/execute.h says.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "warpfold/isa/decode/families/decode_family.h"

namespace warpfold::isa {
namespace {

constexpr OpInfo::Operand kPredicate{'p', 1}, kMask{'b', 32};
constexpr std::array<std::pair<std::string_view, char>, 4> kVotes{
    {{"all", 'a'}, {"any", 'n'}, {"uni", 'u'}, {"ballot", 'b'}}};
constexpr std::array<std::pair<std::string_view, char>, 4> kShuffles{
    {{"up", 'u'}, {"down", 'd'}, {"bfly", 'b'}, {"idx", 'i'}}};
constexpr std::array<std::pair<std::string_view, Atomic>, 6> kReductions{{{"add", Atomic::kAdd},
                                                                          {"min", Atomic::kMin},
                                                                          {"max", Atomic::kMax},
                                                                          {"and", Atomic::kAnd},
                                                                          {"or", Atomic::kOr},
                                                                          {"xor", Atomic::kXor}}};

// What a modifier stands for.
template <class Table>
auto meaning_of(OperandDecoder& operands, const Table& table, std::string_view modifier) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == modifier; });
  if (found == table.end()) operands.unsupported();
  return found->second;
}

// The modifiers without "sync"; all forms then have `count` of them.
std::vector<std::string> plain_modifiers(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft,
                                         std::size_t count) {
  std::vector<std::string> modifiers = instruction.modifiers;
  draft.op.collective = std::erase(modifiers, "sync") != 0;
  if (modifiers.size() != count) operands.unsupported();
  return modifiers;
}

void decode_vote(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const auto modifiers = plain_modifiers(operands, instruction, draft, 2);
  const bool sync = draft.op.collective;
  expect_operands(operands, instruction, sync ? 3 : 2);
  const char mode = meaning_of(operands, kVotes, modifiers[0]);
  if (modifiers[1] != (mode == 'b' ? "b32" : "pred")) operands.unsupported();
  draft.op.element_type = static_cast<std::uint8_t>(mode);
  draft.op.d_count = 1;
  set_destination(draft, 0, operands.destination(instruction.operands[0], mode == 'b' ? kMask : kPredicate), false);
  ptx::Operand from = instruction.operands[1];
  draft.op.offset = std::exchange(from.negated, false) ? 1 : 0;
  draft.op.s_count = sync ? 2 : 1;
  set_source(draft, 0, operands.source(from, kPredicate), false);
  if (sync) set_source(draft, 1, operands.source(instruction.operands[2], kMask), false);
}

void decode_active_mask(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  expect_operands(operands, instruction, 1);
  if (instruction.modifiers != std::vector<std::string>{"b32"}) operands.unsupported();
  draft.op.element_type = 'm';
  draft.op.d_count = 1;
  set_destination(draft, 0, operands.destination(instruction.operands[0], kMask), false);
}

void decode_match(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const auto modifiers = plain_modifiers(operands, instruction, draft, 2);
  expect_operands(operands, instruction, 3);
  const OpInfo::Operand type = type_of(modifiers[1]);
  const bool all = modifiers[0] == "all";
  if (!draft.op.collective || (!all && modifiers[0] != "any") || type.kind != 'b' || type.bits < 32)
    operands.unsupported();
  draft.op.element_type = all ? 'q' : 'e';
  const auto results = operands.elements(instruction.operands[0]);
  if (results.size() > (all ? 2 : 1)) operands.unsupported();
  draft.op.d_count = static_cast<std::uint8_t>(results.size());
  set_destination(draft, 0, operands.destination(results[0], kMask), false);
  if (results.size() == 2) set_destination(draft, 1, operands.destination(results[1], kPredicate), false);
  draft.op.s_count = 2;
  set_source(draft, 0, operands.source(instruction.operands[1], type), type.bits == 64);
  set_source(draft, 1, operands.source(instruction.operands[2], kMask), false);
}

void decode_shuffle(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const auto modifiers = plain_modifiers(operands, instruction, draft, 2);
  const bool sync = draft.op.collective;
  expect_operands(operands, instruction, sync ? 5 : 4);
  if (modifiers[1] != "b32") operands.unsupported();
  draft.op.element_type = static_cast<std::uint8_t>(meaning_of(operands, kShuffles, modifiers[0]));
  const auto results = operands.elements(instruction.operands[0]);
  draft.op.d_count = static_cast<std::uint8_t>(results.size());
  set_destination(draft, 0, operands.destination(results[0], kMask), false);
  if (results.size() == 2) set_destination(draft, 1, operands.destination(results[1], kPredicate), false);
  draft.op.s_count = sync ? 4 : 3;
  for (unsigned k = 0; k < draft.op.s_count; ++k) {
    set_source(draft, k, operands.source(instruction.operands[k + 1], kMask), false);
  }
}

// redux.sync.op.type d, a, membermask; redux.sync.op.abs.NaN.f32
void decode_reduction(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  ptx::Instruction plain = instruction;
  const bool magnitudes = std::erase(plain.modifiers, "abs") != 0, keeps_nan = std::erase(plain.modifiers, "NaN") != 0;
  const auto modifiers = plain_modifiers(operands, plain, draft, 2);
  expect_operands(operands, instruction, 3);
  if (!draft.op.collective) operands.unsupported();
  const Atomic which = meaning_of(operands, kReductions, modifiers[0]);
  const bool bits = which == Atomic::kAnd || which == Atomic::kOr || which == Atomic::kXor;
  const OpInfo::Operand type = type_of(modifiers[1]);
  const bool floats = type.kind == 'f', extreme = which == Atomic::kMin || which == Atomic::kMax;
  if (type.bits != 32 || bits != (type.kind == 'b') || (floats ? !extreme : magnitudes || keeps_nan)) {
    operands.unsupported();
  }
  draft.op.element_type = floats ? 'f' : 'r';
  draft.op.offset = (magnitudes ? 1 : 0) | (keeps_nan ? 2 : 0);
  draft.op.atomic = which;
  draft.op.sign_extend = type.kind == 's';
  draft.op.d_count = 1;
  set_destination(draft, 0, operands.destination(instruction.operands[0], type), false);
  draft.op.s_count = 2;
  set_source(draft, 0, operands.source(instruction.operands[1], type), false);
  set_source(draft, 1, operands.source(instruction.operands[2], kMask), false);
}

// elect.sync d|p, membermask
void decode_elect(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  plain_modifiers(operands, instruction, draft, 0);
  expect_operands(operands, instruction, 2);
  const auto results = operands.elements(instruction.operands[0]);
  if (!draft.op.collective || results.size() != 2) operands.unsupported();
  draft.op.element_type = 'l';
  draft.op.d_count = 2;
  set_destination(draft, 0, operands.destination(results[0], kMask), false);
  set_destination(draft, 1, operands.destination(results[1], kPredicate), false);
  draft.op.s_count = 1;
  set_source(draft, 0, operands.source(instruction.operands[1], kMask), false);
}

}  // namespace

bool decode_warp_wide(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft) {
  const bool shuffles = instruction.name == "shfl";
  if (shuffles) {
    decode_shuffle(operands, instruction, draft);
  } else if (instruction.name == "vote") {
    decode_vote(operands, instruction, draft);
  } else if (instruction.name == "activemask") {
    decode_active_mask(operands, instruction, draft);
  } else if (instruction.name == "match") {
    decode_match(operands, instruction, draft);
  } else if (instruction.name == "redux") {
    decode_reduction(operands, instruction, draft);
  } else if (instruction.name == "elect") {
    decode_elect(operands, instruction, draft);
  } else {
    return false;
  }
  draft.op.kind = shuffles ? Kind::kShuffle : Kind::kVote;
  draft.op.unit = Unit::kAlu;
  draft.op.operation = shuffles ? Operation::kShuffle : Operation::kOther;
  draft.varying = true;
  return true;
}

}  // namespace warpfold::isa
