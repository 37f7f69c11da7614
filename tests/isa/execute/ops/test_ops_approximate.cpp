// SPDX-License-Identifier: Apache-2.0
// The approximate functions stay within the errors that PTX allows (PTX ISA §9.7.3), and their special values are
// PTX's.
#include <cmath>

#include "tests/isa/mpfr_reference.h"

namespace warpfold::isa {
namespace ops_approximate_test {

constexpr Format kSingle{32}, kDouble{64};
constexpr std::uint64_t kNan = 0x7fffffff, kInfinity = 0x7f800000, kMinusInfinity = 0xff800000, kMinusZero = 0x80000000;

using Exact = std::function<void(mpfr_ptr d, mpfr_ptr a, mpfr_ptr b)>;
// What may be: |error| against the exact value and the operand.
using Bound = std::function<bool(mpfr_ptr error, mpfr_ptr exact, mpfr_ptr a)>;

bool at_most(mpfr_ptr error, double bound) { return mpfr_cmp_d(error, bound) <= 0; }

Bound relative(double bound) {
  return [bound](mpfr_ptr error, mpfr_ptr exact, mpfr_ptr) {
    Real limit(200);
    mpfr_mul_d(limit, exact, bound, MPFR_RNDU);
    mpfr_abs(limit, limit, MPFR_RNDN);
    return mpfr_lessequal_p(error, limit) != 0;
  };
}

// Units in the last place of the exact value, as a float.
Bound ulps(double count) {
  return [count](mpfr_ptr error, mpfr_ptr exact, mpfr_ptr) {
    const mpfr_exp_t exponent = std::max<mpfr_exp_t>(mpfr_get_exp(exact), -125);
    return at_most(error, std::ldexp(count, static_cast<int>(exponent) - 24));
  };
}

// Operands for which the exact result is a normal number: elsewhere the bounds say nothing and special values are
// tested by name.
void expect_within(const Opcode& opcode, Format format, const Exact& exact_of, const Bound& within,
                   const std::function<bool(double, double)>& covers) {
  const OpInfo info = opcode.info();
  const auto sets = operand_sets(info, 4000, 20000);
  const auto results = run_batch(info, sets);
  unsigned failures = 0, checked = 0;
  for (std::size_t n = 0; n < sets.size() && failures < 3; ++n) {
    if (format.is_subnormal(sets[n][0]) || format.is_subnormal(sets[n][1])) continue;
    Real a(64), b(64), exact(200), error(200), result(64);
    set_bits(a, sets[n][0], format);
    set_bits(b, sets[n][1], format);
    if (!mpfr_number_p(a) || !mpfr_number_p(b) || !covers(mpfr_get_d(a, MPFR_RNDN), mpfr_get_d(b, MPFR_RNDN))) continue;
    exact_of(exact, a, b);
    if (!mpfr_regular_p(exact) || mpfr_get_exp(exact) > format.emax() - 1 ||
        mpfr_get_exp(exact) < format.emin() + format.precision())
      continue;
    set_bits(result, results[n][0], format);
    mpfr_sub(error, result, exact, MPFR_RNDA);
    mpfr_abs(error, error, MPFR_RNDN);
    ++checked;
    if (mpfr_number_p(result) && within(error, exact, a)) continue;
    ++failures;
    ADD_FAILURE() << describe(opcode, sets[n], info.s_count, results[n][0]) << " is off by "
                  << mpfr_get_d(error, MPFR_RNDN);
  }
  EXPECT_GT(checked, 200U) << opcode.text;
}

void expect_both(const std::string& name, const Exact& exact, const Bound& within,
                 const std::function<bool(double, double)>& covers) {
  expect_within(Opcode(name + ".f32"), kSingle, exact, within, covers);
  expect_within(Opcode(name + ".ftz.f32"), kSingle, exact, within, covers);
}

bool any(double, double) { return true; }
bool positive(double a, double) { return a > 0; }

TEST(ApproximateOps, Exponential) {
  expect_both(
      "ex2.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_exp2(d, a, MPFR_RNDN); }, relative(0x1p-22), any);
}

// 2^-22.6 absolute near 1, where the logarithm vanishes; elsewhere relative.
TEST(ApproximateOps, Logarithm) {
  const Bound within = [](mpfr_ptr error, mpfr_ptr exact, mpfr_ptr a) {
    const double x = mpfr_get_d(a, MPFR_RNDN);
    return x > 0.5 && x < 2 ? at_most(error, 1.57e-7) : relative(0x1p-22)(error, exact, a);
  };
  expect_both(
      "lg2.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_log2(d, a, MPFR_RNDN); }, within, positive);
}

// 2^-20.9 absolute, over the range for which PTX states any bound.
TEST(ApproximateOps, SineAndCosine) {
  const auto covers = [](double a, double) { return std::abs(a) < 100 * 3.1415927; };
  const Bound within = [](mpfr_ptr error, mpfr_ptr, mpfr_ptr) { return at_most(error, 5.1e-7); };
  expect_both(
      "sin.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_sin(d, a, MPFR_RNDN); }, within, covers);
  expect_both(
      "cos.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_cos(d, a, MPFR_RNDN); }, within, covers);
}

// Whatever the argument, sine and cosine are in [−1, 1].
TEST(ApproximateOps, SineAndCosineStayInRange) {
  for (const char* name : {"sin.approx.f32", "cos.approx.f32"}) {
    const OpInfo info = Opcode(name).info();
    const auto sets = operand_sets(info);
    const auto results = run_batch(info, sets);
    for (std::size_t n = 0; n < sets.size(); ++n) {
      const bool finite = (sets[n][0] & kInfinity) != kInfinity;
      EXPECT_TRUE(finite ? (results[n][0] & 0x7fffffff) <= 0x3f800000 : results[n][0] == kNan)
          << name << std::hex << sets[n][0];
    }
  }
}

TEST(ApproximateOps, ReciprocalsAndRoots) {
  expect_both(
      "rcp.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_ui_div(d, 1, a, MPFR_RNDN); }, ulps(1), any);
  expect_both(
      "sqrt.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_sqrt(d, a, MPFR_RNDN); }, relative(0x1p-23), positive);
  expect_both(
      "rsqrt.approx", [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_rec_sqrt(d, a, MPFR_RNDN); }, relative(0x1.1p-23),
      positive);
}

TEST(ApproximateOps, Quotients) {
  const Exact quotient = [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr b) { mpfr_div(d, a, b, MPFR_RNDN); };
  const auto moderate = [](double, double b) { return std::abs(b) >= 0x1p-126 && std::abs(b) <= 0x1p126; };
  expect_both("div.approx", quotient, ulps(2), moderate);
  expect_both("div.full", quotient, ulps(2), any);
}

TEST(ApproximateOps, DoublePrecision) {
  const Exact root = [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_rec_sqrt(d, a, MPFR_RNDN); };
  const Exact inverse = [](mpfr_ptr d, mpfr_ptr a, mpfr_ptr) { mpfr_ui_div(d, 1, a, MPFR_RNDN); };
  expect_within(Opcode("rsqrt.approx.f64"), kDouble, root, relative(0x1p-51), positive);
  expect_within(Opcode("rsqrt.approx.ftz.f64"), kDouble, root, relative(0x1p-19), positive);
  expect_within(Opcode("rcp.approx.ftz.f64"), kDouble, inverse, relative(0x1p-19), any);
  for (const char* name : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"}) {
    const OpInfo info = Opcode(name).info();
    for (const Results& result : run_batch(info, operand_sets(info))) ASSERT_EQ(result[0] & 0xffffffff, 0U) << name;
  }
}

std::uint64_t single(const std::string& opcode, std::uint64_t a, std::uint64_t b = 0) {
  return run_batch(Opcode(opcode).info(), std::vector{Operands{a, b}})[0][0];
}

TEST(ApproximateOps, SpecialValues) {
  EXPECT_EQ(single("ex2.approx.f32", kMinusInfinity), 0U);
  EXPECT_EQ(single("ex2.approx.f32", kInfinity), kInfinity);
  EXPECT_EQ(single("ex2.approx.f32", 0xffc00001), kNan);
  EXPECT_EQ(single("ex2.approx.f32", kMinusZero), 0x3f800000U);
  EXPECT_EQ(single("ex2.approx.f32", 0x43000000), kInfinity);    // 128
  EXPECT_EQ(single("ex2.approx.f32", 0xc3020000), 0x00080000U);  // −130: a subnormal result
  EXPECT_EQ(single("ex2.approx.ftz.f32", 0xc3020000), 0U);
  EXPECT_EQ(single("lg2.approx.f32", 0), kMinusInfinity);
  EXPECT_EQ(single("lg2.approx.f32", kMinusZero), kMinusInfinity);
  EXPECT_EQ(single("lg2.approx.f32", 0xbf800000), kNan);
  EXPECT_EQ(single("lg2.approx.f32", kInfinity), kInfinity);
  EXPECT_EQ(single("lg2.approx.f32", 1), 0xc3150000U);  // 2^-149
  EXPECT_EQ(single("lg2.approx.ftz.f32", 1), kMinusInfinity);
  EXPECT_EQ(single("sin.approx.f32", kMinusZero), kMinusZero);
  EXPECT_EQ(single("cos.approx.f32", kMinusZero), 0x3f800000U);
  EXPECT_EQ(single("rcp.approx.f32", kMinusZero), kMinusInfinity);
  EXPECT_EQ(single("rcp.approx.f32", kMinusInfinity), kMinusZero);
  EXPECT_EQ(single("rcp.approx.ftz.f32", 0x80000001), kMinusInfinity);
  EXPECT_EQ(single("sqrt.approx.f32", kMinusZero), kMinusZero);
  EXPECT_EQ(single("sqrt.approx.f32", 0xbf800000), kNan);
  EXPECT_EQ(single("rsqrt.approx.f32", kMinusZero), kMinusInfinity);
  EXPECT_EQ(single("rsqrt.approx.f32", kInfinity), 0U);
  EXPECT_EQ(single("rsqrt.approx.f32", 0xbf800000), kNan);
}

// Beyond |b| = 2^126 the fast quotient is 0, or NaN when a is infinite (PTX ISA §9.7.3, div).
TEST(ApproximateOps, FastQuotientByHugeNumbers) {
  EXPECT_EQ(single("div.approx.f32", 0x7f000000, 0x7e800001), 0U);
  EXPECT_EQ(single("div.approx.f32", kInfinity, 0x7e800001), kNan);
  EXPECT_EQ(single("div.approx.f32", 0x7e800000, 0x7e800000), 0x3f800000U);
  EXPECT_EQ(single("div.full.f32", 0x7f000000, 0x7f000000), 0x3f800000U);
}

// Every family of the table belongs to one of the test programs for instructions.
TEST(OpTable, EveryFamilyIsTested) {
  const std::vector<std::string> tested{
      "abs",       "add",      "addc",  "and",    "bfe",    "bfi",   "bfind", "bmsk",  "brev",   "clz",
      "cnot",      "copysign", "cos",   "cvt",    "cvta",   "div",   "dp2a",  "dp4a",  "ex2",    "fma",
      "fns",       "isspacep", "lg2",   "lop3",   "mad",    "mad24", "madc",  "max",   "max3",   "min",
      "min3",      "mov",      "mul",   "mul24",  "neg",    "not",   "or",    "pack",  "popc",   "prmt",
      "rcp",       "rem",      "rsqrt", "sad",    "selp",   "set",   "setp",  "shf",   "shl",    "shr",
      "sin",       "slct",     "sqrt",  "sub",    "subc",   "szext", "tanh",  "testp", "unpack", "vabsdiff2",
      "vabsdiff4", "vadd2",    "vadd4", "vavrg2", "vavrg4", "vmax2", "vmax4", "vmin2", "vmin4",  "video",
      "vset2",     "vset4",    "vsub2", "vsub4",  "xor"};
  for (const std::string& text : op_names()) {
    EXPECT_NE(std::find(tested.begin(), tested.end(), Opcode(text).name), tested.end()) << text;
  }
  EXPECT_FALSE(find_op("tanh", std::vector<std::string>{"f32"}).has_value());
  EXPECT_FALSE(find_op("add", std::vector<std::string>{"tf32"}).has_value());
}

}  // namespace ops_approximate_test
}  // namespace warpfold::isa
