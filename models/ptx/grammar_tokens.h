// SPDX-License-Identifier: Apache-2.0
// The words of PTX for Boost.Spirit X3: names, numbers, constant expressions, and the `expect` that turns a mismatch
// into an error with a place. Included by the grammar files only, they are slow to compile.
#pragma once

#include <bit>
#include <boost/spirit/home/x3.hpp>
#include <cstdint>
#include <string_view>
#include <utility>

#include "warpfold/common/number.h"
#include "warpfold/ptx/constant_expression.h"
#include "warpfold/ptx/syntax.h"

namespace warpfold::ptx::syntax {

namespace x3 = boost::spirit::x3;

// Thrown inside the grammar, where the source is not at hand; run() below adds file, line and column.
struct Mismatch {
  const char* at;
  const char* expected;
};

// Like X3's own `>`, but says what was expected in our words instead of the parser's type.
template <class Subject>
struct Expect : x3::unary_parser<Subject, Expect<Subject>> {
  using Base = x3::unary_parser<Subject, Expect<Subject>>;
  static constexpr bool is_pass_through_unary = true;
  Expect(const char* expected_, const Subject& subject_) : Base(subject_), expected(expected_) {}

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& context, RuleContext& rule_context,
             Attribute& attribute) const {
    if (!this->subject.parse(first, last, context, rule_context, attribute)) throw Mismatch{first, expected};
    return true;
  }

  const char* expected;
};

template <class Subject>
auto expect(const char* expected, const Subject& subject) {
  return Expect<typename x3::extension::as_parser<Subject>::value_type>(expected, x3::as_parser(subject));
}

inline std::string_view text_of(const boost::iterator_range<const char*>& range) {
  return {range.begin(), static_cast<std::size_t>(range.end() - range.begin())};
}

// Sets the attribute of the rule to the text that was matched.
inline const auto keep_text = [](auto& context) { x3::_val(context) = text_of(x3::_attr(context)); };

inline const auto word_char = x3::ascii::alnum | x3::char_("_$");

// Rules are declared with BOOST_SPIRIT_DEFINE throughout: as plain objects they would hold, and X3 copy, everything
// below them (seven times slower to run, twice to compile).

// PTX ISA §4.4. `_` alone is a name here and becomes the sink operand later.
inline const x3::rule<struct NameTag, std::string_view> name{"name"};
inline const auto name_def = x3::raw[x3::lexeme[(x3::ascii::alpha | x3::char_("_$%")) >> *word_char]][keep_text];
BOOST_SPIRIT_DEFINE(name)

inline const auto keyword = [](const char* text) { return x3::lexeme[x3::lit(text) >> !word_char]; };

// PTX ISA §4.5: decimal, 0x, 0b, octal, each with an optional U; 0f and 0d with all their hexadecimal digits; decimal
// floating point, which is always double.
inline const auto set_integer = [](auto& context) {
  x3::_val(context).kind = OperandKind::kInteger;
  x3::_val(context).bits = x3::_attr(context);
};
inline const auto set_float32 = [](auto& context) {
  x3::_val(context).kind = OperandKind::kFloat32;
  x3::_val(context).bits = x3::_attr(context);
};
inline const auto set_float64 = [](auto& context) {
  x3::_val(context).kind = OperandKind::kFloat64;
  x3::_val(context).bits = x3::_attr(context);
};
inline const auto set_decimal_float = [](auto& context) {
  // X3's own real parser does not round correctly in the last place.
  const auto value = number_in<double>(text_of(x3::_attr(context)));
  x3::_val(context).kind = OperandKind::kFloat64;
  x3::_val(context).bits = std::bit_cast<std::uint64_t>(value.value_or(0));
  x3::_pass(context) = value.has_value();
};
inline const auto set_unsigned = [](auto& context) { x3::_val(context).is_unsigned = true; };

inline const auto exponent = x3::char_("eE") >> -x3::char_("+-") >> +x3::ascii::digit;
inline const auto decimal_float =
    x3::raw[(+x3::ascii::digit >> ((x3::lit('.') >> *x3::ascii::digit >> -exponent) | exponent)) |
            ('.' >> +x3::ascii::digit >> -exponent)];
inline const auto integer_digits =
    (x3::no_case["0x"] >> x3::uint_parser<std::uint64_t, 16>{}[set_integer]) |
    (x3::no_case["0b"] >> x3::uint_parser<std::uint64_t, 2>{}[set_integer]) |
    (x3::lit('0') >> x3::uint_parser<std::uint64_t, 8>{}[set_integer]) |
    (!(x3::lit('0') >> x3::ascii::digit) >> x3::uint_parser<std::uint64_t, 10>{}[set_integer]);

inline const x3::rule<struct MagnitudeTag, Number> magnitude{"magnitude"};
inline const auto magnitude_def =
    x3::lexeme[((x3::no_case["0f"] >> x3::uint_parser<std::uint64_t, 16, 8, 8>{}[set_float32]) |
                (x3::no_case["0d"] >> x3::uint_parser<std::uint64_t, 16, 16, 16>{}[set_float64]) |
                decimal_float[set_decimal_float] | (integer_digits >> -x3::char_("uU")[set_unsigned])) >>
               !word_char];
BOOST_SPIRIT_DEFINE(magnitude)

// A constant expression in its place in a grammar.
struct ConstantParser : x3::parser<ConstantParser> {
  using attribute_type = Number;
  static constexpr bool has_attribute = true;

  template <class Iterator, class Context, class RuleContext, class Attribute>
  bool parse(Iterator& first, const Iterator& last, const Context& /*context*/, RuleContext& /*rule_context*/,
             Attribute& attribute) const {
    Number value;
    if (!read_constant(first, last, value)) return false;
    x3::traits::move_to(value, attribute);
    return true;
  }
};
inline const ConstantParser constant{};

inline const auto keep_integer = [](auto& context) {
  x3::_val(context) = x3::_attr(context).bits;
  x3::_pass(context) = x3::_attr(context).kind == OperandKind::kInteger;
};
inline const x3::rule<struct IntegerTag, std::uint64_t> integer{"integer"};
inline const auto integer_def = constant[keep_integer];
BOOST_SPIRIT_DEFINE(integer)
inline const x3::rule<struct NaturalTag, std::uint64_t> natural{"natural"};
inline const auto natural_def = magnitude[keep_integer];
BOOST_SPIRIT_DEFINE(natural)

// The +4, +-4, -4 or +(4*2) behind a name: a sum that the name begins.
inline const auto set_sum = [](auto& context) { x3::_val(context) = x3::_attr(context); };
inline const x3::rule<struct OffsetTag, std::uint64_t> offset{"offset"};
inline const auto offset_def = ('+' | &x3::lit('-')) >> expect("an integer", integer[set_sum]);
BOOST_SPIRIT_DEFINE(offset)

// Applies a grammar at `at`; a mismatch becomes the user's error.
template <class Result, class Grammar>
Result run(const SourceText& source, const char*& at, const Grammar& grammar, const char* expected) {
  Result result{};
  try {
    if (!x3::phrase_parse(at, source.end(), expect(expected, grammar), x3::ascii::space, result,
                          x3::skip_flag::dont_post_skip)) {
      source.fail(at, std::string("expected ") + expected);
    }
  } catch (const Mismatch& mismatch) {
    source.fail(mismatch.at, std::string("expected ") + mismatch.expected);
  }
  return result;
}

}  // namespace warpfold::ptx::syntax
