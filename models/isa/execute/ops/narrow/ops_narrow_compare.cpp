// SPDX-License-Identifier: Apache-2.0
// setp and set of f16 and bf16, alone and in pairs (PTX ISA §9.7.6). A pair's setp gives a predicate for each half.
#include <string>

#include "warpfold/isa/execute/ops/narrow/half.h"
#include "warpfold/isa/execute/ops/op_registry.h"

namespace warpfold::isa {
namespace {

constexpr float value_of(Bfloat a) { return a.value(); }
float value_of(Half a) { return static_cast<float>(a.value()); }

template <class Number>
constexpr const char* kName = ".f16";
template <>
constexpr const char* kName<Bfloat> = ".bf16";
template <class Number>
constexpr u32 kOne = 0x3c00;
template <>
constexpr u32 kOne<Bfloat> = 0x3f80;

template <class Number, class F>
[[gnu::cold]] void add_setp(OpRegistry& ops, const std::string& compare) {
  const auto add = [&](const std::string& rest, auto function) {
    ops.add("setp" + compare + rest, function, Unit::kFloat);
  };
  const std::string type = kName<Number>;
  add(type, [](Number a, Number b) -> Both<bool, bool> {
    const bool holds = F{}(value_of(a), value_of(b));
    return {holds, !holds};
  });
  add(".and" + type, [](Number a, Number b, bool c) -> bool { return F{}(value_of(a), value_of(b)) && c; });
  add(".or" + type, [](Number a, Number b, bool c) -> bool { return F{}(value_of(a), value_of(b)) || c; });
  add(".xor" + type, [](Number a, Number b, bool c) -> bool { return F{}(value_of(a), value_of(b)) != c; });
  add(".and" + type + ".negated",
      [](Number a, Number b, bool c) -> bool { return F{}(value_of(a), value_of(b)) && !c; });
  add(".or" + type + ".negated",
      [](Number a, Number b, bool c) -> bool { return F{}(value_of(a), value_of(b)) || !c; });
  add(".xor" + type + ".negated",
      [](Number a, Number b, bool c) -> bool { return F{}(value_of(a), value_of(b)) == c; });
}

template <class Number, class Pair, class F>
[[gnu::cold]] void add_comparison(OpRegistry& ops, const std::string& compare, F) {
  add_setp<Number, F>(ops, compare);
  static constexpr auto low = [](Pair a, Pair b) { return F{}(value_of(a.low()), value_of(b.low())); };
  static constexpr auto high = [](Pair a, Pair b) { return F{}(value_of(a.high()), value_of(b.high())); };
  const std::string type = kName<Number>, pair = type + "x2";
  ops.add(
      "setp" + compare + pair,
      [](Pair a, Pair b) -> Both<bool, bool> {
        return {low(a, b), high(a, b)};
      },
      Unit::kFloat);
  const std::string set = "set" + compare;
  ops.add(
      set + ".u32" + type, [](Number a, Number b) -> u32 { return F{}(value_of(a), value_of(b)) ? ~u32{0} : 0; },
      Unit::kFloat);
  ops.add(
      set + type + type,
      [](Number a, Number b) -> Number { return Number(F{}(value_of(a), value_of(b)) ? kOne<Number> : 0); },
      Unit::kFloat);
  ops.add(
      set + pair + pair,
      [](Pair a, Pair b) -> Pair { return {(low(a, b) ? kOne<Number> : 0) | (high(a, b) ? kOne<Number> << 16 : 0)}; },
      Unit::kFloat);
  ops.add(
      set + ".u32" + pair,
      [](Pair a, Pair b) -> u32 { return (low(a, b) ? 0xffffU : 0) | (high(a, b) ? 0xffff0000U : 0); }, Unit::kFloat);
}

template <class Number, class Pair>
[[gnu::cold]] void add_comparisons(OpRegistry& ops) {
  const auto add = [&](const char* compare, auto function) { add_comparison<Number, Pair>(ops, compare, function); };
  add(".eq", [](float a, float b) { return a == b; });
  add(".ne", [](float a, float b) { return a < b || a > b; });
  add(".lt", [](float a, float b) { return a < b; });
  add(".le", [](float a, float b) { return a <= b; });
  add(".gt", [](float a, float b) { return a > b; });
  add(".ge", [](float a, float b) { return a >= b; });
  add(".equ", [](float a, float b) { return !(a < b || a > b); });
  add(".neu", [](float a, float b) { return a != b; });
  add(".ltu", [](float a, float b) { return !(a >= b); });
  add(".leu", [](float a, float b) { return !(a > b); });
  add(".gtu", [](float a, float b) { return !(a <= b); });
  add(".geu", [](float a, float b) { return !(a < b); });
  add(".num", [](float a, float b) { return !is_nan(a) && !is_nan(b); });
  add(".nan", [](float a, float b) { return is_nan(a) || is_nan(b); });
}

}  // namespace

[[gnu::cold]] void add_narrow_compare_ops(OpRegistry& ops) {
  add_comparisons<Half, HalfPair>(ops);
  add_comparisons<Bfloat, BfloatPair>(ops);
}

}  // namespace warpfold::isa
