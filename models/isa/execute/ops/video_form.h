// SPDX-License-Identifier: Apache-2.0
// PTX's scalar video instructions (PTX ISA §9.7.17): what is done to which parts of two words and a third one.
#pragma once

#include <cstdint>

namespace warpfold::isa {

enum class VideoOperation : std::uint8_t {
  kAdd,
  kSubtract,
  kDistance,
  kLeast,
  kGreatest,
  kShiftLeft,
  kShiftRight,
  kMultiplyAdd,
  kEqual,
  kUnequal,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

// Byte 0 to 3, half-word 0 or 1, or the whole word.
enum class VideoPart : std::uint8_t { kByte0, kByte1, kByte2, kByte3, kHalf0, kHalf1, kWord };

// What becomes of the result and of the third word: nothing, a sum, an extreme. A part of the result, if it is one,
// takes that part's place in the third word.
enum class VideoSecond : std::uint8_t { kNone, kAdd, kLeast, kGreatest };

// An instruction of the op table, `video`, has the form as its last operand: word() of it.
struct VideoForm {
  VideoOperation operation = VideoOperation::kAdd;
  VideoPart a = VideoPart::kWord, b = VideoPart::kWord, d = VideoPart::kWord;
  bool signed_a = false, signed_b = false, signed_d = false;
  bool saturates = false;
  bool wraps = false;  // shifts: the distance modulo 32, else at most 32
  VideoSecond second = VideoSecond::kNone;
  // vmad alone
  bool negated_product = false, negated_c = false, plus_one = false;
  std::uint8_t scale = 0;  // 0, 7, 15: shifted right by

  constexpr std::uint32_t word() const {
    std::uint32_t bits = 0;
    unsigned at = 0;
    for_fields(*this, [&](auto value, unsigned width) {
      bits |= static_cast<std::uint32_t>(value) << at;
      at += width;
    });
    return bits;
  }
  static constexpr VideoForm of(std::uint32_t word) {
    VideoForm form;
    for_fields(form, [&]<class T>(T& value, unsigned width) {
      value = static_cast<T>(word & ((1U << width) - 1));
      word >>= width;
    });
    return form;
  }

 private:
  template <class Form, class F>
  static constexpr void for_fields(Form& form, F f) {
    f(form.operation, 4U), f(form.a, 3U), f(form.b, 3U), f(form.d, 3U);
    f(form.signed_a, 1U), f(form.signed_b, 1U), f(form.signed_d, 1U), f(form.saturates, 1U), f(form.wraps, 1U);
    f(form.second, 2U), f(form.negated_product, 1U), f(form.negated_c, 1U), f(form.plus_one, 1U), f(form.scale, 4U);
  }
};

}  // namespace warpfold::isa
