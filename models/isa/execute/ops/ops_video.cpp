// SPDX-License-Identifier: Apache-2.0
// Scalar video instructions (PTX ISA §9.7.17): all forms in one function, which reads the form from its last operand.
#include <algorithm>

#include "warpfold/isa/execute/ops/op_registry.h"
#include "warpfold/isa/execute/ops/video_form.h"

namespace warpfold::isa {
namespace {

struct Field {
  unsigned at, bits;
};
constexpr Field field_of(VideoPart part) {
  if (part == VideoPart::kWord) return {0, 32};
  const auto index = static_cast<unsigned>(part);
  return index < 4 ? Field{8 * index, 8} : Field{16 * (index - 4), 16};
}

s64 part_of(u32 word, VideoPart part, bool is_signed) {
  const Field field = field_of(part);
  const u64 bits = u64{word} >> field.at << (64 - field.bits);
  return is_signed ? static_cast<s64>(bits) >> (64 - field.bits) : static_cast<s64>(bits >> (64 - field.bits));
}

template <class Wide>
Wide limited(Wide value, unsigned bits, bool is_signed) {
  const Wide low = is_signed ? -(Wide{1} << (bits - 1)) : Wide{0};
  const Wide high = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::clamp(value, low, high);
}

s128 result_of(const VideoForm& form, s64 a, s64 b) {
  const auto distance = static_cast<unsigned>(form.wraps ? b & 31 : std::min<s64>(b, 32));
  switch (form.operation) {
    case VideoOperation::kAdd:
      return a + b;
    case VideoOperation::kSubtract:
      return a - b;
    case VideoOperation::kDistance:
      return a < b ? b - a : a - b;
    case VideoOperation::kLeast:
      return std::min(a, b);
    case VideoOperation::kGreatest:
      return std::max(a, b);
    case VideoOperation::kShiftLeft:
      return s128{a} * (s128{1} << distance);
    case VideoOperation::kShiftRight:
      return a >> distance;
    case VideoOperation::kEqual:
      return a == b ? 1 : 0;
    case VideoOperation::kUnequal:
      return a != b ? 1 : 0;
    case VideoOperation::kLess:
      return a < b ? 1 : 0;
    case VideoOperation::kLessOrEqual:
      return a <= b ? 1 : 0;
    case VideoOperation::kGreater:
      return a > b ? 1 : 0;
    case VideoOperation::kGreaterOrEqual:
      return a >= b ? 1 : 0;
    case VideoOperation::kMultiplyAdd:
      break;
  }
  return 0;
}

u32 multiplied(const VideoForm& form, s64 a, s64 b, u32 c) {
  const bool is_signed = form.signed_a || form.signed_b || form.negated_product || form.negated_c;
  const s128 product = s128{a} * b;
  const s128 addend = is_signed ? s128{static_cast<s32>(c)} : s128{c};
  s128 sum =
      (form.negated_product ? -product : product) + (form.negated_c ? -addend : addend) + (form.plus_one ? 1 : 0);
  sum >>= form.scale;
  if (form.saturates) sum = limited(sum, 32, is_signed);
  return static_cast<u32>(sum);
}

u32 video(u32 a_word, u32 b_word, u32 c, u32 form_word) {
  const VideoForm form = VideoForm::of(form_word);
  const s64 a = part_of(a_word, form.a, form.signed_a), b = part_of(b_word, form.b, form.signed_b);
  if (form.operation == VideoOperation::kMultiplyAdd) return multiplied(form, a, b, c);
  const Field field = field_of(form.d);
  s128 value = result_of(form, a, b);
  if (form.saturates) value = limited(value, field.bits, form.signed_d);
  const auto result = static_cast<u32>(value);
  const bool takes_result = form.signed_d ? static_cast<s32>(result) < static_cast<s32>(c) : result < c;
  switch (form.second) {
    case VideoSecond::kAdd:
      return result + c;
    case VideoSecond::kLeast:
      return takes_result ? result : c;
    case VideoSecond::kGreatest:
      return takes_result ? c : result;
    case VideoSecond::kNone:
      break;
  }
  const u32 mask = static_cast<u32>((u64{1} << field.bits) - 1) << field.at;
  return (c & ~mask) | (result << field.at & mask);
}

}  // namespace

[[gnu::cold]] void add_video_ops(OpRegistry& ops) {
  ops.add<kSeldom>("video.b32", [](u32 a, u32 b, u32 c, u32 form) -> u32 { return video(a, b, c, form); });
}

}  // namespace warpfold::isa
