// SPDX-License-Identifier: Apache-2.0
#include "warpfold/ptx/constant_expression.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include "warpfold/ptx/grammar_tokens.h"

namespace warpfold::ptx::syntax {
namespace {

constexpr unsigned kDeepest = 256;  // nested operators and parentheses

struct Operator {
  std::string_view text;
  unsigned rank;  // of what binds tighter it is higher
};
// Those that others begin with stand behind them.
constexpr std::array<Operator, 18> kOperators{{{"||", 1},
                                               {"&&", 2},
                                               {"|", 3},
                                               {"^", 4},
                                               {"&", 5},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"<<", 8},
                                               {">>", 8},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"<", 7},
                                               {">", 7},
                                               {"+", 9},
                                               {"-", 9},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10}}};

bool is_integer(const Number& number) { return number.kind == OperandKind::kInteger; }
bool is_unsigned(const Number& number) {
  return number.is_unsigned ||
         (!number.negative && number.bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}
std::int64_t as_signed(const Number& number) { return static_cast<std::int64_t>(number.bits); }

Number unsigned_number(std::uint64_t bits) { return {OperandKind::kInteger, bits, false, true}; }
Number signed_number(std::uint64_t bits) { return {OperandKind::kInteger, bits, bits >> 63 != 0, false}; }
Number truth(bool value) { return signed_number(value ? 1 : 0); }
Number double_number(double value) { return {OperandKind::kFloat64, std::bit_cast<std::uint64_t>(value)}; }

// 0, 1 or what a comparison of `a` and `b` says, for any of the types that they may have.
template <class Value>
bool compare(std::string_view op, Value a, Value b) {
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  return (a == b) == (op == "==");
}

class Reader {
 public:
  Reader(const char* at, const char* end) : at_(at), end_(end) {}

  const char* at() const { return at_; }

  // condition ? value : value, or the condition alone.
  bool conditional(Number& value) {
    if (!binary(value, 1)) return false;
    const char* const behind = at_;
    Number yes, no;
    if (!take("?")) return true;
    if (conditional(yes) && take(":") && conditional(no)) {
      need_integer(value, behind);
      value = value.bits != 0 ? yes : no;
    } else {
      at_ = behind;
    }
    return true;
  }

 private:
  void skip_space() { x3::parse(at_, end_, *x3::ascii::space); }

  bool take(std::string_view text) {
    const char* const start = at_;
    skip_space();
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text)) {
      at_ += text.size();
      return true;
    }
    at_ = start;
    return false;
  }

  static void need_integer(const Number& number, const char* at) {
    if (!is_integer(number)) throw Mismatch{at, "an integer"};
  }

  // Operands joined by operators of at least this rank, from left to right.
  bool binary(Number& value, unsigned lowest) {
    if (!unary(value)) return false;
    while (true) {
      const char* const behind = at_;
      const Operator* const op = take_operator(lowest);
      const char* const right_at = at_;
      Number right;
      if (op == nullptr || !binary(right, op->rank + 1)) {
        at_ = behind;
        return true;
      }
      value = apply(op->text, value, right, right_at);
    }
  }

  const Operator* take_operator(unsigned lowest) {
    for (const Operator& op : kOperators) {
      if (!take(op.text)) continue;
      return op.rank >= lowest ? &op : nullptr;
    }
    return nullptr;
  }

  bool unary(Number& value) {
    const char* const start = at_;
    if (++depth_ > kDeepest) throw Mismatch{start, "an expression with less in it"};
    const bool good = operation(value);
    --depth_;
    if (!good) at_ = start;
    return good;
  }

  bool operation(Number& value) {
    if (take("(")) {
      if (take(".s64")) return take(")") && unary(value) && cast(value, false);
      if (take(".u64")) return take(")") && unary(value) && cast(value, true);
      return conditional(value) && take(")");
    }
    if (take("+")) return unary(value);
    if (take("-")) {
      if (!unary(value)) return false;
      negate(value);
      return true;
    }
    const bool complements = take("~");
    if (complements || take("!")) {
      const char* const operand = at_;
      if (!unary(value)) return false;
      need_integer(value, operand);
      value = complements ? complement(value) : truth(value.bits == 0);
      return true;
    }
    if (x3::phrase_parse(at_, end_, keyword("WARP_SZ"), x3::ascii::space, x3::skip_flag::dont_post_skip)) {
      value = signed_number(32);
      return true;
    }
    return x3::phrase_parse(at_, end_, magnitude, x3::ascii::space, value, x3::skip_flag::dont_post_skip);
  }

  bool cast(Number& value, bool to_unsigned) const {
    need_integer(value, at_);
    value = to_unsigned ? unsigned_number(value.bits) : signed_number(value.bits);
    return true;
  }

  // Unsigned, and yet what fits a narrower type: ~1.
  static Number complement(const Number& value) {
    const std::uint64_t bits = ~value.bits;
    return {OperandKind::kInteger, bits, bits >> 63 != 0, true};
  }

  // A number with a sign and a mark is kept as it was written: -1U.
  static void negate(Number& value) {
    constexpr std::uint64_t kSign64 = std::uint64_t{1} << 63;
    if (value.kind == OperandKind::kFloat32) {
      value.bits ^= std::uint64_t{1} << 31;
    } else if (value.kind == OperandKind::kFloat64) {
      value.bits ^= kSign64;
    } else {
      value.bits = 0 - value.bits;
      value.negative = !value.negative && (value.bits & kSign64) != 0;
    }
  }

  static Number apply(std::string_view op, const Number& a, const Number& b, const char* right_at) {
    if (is_integer(a) && is_integer(b)) return of_integers(op, a, b, right_at);
    const bool doubles = a.kind == OperandKind::kFloat64 && b.kind == OperandKind::kFloat64;
    if (!doubles) throw Mismatch{right_at, "two integers or two numbers of double precision around the operator"};
    return of_doubles(op, std::bit_cast<double>(a.bits), std::bit_cast<double>(b.bits), right_at);
  }

  static Number of_doubles(std::string_view op, double a, double b, const char* right_at) {
    if (op == "+") return double_number(a + b);
    if (op == "-") return double_number(a - b);
    if (op == "*") return double_number(a * b);
    if (op == "/") return double_number(a / b);
    constexpr std::string_view kOfIntegers[] = {"%", "<<", ">>", "&", "|", "^", "&&", "||"};
    for (const std::string_view other : kOfIntegers) {
      if (op == other) throw Mismatch{right_at, "integers around the operator"};
    }
    return truth(compare(op, a, b));
  }

  static Number of_integers(std::string_view op, const Number& a, const Number& b, const char* right_at) {
    if (op == "&&") return truth(a.bits != 0 && b.bits != 0);
    if (op == "||") return truth(a.bits != 0 || b.bits != 0);
    if (op == "<<" || op == ">>") return shifted(op == "<<", a, b.bits);
    const bool makes_unsigned = is_unsigned(a) || is_unsigned(b);
    const auto number = [&](std::uint64_t bits) {
      return makes_unsigned ? unsigned_number(bits) : signed_number(bits);
    };
    if (op == "+") return number(a.bits + b.bits);
    if (op == "-") return number(a.bits - b.bits);
    if (op == "*") return number(a.bits * b.bits);
    if (op == "&") return number(a.bits & b.bits);
    if (op == "|") return number(a.bits | b.bits);
    if (op == "^") return number(a.bits ^ b.bits);
    if (op == "/" || op == "%") {
      if (b.bits == 0) throw Mismatch{right_at, "a divisor other than 0"};
      if (op == "%") return unsigned_number(a.bits % b.bits);
      if (makes_unsigned) return number(a.bits / b.bits);
      // The machine's division overflows for the smallest number.
      return number(as_signed(b) == -1 ? 0 - a.bits : static_cast<std::uint64_t>(as_signed(a) / as_signed(b)));
    }
    return truth(makes_unsigned ? compare(op, a.bits, b.bits) : compare(op, as_signed(a), as_signed(b)));
  }

  // The type is the first operand's.
  static Number shifted(bool left, const Number& a, std::uint64_t count) {
    count %= 64;  // decision: as ptxas 13 has it
    if (left) return is_unsigned(a) ? unsigned_number(a.bits << count) : signed_number(a.bits << count);
    return is_unsigned(a) ? unsigned_number(a.bits >> count)
                          : signed_number(static_cast<std::uint64_t>(as_signed(a) >> count));
  }

  const char* at_;
  const char* end_;
  unsigned depth_ = 0;
};

}  // namespace

bool read_constant(const char*& at, const char* end, Number& value) {
  Reader reader(at, end);
  if (!reader.conditional(value)) return false;
  at = reader.at();
  return true;
}

}  // namespace warpfold::ptx::syntax
