// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (PTX ISA §9.7.1).
#include "warpfold/isa/execute/ops/integer_types.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

// PTX leaves the quotient by zero to the machine: all ones, and the dividend as remainder. 32-bit quotients go through
// double, which is exact (a quotient below 2^32 that is no integer is at least 2^-32 away from one) and vectorises.
template <class T>
T divide(T a, T b) {
  if constexpr (sizeof(T) <= 4) {
    const T divisor = b == 0 ? T{1} : b;
    const double quotient = static_cast<double>(a) / static_cast<double>(divisor);
    const T result = static_cast<T>(static_cast<s64>(quotient));
    return b == 0 ? static_cast<T>(-1) : result;
  } else {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return wrapping_sub(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
}

template <class T>
T remainder(T a, T b) {
  if constexpr (sizeof(T) <= 4) {
    return b == 0 ? a : wrapping_sub(a, wrapping_mul(divide(a, b), b));
  } else {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
}

template <class T>
T absolute_difference(T a, T b) {
  return a < b ? wrapping_sub(b, a) : wrapping_sub(a, b);
}

template <class T>
[[gnu::cold]] void add_common(OpRegistry& ops) {
  const std::string type = type_suffix<T>();
  ops.add("add" + type, [](T a, T b) -> T { return wrapping_add(a, b); });
  ops.add("sub" + type, [](T a, T b) -> T { return wrapping_sub(a, b); });
  ops.add("mul.lo" + type, [](T a, T b) -> T { return wrapping_mul(a, b); });
  ops.add("mul.hi" + type, [](T a, T b) -> T { return high_mul(a, b); });
  ops.add("mad.lo" + type, [](T a, T b, T c) -> T { return wrapping_add(wrapping_mul(a, b), c); });
  ops.add("mad.hi" + type, [](T a, T b, T c) -> T { return wrapping_add(high_mul(a, b), c); });
  ops.add("sad" + type, [](T a, T b, T c) -> T { return wrapping_add(c, absolute_difference(a, b)); });
  ops.add(
      "div" + type, [](T a, T b) -> T { return divide(a, b); }, Unit::kSfu);
  ops.add(
      "rem" + type, [](T a, T b) -> T { return remainder(a, b); }, Unit::kSfu);
  ops.add("min" + type, [](T a, T b) -> T { return a < b ? a : b; });
  ops.add("max" + type, [](T a, T b) -> T { return a > b ? a : b; });
  if constexpr (sizeof(T) <= 4) {
    ops.add("mul.wide" + type, [](T a, T b) -> Wide<T> { return wide_mul(a, b); });
    ops.add("mad.wide" + type, [](T a, T b, Wide<T> c) -> Wide<T> { return wrapping_add(wide_mul(a, b), c); });
  }
  if constexpr (std::is_signed_v<T>) {
    ops.add("abs" + type, [](T a) -> T { return a < 0 ? wrapping_sub(T{0}, a) : a; });
    ops.add("neg" + type, [](T a) -> T { return wrapping_sub(T{0}, a); });
  }
}

// Sums of 64 bits word by word: values in two arrays need not be put together and taken apart again.
template <bool kSubtract, class Result>
void sum_words(std::array<const u32*, 2> a, std::array<const u32*, 2> b, const Result& d, std::size_t lane) {
  const u32 a_low = a[0][lane], b_low = b[0][lane], a_high = a[1][lane], b_high = b[1][lane];
  const u32 low = kSubtract ? a_low - b_low : a_low + b_low;
  const u32 carry = (kSubtract ? a_low < b_low : low < a_low) ? 1 : 0;
  d.set_words(lane, low, kSubtract ? a_high - b_high - carry : a_high + b_high + carry);
}

template <bool kSubtract>
void sums(const LaneArrays& arrays, unsigned lanes) {
  for_lanes(lanes, [a = arrays.s[0], b = arrays.s[1], d = ResultLanes<u64>(arrays.d[0])](std::size_t lane) {
    sum_words<kSubtract>(a, b, d, lane);
  });
}

template <bool kSubtract>
void sums_in_row(const RowOperands& operands, u32* row, const u32* select) {
  const std::array<const u32*, 2> a{operands.at(0, row), operands.at(1, row)};
  const std::array<const u32*, 2> b{operands.at(2, row), operands.at(3, row)};
  const std::array<u32*, 2> d = detail::words_of<u64>(operands, RowOperands::kResults, row);
  if (select == nullptr) {
    for_row([=, to = ResultLanes<u64>(d)](std::size_t lane) { sum_words<kSubtract>(a, b, to, lane); });
  } else {
    for_row([=, to = SelectedLanes<u64>(d, select)](std::size_t lane) { sum_words<kSubtract>(a, b, to, lane); });
  }
}

[[gnu::cold]] void add_word_sums(OpRegistry& ops) {
  const auto replace = [&ops](const char* opcode, Compute compute, RowCompute row_compute) {
    OpInfo info = *ops.find(opcode);
    info.compute = compute;
    info.row_compute = row_compute;
    ops.add(opcode, info);
  };
  replace("add.u64", &sums<false>, &sums_in_row<false>);
  replace("add.s64", &sums<false>, &sums_in_row<false>);
  replace("sub.u64", &sums<true>, &sums_in_row<true>);
  replace("sub.s64", &sums<true>, &sums_in_row<true>);
}

[[gnu::cold]] void add_saturating(OpRegistry& ops) {
  ops.add("add.sat.s32", [](s32 a, s32 b) -> s32 { return saturate<s32>(s64{a} + b); });
  ops.add("sub.sat.s32", [](s32 a, s32 b) -> s32 { return saturate<s32>(s64{a} - b); });
  ops.add("mad.hi.sat.s32", [](s32 a, s32 b, s32 c) -> s32 { return saturate<s32>(s64{high_mul(a, b)} + c); });
}

// The low 24 bits of an operand, with its sign for s32.
template <class T>
s64 low_24(T a) {
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << 8) >> 8);
}

// mul24 gives 32 of the 48 bits of the product: the low ones, or those from bit 16 on.
template <class T>
[[gnu::cold]] void add_24_bit(OpRegistry& ops) {
  const std::string type = type_suffix<T>();
  ops.add("mul24.lo" + type, [](T a, T b) -> T { return static_cast<T>(low_24(a) * low_24(b)); });
  ops.add("mul24.hi" + type, [](T a, T b) -> T { return static_cast<T>((low_24(a) * low_24(b)) >> 16); });
  ops.add("mad24.lo" + type, [](T a, T b, T c) -> T { return wrapping_add(static_cast<T>(low_24(a) * low_24(b)), c); });
  ops.add("mad24.hi" + type,
          [](T a, T b, T c) -> T { return wrapping_add(static_cast<T>((low_24(a) * low_24(b)) >> 16), c); });
  if constexpr (std::is_signed_v<T>) {
    ops.add("mad24.hi.sat" + type, [](T a, T b, T c) -> T { return saturate<T>(((low_24(a) * low_24(b)) >> 16) + c); });
  }
}

// Four products of bytes, added to c.
template <class A, class B>
[[gnu::cold]] void add_dot_product(OpRegistry& ops) {
  using C = std::conditional_t<std::is_signed_v<A> || std::is_signed_v<B>, s32, u32>;
  const auto name = [](bool is_signed) { return is_signed ? std::string(".s32") : std::string(".u32"); };
  ops.add("dp4a" + name(std::is_signed_v<A>) + name(std::is_signed_v<B>), [](u32 a, u32 b, C c) -> C {
    s64 sum = c;
    for (unsigned byte = 0; byte < 4; ++byte) sum += s64{static_cast<A>(a >> 8 * byte)} * static_cast<B>(b >> 8 * byte);
    return static_cast<C>(sum);
  });
}

}  // namespace

[[gnu::cold]] void add_integer_ops(OpRegistry& ops) {
  add_common<u16>(ops);
  add_common<s16>(ops);
  add_common<u32>(ops);
  add_common<s32>(ops);
  add_common<u64>(ops);
  add_common<s64>(ops);
  add_word_sums(ops);
  add_saturating(ops);
  add_24_bit<u32>(ops);
  add_24_bit<s32>(ops);
  add_dot_product<u8, u8>(ops);
  add_dot_product<u8, s8>(ops);
  add_dot_product<s8, u8>(ops);
  add_dot_product<s8, s8>(ops);
}

}  // namespace warpfold::isa
