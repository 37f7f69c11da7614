// SPDX-License-Identifier: Apache-2.0
// Half precision against MPFR, with the exponents and the subnormals of IEEE's binary16: every half where there is one
// operand, random and edge pairs and triples where there are more.
#include <mpfr.h>

#include <cmath>
#include <vector>

#include "tests/isa/op_harness.h"
#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {
namespace ops_half_test {

constexpr std::uint64_t kNan = 0x7fff;

bool is_half_nan(std::uint64_t bits) { return (bits & 0x7fff) > 0x7c00; }

// By the definition of the format, for finite numbers and infinities.
double value_of(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), mantissa = static_cast<int>(bits & 1023);
  const double magnitude = exponent == 31  ? std::numeric_limits<double>::infinity()
                           : exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// The bits of an exact number rounded once to a half: MPFR rounds to 11 bits within half's range of exponents.
std::uint64_t rounded_half(mpfr_ptr exact, mpfr_rnd_t mode) {
  if (mpfr_nan_p(exact) != 0) return kNan;
  const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  mpfr_t half;
  mpfr_init2(half, 11);
  const int inexact = mpfr_set(half, exact, mode);
  mpfr_set_emin(-23);
  mpfr_set_emax(16);
  mpfr_subnormalize(half, mpfr_check_range(half, inexact, mode), mode);
  const double value = mpfr_get_d(half, MPFR_RNDN);
  mpfr_clear(half);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(value)) return sign | 0x7c00;
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // in [0.5, 1)
  if (exponent < -13) return sign | static_cast<std::uint64_t>(std::ldexp(fraction, exponent + 24));
  return sign |
         ((static_cast<std::uint64_t>(exponent + 14) << 10) + static_cast<std::uint64_t>(fraction * 2048) - 1024);
}

std::vector<Operands> half_operands() {
  std::vector<Operands> batch;
  std::mt19937_64 random(20);
  const std::vector<std::uint64_t> edges = {0, 1, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00};
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) {
      for (const std::uint64_t c : edges) {
        for (unsigned signs = 0; signs < 8; ++signs) {
          batch.push_back({a | (signs & 1) << 15, b | (signs & 2) << 14, c | (signs & 4) << 13});
        }
      }
    }
  }
  for (int i = 0; i < 60000; ++i) {
    const std::uint64_t word = random();
    batch.push_back({word & 0xffff, word >> 16 & 0xffff, word >> 32 & 0xffff});
  }
  return batch;
}

std::uint64_t expected_arithmetic(const std::string& name, const Operands& operands) {
  mpfr_t value[3], result;
  mpfr_init2(result, 200);
  for (unsigned k = 0; k < 3; ++k) {
    mpfr_init2(value[k], 53);
    if (is_half_nan(operands[k]))
      mpfr_set_nan(value[k]);
    else
      mpfr_set_d(value[k], value_of(operands[k]), MPFR_RNDN);
  }
  if (name == "add") mpfr_add(result, value[0], value[1], MPFR_RNDN);
  if (name == "sub") mpfr_sub(result, value[0], value[1], MPFR_RNDN);
  if (name == "mul") mpfr_mul(result, value[0], value[1], MPFR_RNDN);
  if (name == "fma") mpfr_fma(result, value[0], value[1], value[2], MPFR_RNDN);
  const std::uint64_t bits = rounded_half(result, MPFR_RNDN);
  for (auto& v : value) mpfr_clear(v);
  mpfr_clear(result);
  return bits;
}

std::uint64_t flushed(std::uint64_t bits) { return (bits & 0x7c00) == 0 ? bits & 0x8000 : bits; }

std::uint64_t saturated(std::uint64_t bits) {
  const bool above = bits < 0x8000 && bits > 0x3c00, below = bits >= 0x8000 || bits == kNan;
  return below ? 0 : above ? 0x3c00 : bits;
}

TEST(HalfOps, FlushedOperandsAndResults) {
  std::vector<Operands> batch = half_operands();
  for (std::size_t i = 0; i < batch.size(); i += 3) batch[i][1] &= 0x83ff;  // subnormals, which are rare else
  for (const std::string opcode : {"add", "sub", "mul", "fma"}) {
    const std::vector<Results> results = run_batch(Opcode(opcode + ".rn.ftz.f16").info(), batch),
                               limited = run_batch(Opcode(opcode + ".rn.ftz.sat.f16").info(), batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Operands operands = batch[i];
      for (std::uint64_t& operand : operands) operand = flushed(operand);
      const std::uint64_t expected = expected_arithmetic(opcode, operands);
      ASSERT_EQ(results[i][0], flushed(expected))
          << opcode << std::hex << " " << batch[i][0] << " " << batch[i][1] << " " << batch[i][2];
      ASSERT_EQ(limited[i][0], flushed(saturated(expected)));
    }
  }
  const auto positive = run_batch(Opcode("fma.rn.ftz.relu.f16").info(), batch);
  const auto plain = run_batch(Opcode("fma.rn.ftz.f16").info(), batch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ASSERT_EQ(positive[i][0], plain[i][0] != kNan && plain[i][0] >= 0x8000 ? 0 : plain[i][0]);
  }
}

TEST(HalfOps, ArithmeticRoundsOnce) {
  const std::vector<Operands> batch = half_operands();
  for (const std::string opcode : {"add", "sub", "mul", "fma"}) {
    const std::vector<Results> results = run_batch(Opcode(opcode + ".rn.f16").info(), batch);
    std::vector<Operands> pairs;
    for (std::size_t i = 1; i < batch.size(); ++i) {
      Operands pair{};
      for (unsigned k = 0; k < 3; ++k) pair[k] = batch[i - 1][k] << 16 | batch[i][k];
      pairs.push_back(pair);
    }
    const std::vector<Results> both = run_batch(Opcode(opcode + ".rn.f16x2").info(), pairs);
    const std::vector<Results> limited = run_batch(Opcode(opcode + ".rn.sat.f16").info(), batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::uint64_t expected = expected_arithmetic(opcode, batch[i]);
      ASSERT_EQ(results[i][0], expected) << opcode << " " << std::hex << batch[i][0] << " " << batch[i][1] << " "
                                         << batch[i][2];
      ASSERT_EQ(limited[i][0], saturated(expected));
      if (i > 0) {
        ASSERT_EQ(both[i - 1][0], expected_arithmetic(opcode, batch[i - 1]) << 16 | expected);
      }
    }
  }
}

TEST(HalfOps, WideningIsExactForEveryHalf) {
  std::vector<Operands> batch;
  for (std::uint64_t bits = 0; bits < 65536; ++bits) batch.push_back({bits});
  const std::vector<Results> single = run_batch(Opcode("cvt.f32.f16").info(), batch),
                             wide = run_batch(Opcode("cvt.f64.f16").info(), batch),
                             negated = run_batch(Opcode("neg.f16").info(), batch),
                             absolute = run_batch(Opcode("abs.f16").info(), batch),
                             flushed_negated = run_batch(Opcode("neg.ftz.f16").info(), batch),
                             flushed_absolute = run_batch(Opcode("abs.ftz.f16").info(), batch),
                             flushed_single = run_batch(Opcode("cvt.ftz.f32.f16").info(), batch);
  for (std::uint64_t bits = 0; bits < 65536; ++bits) {
    const float f = std::bit_cast<float>(static_cast<std::uint32_t>(single[bits][0]));
    const double d = std::bit_cast<double>(wide[bits][0]);
    if (is_half_nan(bits)) {
      ASSERT_TRUE(std::isnan(f) && std::isnan(d));
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(d), std::bit_cast<std::uint64_t>(value_of(bits)));
      ASSERT_EQ(static_cast<double>(f), d);
    }
    ASSERT_EQ(negated[bits][0], bits ^ 0x8000);
    ASSERT_EQ(absolute[bits][0], bits & 0x7fff);
    ASSERT_EQ(flushed_negated[bits][0], flushed(bits) ^ 0x8000);
    ASSERT_EQ(flushed_absolute[bits][0], flushed(bits) & 0x7fff);
    ASSERT_EQ(flushed_single[bits][0], single[bits][0]) << "a half that is subnormal is a normal float";
  }
}

// Around every half and every point between two of them, in each rounding mode.
TEST(HalfOps, NarrowingInEveryMode) {
  std::vector<double> values = {1e300,   -1e300,    1e-300,    -1e-300, 65519.99, 65520,
                                0x1p-25, 0x1.8p-25, 0x1p-1074, 1e-40,   -1e-40};
  for (std::uint64_t bits = 0; bits < 0x7c00; ++bits) {
    const double a = value_of(bits), b = bits == 0x7bff ? 65536 : value_of(bits + 1), middle = (a + b) / 2;
    for (const double v : {a, std::nextafter(middle, 0.0), middle, std::nextafter(middle, 1e9)}) {
      values.insert(values.end(), {v, -v});
    }
  }
  const std::pair<const char*, mpfr_rnd_t> modes[] = {
      {"rn", MPFR_RNDN}, {"rz", MPFR_RNDZ}, {"rm", MPFR_RNDD}, {"rp", MPFR_RNDU}};
  mpfr_t exact;
  mpfr_init2(exact, 53);
  for (const auto& [name, mode] : modes) {
    std::vector<Operands> doubles, floats;
    for (const double v : values) {
      doubles.push_back({std::bit_cast<std::uint64_t>(v)});
      floats.push_back({std::bit_cast<std::uint32_t>(static_cast<float>(v))});
    }
    const auto from_double = run_batch(Opcode(std::string("cvt.") + name + ".f16.f64").info(), doubles);
    const auto from_float = run_batch(Opcode(std::string("cvt.") + name + ".f16.f32").info(), floats);
    const auto from_flushed = run_batch(Opcode(std::string("cvt.") + name + ".ftz.f16.f32").info(), floats);
    const auto limited = run_batch(Opcode(std::string("cvt.") + name + ".sat.f16.f32").info(), floats);
    for (std::size_t i = 0; i < values.size(); ++i) {
      mpfr_set_d(exact, values[i], MPFR_RNDN);
      ASSERT_EQ(from_double[i][0], rounded_half(exact, mode)) << name << " " << values[i];
      mpfr_set_flt(exact, static_cast<float>(values[i]), MPFR_RNDN);
      ASSERT_EQ(from_float[i][0], rounded_half(exact, mode)) << name << " " << static_cast<float>(values[i]);
      const bool subnormal = std::fpclassify(static_cast<float>(values[i])) == FP_SUBNORMAL;
      ASSERT_EQ(from_flushed[i][0], subnormal ? from_float[i][0] & 0x8000 : from_float[i][0]) << name;
      ASSERT_EQ(limited[i][0], saturated(from_float[i][0])) << name;
    }
  }
  mpfr_clear(exact);
}

}  // namespace ops_half_test
}  // namespace warpfold::isa
