// SPDX-License-Identifier: Apache-2.0
// Video instructions (PTX ISA §9.7.17): scalar ones are one instruction of the op table; of those on all halves or
// bytes of a word, elements are selected first and merged behind.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"
#include "warpfold/isa/execute/ops/video_form.h"

namespace warpfold::isa {
namespace {

constexpr std::array<std::pair<std::string_view, VideoOperation>, 8> kVideoNames{
    {{"vadd", VideoOperation::kAdd},
     {"vsub", VideoOperation::kSubtract},
     {"vabsdiff", VideoOperation::kDistance},
     {"vmin", VideoOperation::kLeast},
     {"vmax", VideoOperation::kGreatest},
     {"vshl", VideoOperation::kShiftLeft},
     {"vshr", VideoOperation::kShiftRight},
     {"vmad", VideoOperation::kMultiplyAdd}}};
constexpr std::array<std::pair<std::string_view, VideoOperation>, 6> kVideoComparisons{
    {{"eq", VideoOperation::kEqual},
     {"ne", VideoOperation::kUnequal},
     {"lt", VideoOperation::kLess},
     {"le", VideoOperation::kLessOrEqual},
     {"gt", VideoOperation::kGreater},
     {"ge", VideoOperation::kGreaterOrEqual}}};
constexpr std::array<std::pair<std::string_view, VideoPart>, 7> kVideoParts{{{"", VideoPart::kWord},
                                                                             {"b0", VideoPart::kByte0},
                                                                             {"b1", VideoPart::kByte1},
                                                                             {"b2", VideoPart::kByte2},
                                                                             {"b3", VideoPart::kByte3},
                                                                             {"h0", VideoPart::kHalf0},
                                                                             {"h1", VideoPart::kHalf1}}};
constexpr std::array<std::pair<std::string_view, VideoSecond>, 3> kVideoSeconds{
    {{"add", VideoSecond::kAdd}, {"min", VideoSecond::kLeast}, {"max", VideoSecond::kGreatest}}};

template <class Table>
auto find_in(const Table& table, std::string_view name) -> std::optional<typename Table::value_type::second_type> {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.first == name; });
  if (found == table.end()) return std::nullopt;
  return found->second;
}

// Takes what stands at `at` if it is one of the table.
template <class Table, class T>
bool take(const Table& table, const std::vector<std::string>& words, std::size_t& at, T& to) {
  const auto found = at < words.size() ? find_in(table, words[at]) : std::nullopt;
  if (!found) return false;
  to = *found;
  ++at;
  return true;
}
bool take(std::string_view word, const std::vector<std::string>& words, std::size_t& at) {
  if (at >= words.size() || words[at] != word) return false;
  ++at;
  return true;
}

constexpr std::array<std::pair<std::string_view, bool>, 2> kSigns{{{"u32", false}, {"s32", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kShiftModes{{{"clamp", false}, {"wrap", true}}};
constexpr std::array<std::pair<std::string_view, std::uint8_t>, 2> kScales{{{"shr7", 7}, {"shr15", 15}}};

std::optional<VideoForm> form_of(const ptx::Instruction& instruction) {
  VideoForm form;
  const std::vector<std::string>& words = instruction.modifiers;
  std::size_t at = 0;
  const bool compares = instruction.name == "vset";
  const auto operation = find_in(kVideoNames, instruction.name);
  if (!compares && !operation) return std::nullopt;
  if (operation) form.operation = *operation;
  if (!compares && !take(kSigns, words, at, form.signed_d)) return std::nullopt;
  if (!take(kSigns, words, at, form.signed_a) || !take(kSigns, words, at, form.signed_b)) return std::nullopt;
  if (compares && !take(kVideoComparisons, words, at, form.operation)) return std::nullopt;
  const bool multiplies = form.operation == VideoOperation::kMultiplyAdd;
  if (multiplies) form.plus_one = take("po", words, at);
  if (!compares) form.saturates = take("sat", words, at);
  const bool shifts = form.operation == VideoOperation::kShiftLeft || form.operation == VideoOperation::kShiftRight;
  if (shifts && !take(kShiftModes, words, at, form.wraps)) return std::nullopt;
  if (multiplies) {
    take(kScales, words, at, form.scale);
  } else {
    take(kVideoSeconds, words, at, form.second);
  }
  const auto& operands = instruction.operands;
  if (at != words.size() || operands.size() < 3 || operands.size() > 4) return std::nullopt;
  const auto d = find_in(kVideoParts, operands[0].part), a = find_in(kVideoParts, operands[1].part),
             b = find_in(kVideoParts, operands[2].part);
  if (!d || !a || !b) return std::nullopt;
  form.d = *d, form.a = *a, form.b = *b;
  const bool needs_third = multiplies || form.d != VideoPart::kWord || form.second != VideoSecond::kNone;
  if (needs_third != (operands.size() == 4)) return std::nullopt;
  form.negated_product = operands[1].negated != operands[2].negated;
  form.negated_c = needs_third && operands[3].negated;
  return form;
}

bool lower_scalar(CodeWriter& code) {
  const auto form = form_of(code.old());
  if (!form) return false;
  Operands operands = code.old().operands;
  if (operands.size() == 3) operands.push_back(integer_operand(0));
  for (ptx::Operand& operand : operands) operand.negated = false, operand.part.clear();
  operands.push_back(integer_operand(form->word()));
  code.write("video", {"b32"}, std::move(operands));
  return true;
}

// prmt's selector of `count` elements of the eight bytes of a and b; digits as they are written, the highest first.
std::optional<std::uint32_t> selector_of(std::string_view part, unsigned count, std::uint32_t otherwise) {
  if (part.empty()) return otherwise;
  if (part.size() != count + 1 || part[0] != (count == 2 ? 'h' : 'b')) return std::nullopt;
  std::uint32_t selector = 0;
  for (const char digit : part.substr(1)) {
    const auto index = static_cast<unsigned>(digit - '0');
    if (index >= 2 * count) return std::nullopt;
    selector = count == 2 ? selector << 8 | (2 * index + 1) << 4 | 2 * index : selector << 4 | index;
  }
  return selector;
}

// The bytes of the elements that are named.
std::optional<std::uint32_t> mask_of(std::string_view part, unsigned count) {
  if (part.size() < 2 || part[0] != (count == 2 ? 'h' : 'b')) return std::nullopt;
  std::uint32_t mask = 0;
  for (const char digit : part.substr(1)) {
    const auto index = static_cast<unsigned>(digit - '0');
    if (index >= count) return std::nullopt;
    mask |= (count == 2 ? 0xffffU : 0xffU) << 32 / count * index;
  }
  return mask;
}

bool lower_elements(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  const unsigned count = instruction.name.back() == '2' ? 2 : 4;
  const auto& operands = instruction.operands;
  if (operands.size() != 4) return false;
  const auto a = selector_of(operands[1].part, count, 0x3210), b = selector_of(operands[2].part, count, 0x7654);
  if (!a || !b) return false;
  Operands plain = operands;
  for (ptx::Operand& operand : plain) operand.part.clear();
  const auto from = [&](std::uint32_t selector) {
    const auto picked = register_operand(code.new_register(ptx::Type::kB32));
    code.write("prmt", {"b32"}, {picked, plain[1], plain[2], integer_operand(selector)});
    return picked;
  };
  const ptx::Operand left = from(*a), right = from(*b);
  if (operands[0].part.empty()) {
    code.write(instruction.name, instruction.modifiers, {plain[0], left, right, plain[3]});
    return true;
  }
  const auto mask = mask_of(operands[0].part, count);
  const bool all = mask == 0xffffffff;
  if (!mask || (!all && instruction.has("add"))) return false;
  const auto result = register_operand(code.new_register(ptx::Type::kB32));
  code.write(instruction.name, instruction.modifiers, {result, left, right, plain[3]});
  // Where the mask is set the result, else the third word.
  code.write("lop3", {"b32"}, {plain[0], result, plain[3], integer_operand(*mask), integer_operand(0xe4)});
  return true;
}

bool on_elements(const ptx::Instruction& instruction) {
  return instruction.name[0] == 'v' && (instruction.name.back() == '2' || instruction.name.back() == '4') &&
         std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const ptx::Operand& operand) { return !operand.part.empty(); });
}

}  // namespace

bool is_video(const ptx::Instruction& instruction) {
  return instruction.name[0] == 'v' &&
         (instruction.name == "vset" || find_in(kVideoNames, instruction.name) || on_elements(instruction));
}

bool lower_video(CodeWriter& code) {
  if (!is_video(code.old())) return false;
  return on_elements(code.old()) ? lower_elements(code) : lower_scalar(code);
}

}  // namespace warpfold::isa
