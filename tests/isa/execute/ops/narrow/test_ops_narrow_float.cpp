// SPDX-License-Identifier: Apache-2.0
// bf16 against MPFR with its exponents and subnormals; what f16 and bf16 have besides arithmetic against comparisons
// and conversions in double.
#include <mpfr.h>

#include <cmath>

#include "tests/isa/mpfr_reference.h"
#include "tests/isa/op_harness.h"
#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {
namespace ops_narrow_float_test {

constexpr std::uint64_t kNan = 0x7fff;

float bfloat_value(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)); }

// Rounds an exact number to 8 bits within bf16's range: bits of the float that it is.
std::uint64_t rounded_bfloat(mpfr_ptr exact, mpfr_rnd_t mode) {
  if (mpfr_nan_p(exact) != 0) return kNan;
  const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
  Real number(8);
  const int inexact = mpfr_set(number, exact, mode);
  mpfr_set_emin(-132);
  mpfr_set_emax(128);
  mpfr_subnormalize(number, mpfr_check_range(number, inexact, mode), mode);
  const float value = mpfr_get_flt(number, MPFR_RNDN);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  return std::bit_cast<std::uint32_t>(value) >> 16;
}

std::vector<Operands> operands() {
  std::vector<Operands> batch;
  std::mt19937_64 random(31);
  const std::vector<std::uint64_t> edges = {0,      1,      0x7f,   0x80,   0x81,   0x3f7f, 0x3f80,
                                            0x3f81, 0x4049, 0x7f7f, 0x7f80, 0x7fc0, 0x0100, 0x4300};
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) {
      for (const std::uint64_t c : edges) {
        const std::uint64_t signs = random();
        batch.push_back({a | (signs & 1) << 15, b | (signs & 2) << 14, c | (signs & 4) << 13});
      }
    }
  }
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t near = 0x3f80 + random() % 0x200;  // sums that cancel
    batch.push_back({random() & 0xffff, random() & 0xffff, random() & 0xffff});
    batch.push_back({near | (random() & 0x8000), (0x3f80 + random() % 0x100) | (random() & 0x8000), near ^ 0x8000});
  }
  return batch;
}

using Exact = void (*)(mpfr_ptr, mpfr_ptr, mpfr_ptr, mpfr_ptr);

void expect_bfloat(const std::string& name, const std::vector<std::string>& modifiers, Exact exact) {
  const auto batch = operands();
  const auto got = run_batch(find_op(name, modifiers).value(), batch);
  Real a, b, c, result;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    mpfr_set_flt(a, bfloat_value(batch[i][0]), MPFR_RNDN);
    mpfr_set_flt(b, bfloat_value(batch[i][1]), MPFR_RNDN);
    mpfr_set_flt(c, bfloat_value(batch[i][2]), MPFR_RNDN);
    exact(result, a, b, c);
    ASSERT_EQ(got[i][0], rounded_bfloat(result, MPFR_RNDN))
        << name << std::hex << " of " << batch[i][0] << " " << batch[i][1] << " " << batch[i][2];
  }
}

TEST(Bfloat, ArithmeticRoundsOnce) {
  expect_bfloat("add", {"bf16"}, [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr b, mpfr_ptr) { mpfr_add(d, a, b, MPFR_RNDN); });
  expect_bfloat("sub", {"rn", "bf16"},
                [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr b, mpfr_ptr) { mpfr_sub(d, a, b, MPFR_RNDN); });
  expect_bfloat("mul", {"bf16"}, [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr b, mpfr_ptr) { mpfr_mul(d, a, b, MPFR_RNDN); });
  expect_bfloat("fma", {"rn", "bf16"},
                [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr b, mpfr_ptr c) { mpfr_fma(d, a, b, c, MPFR_RNDN); });
}

// .oob: a factor of that NaN, of either sign, gives +0, be the others what they may. All else is as without.
TEST(NarrowFloats, FactorsFromOutsideOfATensorGiveZero) {
  std::mt19937_64 random(9);
  const std::vector<std::uint64_t> edges{0x7ff7, 0xfff7, 0x7ff6, 0x7ff8, 0x7fff, 0x7c00, 0xff80, 0x7f80, 0,
                                         0x8000, 1,      0x8001, 0x3c00, 0xbc00, 0x3f80, 0xbf80, 0x7bff, 0x7f7f};
  std::vector<Operands> batch;
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) {
      for (const std::uint64_t c : edges) batch.push_back({a, b, c});
    }
  }
  for (int i = 0; i < 5000; ++i) batch.push_back({random() & 0xffff, random() & 0xffff, random() & 0xffff});
  for (const std::string type : {"f16", "bf16"}) {
    for (const std::string relu : {"", "relu"}) {
      std::vector<std::string> words{"rn"};
      if (!relu.empty()) words.push_back(relu);
      words.push_back(type);
      const auto plain = run_batch(find_op("fma", words).value(), batch);
      words.insert(words.begin() + 1, "oob");
      const auto got = run_batch(find_op("fma", words).value(), batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto outside = [&](unsigned k) { return batch[i][k] == 0x7ff7 || batch[i][k] == 0xfff7; };
        ASSERT_EQ(got[i][0], outside(0) || outside(1) ? 0 : plain[i][0])
            << type << relu << std::hex << " " << batch[i][0] << " " << batch[i][1] << " " << batch[i][2];
      }
    }
  }
}

TEST(Bfloat, PairsAreTwoOfThem) {
  std::mt19937_64 random(5);
  std::vector<Operands> pairs, low, high;
  for (int i = 0; i < 2000; ++i) {
    const Operands pair{random() & 0xffffffff, random() & 0xffffffff, random() & 0xffffffff};
    pairs.push_back(pair);
    low.push_back({pair[0] & 0xffff, pair[1] & 0xffff, pair[2] & 0xffff});
    high.push_back({pair[0] >> 16, pair[1] >> 16, pair[2] >> 16});
  }
  unsigned checked = 0;
  for (const std::string& text : op_names()) {
    if (!text.ends_with("f16x2") || text.starts_with("set") || text.starts_with("cvt")) continue;
    std::string single = text.substr(0, text.size() - 2);
    const Opcode of_pair(text), of_one(single);
    const auto both = run_batch(of_pair.info(), pairs), first = run_batch(of_one.info(), low),
               second = run_batch(of_one.info(), high);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ASSERT_EQ(both[i][0], first[i][0] | second[i][0] << 16) << text;
    }
    ++checked;
  }
  EXPECT_GT(checked, 30U);
}

double value_of(std::uint64_t bits, bool brain) {
  return brain ? double{bfloat_value(bits)} : Half(static_cast<std::uint32_t>(bits)).value();
}

TEST(NarrowFloats, ComparisonsAreThoseOfTheNumbers) {
  const auto batch = operands();
  using Compare = bool (*)(double, double);
  const std::vector<std::pair<std::string, Compare>> compares = {
      {"eq", [](double a, double b) { return a == b; }},
      {"ne", [](double a, double b) { return a == a && b == b && a != b; }},
      {"lt", [](double a, double b) { return a < b; }},
      {"leu", [](double a, double b) { return !(a > b); }},
      {"neu", [](double a, double b) { return a != b; }},
      {"num", [](double a, double b) { return a == a && b == b; }}};
  for (const bool brain : {false, true}) {
    const std::string type = brain ? "bf16" : "f16";
    for (const auto& [name, holds] : compares) {
      const auto plain = run_batch(find_op("setp", std::vector<std::string>{name, type}).value(), batch);
      const auto with = run_batch(find_op("setp", std::vector<std::string>{name, "xor", type}).value(), batch);
      const auto set = run_batch(find_op("set", std::vector<std::string>{name, type, type}).value(), batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const bool expected = holds(value_of(batch[i][0], brain), value_of(batch[i][1], brain));
        ASSERT_EQ(plain[i][0] != 0, expected) << name << type << std::hex << batch[i][0] << " " << batch[i][1];
        ASSERT_EQ(plain[i][1] != 0, !expected);
        ASSERT_EQ(with[i][0] != 0, expected != (batch[i][2] != 0));
        ASSERT_EQ(set[i][0], expected ? (brain ? 0x3f80U : 0x3c00U) : 0U);
      }
    }
    const auto least = run_batch(find_op("min", std::vector<std::string>{type}).value(), batch);
    const auto most = run_batch(find_op("max", std::vector<std::string>{"NaN", type}).value(), batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const double a = value_of(batch[i][0], brain), b = value_of(batch[i][1], brain);
      const double low = value_of(least[i][0], brain), high = value_of(most[i][0], brain);
      if (std::isnan(a) || std::isnan(b)) {
        ASSERT_EQ(most[i][0], kNan);
        ASSERT_TRUE(std::isnan(a) ? std::isnan(b) == std::isnan(low) && (std::isnan(b) || low == b) : low == a);
      } else {
        ASSERT_EQ(low, std::fmin(a, b));
        ASSERT_EQ(high, std::fmax(a, b));
        const bool minus = std::signbit(a) || std::signbit(b);
        ASSERT_TRUE(a != 0 || b != 0 || std::signbit(low) == minus);
      }
    }
  }
}

TEST(NarrowFloats, ExtremesOfMagnitudesAndOfFlushedNumbers) {
  const auto batch = operands();
  const auto extremes = [&](const std::vector<std::string>& modifiers) {
    return run_batch(find_op("max", modifiers).value(), batch);
  };
  for (const bool brain : {false, true}) {
    const std::string type = brain ? "bf16" : "f16";
    const auto most = extremes({"xorsign", "abs", type}), strict = extremes({"NaN", "xorsign", "abs", type});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const double a = value_of(batch[i][0], brain), b = value_of(batch[i][1], brain);
      const double x = value_of(most[i][0], brain);
      const bool any = std::isnan(a) || std::isnan(b);
      ASSERT_EQ(strict[i][0], any ? kNan : most[i][0]);
      if (std::isnan(a) && std::isnan(b)) {
        ASSERT_EQ(most[i][0], kNan);
      } else {
        ASSERT_EQ(std::fabs(x), std::fmax(std::fabs(a), std::fabs(b)));
        ASSERT_EQ(most[i][0] >> 15, (batch[i][0] ^ batch[i][1]) >> 15);
      }
    }
  }
  const auto flushed = extremes({"ftz", "f16"}), plain = extremes({"f16"});
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto flush = [](std::uint64_t bits) { return (bits & 0x7c00) == 0 ? bits & 0x8000 : bits; };
    const bool zeros = (flush(batch[i][0]) & flush(batch[i][1]) & 0x7fff) == 0;
    if (!zeros) {
      ASSERT_EQ(flushed[i][0], flush(plain[i][0])) << std::hex << batch[i][0] << " " << batch[i][1];
    } else {
      ASSERT_EQ(value_of(flushed[i][0], false),
                std::fmax(value_of(flush(batch[i][0]), false), value_of(flush(batch[i][1]), false)));
    }
  }
}

TEST(NarrowFloats, ApproximationsStayWithinPtxsBounds) {
  std::vector<Operands> halves;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) halves.push_back({bits});
  const auto power = run_batch(find_op("ex2", std::vector<std::string>{"approx", "f16"}).value(), halves);
  const auto tanh = run_batch(find_op("tanh", std::vector<std::string>{"approx", "f16"}).value(), halves);
  for (const Operands& operand : halves) {
    const double x = value_of(operand[0], false);
    if (std::isnan(x)) continue;
    const double y = std::exp2(x), t = std::tanh(x);
    const double got = value_of(power[operand[0]][0], false), hyperbolic = value_of(tanh[operand[0]][0], false);
    if (y < 65520) {
      ASSERT_LE(std::fabs(got - y), y * 0x1p-9 + 0x1p-24) << x;
    } else {
      ASSERT_TRUE(std::isinf(got)) << x;
    }
    ASSERT_LE(std::fabs(hyperbolic - t), 0x1p-10 * std::fabs(t) + 0x1p-24) << x;
  }
  std::vector<Operands> floats;
  for (float x = 1e-30F; x < 50; x *= 1.01F) floats.push_back({std::bit_cast<std::uint32_t>(x)});
  const auto wide = run_batch(find_op("tanh", std::vector<std::string>{"approx", "f32"}).value(), floats);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const double t = std::tanh(double{std::bit_cast<float>(static_cast<std::uint32_t>(floats[i][0]))});
    ASSERT_LE(std::fabs(std::bit_cast<float>(static_cast<std::uint32_t>(wide[i][0])) - t), t * 0x1p-20);
  }
}

TEST(Floats, ExtremesOfMagnitudesHaveTheSignOfTheProduct) {
  std::vector<Operands> batch;
  for (const std::uint64_t a : float_edges(32)) {
    for (const std::uint64_t b : float_edges(32)) batch.push_back({a, b});
  }
  const auto least = run_batch(find_op("min", std::vector<std::string>{"xorsign", "abs", "f32"}).value(), batch);
  const auto most = run_batch(find_op("max", std::vector<std::string>{"xorsign", "abs", "f32"}).value(), batch);
  const auto number = [](std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const float a = number(batch[i][0]), b = number(batch[i][1]);
    if (std::isnan(a) || std::isnan(b)) {  // the other one, if it is a number
      const bool none = std::isnan(a) && std::isnan(b);
      ASSERT_EQ(std::isnan(number(least[i][0])), none);
      ASSERT_TRUE(none || std::fabs(number(most[i][0])) == std::fabs(std::isnan(a) ? b : a));
      continue;
    }
    const float sign = std::signbit(a) != std::signbit(b) ? -1.0F : 1.0F;
    ASSERT_EQ(number(least[i][0]), std::copysign(std::fmin(std::fabs(a), std::fabs(b)), sign)) << a << " " << b;
    ASSERT_EQ(number(most[i][0]), std::copysign(std::fmax(std::fabs(a), std::fabs(b)), sign)) << a << " " << b;
  }
}

}  // namespace ops_narrow_float_test
}  // namespace warpfold::isa
