// SPDX-License-Identifier: Apache-2.0
// Floating-point arithmetic, every rounding mode, against MPFR; signs, extremes, tests and comparisons by their
// definitions.
#include "tests/isa/mpfr_reference.h"

namespace warpfold::isa {
namespace ops_float_test {

bool is_float(const Opcode& opcode) { return opcode.types.back().kind == 'f'; }
Format format_of(const Opcode& opcode) { return {opcode.types.back().bits}; }

bool is_approximate(const Opcode& opcode) { return opcode.has("approx") || opcode.has("full"); }

std::uint64_t operand_bits(const Opcode& opcode, std::uint64_t bits) {
  return opcode.has("ftz") ? format_of(opcode).flush(bits) : bits;
}

std::uint64_t arithmetic(const Opcode& opcode, const Operands& operands) {
  const Format format = format_of(opcode);
  const mpfr_rnd_t rounding = rounding_of(opcode);
  std::array<std::uint64_t, 3> bits{};
  Real a(format.precision()), b(format.precision()), c(format.precision());
  for (unsigned k = 0; k < 3; ++k) bits[k] = operand_bits(opcode, operands[k]);
  set_bits(a, bits[0], format);
  set_bits(b, bits[1], format);
  set_bits(c, bits[2], format);
  const std::uint64_t result = rounded(format, rounding, [&](mpfr_ptr d) {
    if (opcode.name == "add") return mpfr_add(d, a, b, rounding);
    if (opcode.name == "sub") return mpfr_sub(d, a, b, rounding);
    if (opcode.name == "mul") return mpfr_mul(d, a, b, rounding);
    if (opcode.name == "fma" || opcode.name == "mad") return mpfr_fma(d, a, b, c, rounding);
    if (opcode.name == "div") return mpfr_div(d, a, b, rounding);
    if (opcode.name == "sqrt") return mpfr_sqrt(d, a, rounding);
    if (opcode.name == "rcp") return mpfr_ui_div(d, 1, a, rounding);
    ADD_FAILURE() << "no reference for " << opcode.text;
    return 0;
  });
  switch (opcode.info().s_count) {
    case 1:
      return delivered(opcode, format, result, {bits[0]});
    case 2:
      return delivered(opcode, format, result, {bits[0], bits[1]});
    default:
      return delivered(opcode, format, result, {bits[0], bits[1], bits[2]});
  }
}

void expect_arithmetic(std::initializer_list<const char*> names, unsigned opcodes) {
  unsigned checked = 0;
  for (const Opcode& opcode : opcodes_named(names)) {
    if (!is_float(opcode) || is_approximate(opcode)) continue;
    expect_exact(opcode, [&](const Operands& operands) { return arithmetic(opcode, operands); });
    ++checked;
  }
  EXPECT_EQ(checked, opcodes);
}

// Four modes of f32 with .ftz, .sat, both and neither, and of f64; the mode may be left out where PTX lets it.
TEST(FloatOps, SumsAndProducts) { expect_arithmetic({"add", "sub", "mul"}, 3 * (5 * 4 + 5)); }
TEST(FloatOps, FusedMultiplyAdd) { expect_arithmetic({"fma", "mad"}, 2 * 5 * 4); }
TEST(FloatOps, QuotientsAndRoots) { expect_arithmetic({"div", "rcp", "sqrt"}, 3 * 3 * 4); }

TEST(FloatOps, Signs) {
  unsigned checked = 0;
  for (const Opcode& opcode : opcodes_named({"abs", "neg", "copysign"})) {
    if (!is_float(opcode)) continue;
    const Format format = format_of(opcode);
    expect_exact(opcode, [&](const Operands& operands) {
      const std::uint64_t a = operand_bits(opcode, operands[0]), magnitude = a % format.sign();
      if (opcode.name == "abs") return magnitude;
      if (opcode.name == "neg") return a >= format.sign() ? magnitude : magnitude + format.sign();
      return operands[1] % format.sign() + (operands[0] >= format.sign() ? format.sign() : 0);
    });
    ++checked;
  }
  EXPECT_EQ(checked, 8U);
}

TEST(FloatOps, Extremes) {
  unsigned checked = 0;
  for (const Opcode& opcode : opcodes_named({"min", "max"})) {
    if (!is_float(opcode)) continue;
    const Format format = format_of(opcode);
    expect_exact(opcode, [&](const Operands& operands) {
      const std::uint64_t x = operand_bits(opcode, operands[0]), y = operand_bits(opcode, operands[1]);
      const bool any_nan = format.is_nan(x) || format.is_nan(y);
      if (any_nan && opcode.has("NaN")) return std::uint64_t{0x7fffffff};
      if (format.is_nan(x) && format.is_nan(y)) return delivered(opcode, format, x, {x, y});
      if (any_nan) return format.is_nan(x) ? y : x;
      Real a, b;
      set_bits(a, x, format);
      set_bits(b, y, format);
      const int order =
          mpfr_zero_p(a) && mpfr_zero_p(b) ? (mpfr_signbit(b) != 0) - (mpfr_signbit(a) != 0) : mpfr_cmp(a, b);
      return (order < 0) == (opcode.name == "min") ? x : y;
    });
    ++checked;
  }
  EXPECT_EQ(checked, 2 * 5U);
}

TEST(FloatOps, ClassTests) {
  const auto opcodes = opcodes_named({"testp"});
  EXPECT_EQ(opcodes.size(), 12U);
  for (const Opcode& opcode : opcodes) {
    const Format format = format_of(opcode);
    expect_exact(opcode, [&](const Operands& operands) -> std::uint64_t {
      Real a(format.precision());
      set_bits(a, operands[0], format);
      if (opcode.has("finite")) return mpfr_number_p(a) != 0;
      if (opcode.has("infinite")) return mpfr_inf_p(a) != 0;
      if (opcode.has("number")) return mpfr_nan_p(a) == 0;
      if (opcode.has("notanumber")) return mpfr_nan_p(a) != 0;
      return mpfr_regular_p(a) != 0 && format.is_subnormal(operands[0]) == opcode.has("subnormal");
    });
  }
}

// The comparison that an operator's letters spell; a final "u" is true for NaN (PTX ISA §9.7.6).
bool compares(const Opcode& opcode, mpfr_ptr a, mpfr_ptr b) {
  const std::string& op = opcode.modifiers[0];
  const bool unordered = mpfr_unordered_p(a, b) != 0;
  if (op == "num") return !unordered;
  if (op == "nan") return unordered;
  if (unordered) return op.size() == 3;
  const std::string order = op.substr(0, 2);
  const int sign = mpfr_cmp(a, b);
  if (order == "eq") return sign == 0;
  if (order == "ne") return sign != 0;
  if (order == "lt" || order == "lo") return sign < 0;
  if (order == "le" || order == "ls") return sign <= 0;
  if (order == "gt" || order == "hi") return sign > 0;
  EXPECT_TRUE(order == "ge" || order == "hs") << opcode.text;
  return sign >= 0;
}

void set_operand(mpfr_ptr to, const Opcode& opcode, std::uint64_t bits) {
  const Opcode::Type type = opcode.types.back();
  if (type.kind == 'f') return set_bits(to, opcode.has("ftz") ? Format{type.bits}.flush(bits) : bits, {type.bits});
  mpfr_set_ui(to, low_bits(bits, type.bits), MPFR_RNDN);
  if (type.kind == 's' && bits >> (type.bits - 1) & 1) {
    Real modulus;
    mpfr_set_ui_2exp(modulus, 1, type.bits, MPFR_RNDN);
    mpfr_sub(to, to, modulus, MPFR_RNDN);
  }
}

bool combined(const Opcode& opcode, bool t, bool c) {
  if (opcode.has("negated")) c = !c;
  if (opcode.has("and")) return t && c;
  if (opcode.has("or")) return t || c;
  return opcode.has("xor") ? t != c : t;
}

// Both predicates of setp, the value of set: all types, operators and combinations.
TEST(FloatOps, Comparisons) {
  const auto opcodes = opcodes_named({"setp", "set"});
  const std::size_t integer = 3 * (2 + 6 + 6 + 4), floating = 3 * 14;
  EXPECT_EQ(opcodes.size(), 7 * (integer + floating) + 3 * 7 * (integer / 3 * 2 + floating));
  for (const Opcode& opcode : opcodes) {
    const OpInfo info = opcode.info();
    const auto sets = operand_sets(info, 400, 200);
    const auto results = run_batch(info, sets);
    unsigned failures = 0;
    for (std::size_t n = 0; n < sets.size() && failures < 3; ++n) {
      Real a(64), b(64);
      set_operand(a, opcode, sets[n][0]);
      set_operand(b, opcode, sets[n][1]);
      const bool t = compares(opcode, a, b), c = sets[n][2] != 0;
      const bool first = combined(opcode, t, c), second = combined(opcode, !t, c);
      std::uint64_t expected = first;
      if (opcode.name == "set") expected = !first ? 0 : opcode.types[0].kind == 'f' ? 0x3f800000 : 0xffffffff;
      if (results[n][0] == expected && (opcode.name == "set" || results[n][1] == std::uint64_t{second})) continue;
      ++failures;
      ADD_FAILURE() << describe(opcode, sets[n], info.s_count, results[n][0]) << "|" << results[n][1] << ", expected "
                    << first << "|" << second;
    }
  }
}

// Pairs do what two scalar instructions do, and extremes of three what one after the other does.
std::vector<Operands> float_batch() {
  std::vector<Operands> batch;
  std::mt19937_64 random(5);
  const std::vector<std::uint64_t> edges = {0,          0x80000000, 0x3f800000, 0xbf800001, 0x7f800000,
                                            0xff800000, 0x7fc00000, 0x00000001, 0x807fffff, 0x7f7fffff};
  const auto draw = [&] { return random() % 2 != 0 ? edges[random() % edges.size()] : random() & 0xffffffff; };
  for (int n = 0; n < 4000; ++n) {
    Operands operands{};
    for (std::uint64_t& operand : operands) operand = draw() << 32 | draw();
    batch.push_back(operands);
  }
  return batch;
}

std::vector<Operands> shifted(std::vector<Operands> batch, unsigned by) {
  for (Operands& operands : batch) {
    for (std::uint64_t& operand : operands) operand = operand >> by & 0xffffffff;
  }
  return batch;
}

TEST(FloatPairs, AreTwoOfOne) {
  const auto batch = float_batch();
  unsigned seen = 0;
  for (const std::string& text : op_names()) {
    if (!text.ends_with(".f32x2")) continue;
    const Opcode pair(text), one(text.substr(0, text.size() - 2));
    const auto got = run_batch(pair.info(), batch), low = run_batch(one.info(), shifted(batch, 0)),
               high = run_batch(one.info(), shifted(batch, 32));
    for (std::size_t n = 0; n < batch.size(); ++n) ASSERT_EQ(got[n][0], high[n][0] << 32 | low[n][0]) << text;
    ++seen;
  }
  EXPECT_EQ(seen, 4U * 2 * 4 + 3 * 2);  // roundings, flushed or not, operations; those that may leave nearest out
}

TEST(FloatExtremes, OfThree) {
  const auto batch = shifted(float_batch(), 0);
  for (const std::string name : {"min", "max"}) {
    for (const std::string ftz : {"", "ftz"}) {
      for (const std::string nan : {"", "NaN"}) {
        for (const bool magnitudes : {false, true}) {
          std::vector<std::string> two, three;
          for (const std::string& word : {ftz, nan}) {
            if (!word.empty()) two.push_back(word);
          }
          three = two;
          if (magnitudes) three.push_back("abs");
          two.push_back("f32");
          three.push_back("f32");
          auto first = batch;
          for (Operands& operands : first) {
            for (std::uint64_t& operand : operands) operand &= magnitudes ? 0x7fffffff : 0xffffffff;
          }
          const auto of_two = run_batch(find_op(name, two).value(), first);
          auto second = first;
          for (std::size_t n = 0; n < first.size(); ++n) second[n] = {of_two[n][0], first[n][2]};
          const auto expected = run_batch(find_op(name, two).value(), second);
          const auto got = run_batch(find_op(name + "3", three).value(), batch);
          for (std::size_t n = 0; n < batch.size(); ++n) ASSERT_EQ(got[n][0], expected[n][0]) << name << n;
        }
      }
    }
  }
}

}  // namespace ops_float_test
}  // namespace warpfold::isa
