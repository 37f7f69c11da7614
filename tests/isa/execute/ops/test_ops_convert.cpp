// SPDX-License-Identifier: Apache-2.0
// cvt with floating point on either side, every rounding mode, against MPFR and GMP.
#include "tests/isa/mpfr_reference.h"

namespace warpfold::isa {
namespace ops_convert_test {

using Type = Opcode::Type;

std::vector<Opcode> conversions(char to, char from) {
  std::vector<Opcode> found;
  const auto is = [](Type type, char kind) { return (type.kind == 'f') == (kind == 'f'); };
  for (const Opcode& opcode : opcodes_named({"cvt"})) {
    if (is(opcode.types[0], to) && is(opcode.types[1], from)) found.push_back(opcode);
  }
  return found;
}

// The integer of `type`, exactly.
void set_integer(mpz_t to, std::uint64_t bits, Type type) {
  mpz_set_ui(to, low_bits(bits, type.bits));
  if (type.kind != 's' || (bits >> (type.bits - 1) & 1) == 0) return;
  mpz_t modulus;
  mpz_init(modulus);
  mpz_ui_pow_ui(modulus, 2, type.bits);
  mpz_sub(to, to, modulus);
  mpz_clear(modulus);
}

TEST(Conversions, FromIntegers) {
  const auto opcodes = conversions('f', 'i');
  EXPECT_EQ(opcodes.size(), 2 * 8 * 4 * 2U);
  for (const Opcode& opcode : opcodes) {
    const Format format{opcode.types[0].bits};
    expect_exact(opcode, [&](const Operands& operands) {
      mpz_t value;
      mpz_init(value);
      set_integer(value, operands[0], opcode.types[1]);
      const mpfr_rnd_t rounding = rounding_of(opcode);
      const std::uint64_t result =
          rounded(format, rounding, [&](mpfr_ptr d) { return mpfr_set_z(d, value, rounding); });
      mpz_clear(value);
      return delivered(opcode, format, result, {});
    });
  }
}

// Rounded, then limited to the range of the destination. NaN gives 0 if neither side has 64 bits, else the most
// significant bit (PTX ISA §9.7.9, cvt).
std::uint64_t to_integer(const Opcode& opcode, std::uint64_t bits) {
  const Type to = opcode.types[0];
  const Format format{opcode.types[1].bits};
  if (opcode.has("ftz")) bits = format.flush(bits);
  if (format.is_nan(bits)) return to.bits < 64 && format.bits < 64 ? 0 : std::uint64_t{1} << (to.bits - 1);
  Real value, low, high;
  set_bits(value, bits, format);
  if (rounding_of(opcode) == MPFR_RNDN)
    mpfr_roundeven(value, value);
  else
    mpfr_rint(value, value, rounding_of(opcode));
  mpfr_set_ui_2exp(high, 1, to.kind == 's' ? to.bits - 1 : to.bits, MPFR_RNDN);
  if (to.kind == 's')
    mpfr_neg(low, high, MPFR_RNDN);
  else
    mpfr_set_zero(low, 1);
  mpfr_sub_ui(high, high, 1, MPFR_RNDN);
  if (mpfr_less_p(value, low)) mpfr_set(value, low, MPFR_RNDN);
  if (mpfr_greater_p(value, high)) mpfr_set(value, high, MPFR_RNDN);
  mpz_t integer, wrapped;
  mpz_init(integer);
  mpz_init(wrapped);
  mpfr_get_z(integer, value, MPFR_RNDN);
  mpz_fdiv_r_2exp(wrapped, integer, to.bits);
  const std::uint64_t result = mpz_get_ui(wrapped);
  mpz_clear(integer);
  mpz_clear(wrapped);
  return result;
}

TEST(Conversions, ToIntegers) {
  const auto opcodes = conversions('i', 'f');
  EXPECT_EQ(opcodes.size(), 8 * 4 * (4 + 2U));
  for (const Opcode& opcode : opcodes) {
    expect_exact(opcode, [&](const Operands& operands) { return to_integer(opcode, operands[0]); });
  }
}

// NaN keeps sign and payload on its way to double, the top bits first.
std::uint64_t widened_nan(std::uint64_t bits) {
  return (bits >> 31) << 63 | 0x7ff8000000000000 | (bits & 0x3fffff) << 29;
}

std::uint64_t between_floats(const Opcode& opcode, std::uint64_t bits) {
  const Format to{opcode.types[0].bits}, from{opcode.types[1].bits};
  if (opcode.has("ftz") && from.bits == 32) bits = from.flush(bits);
  if (from.is_nan(bits))
    return delivered(opcode, to, to.bits == 32 ? 0x7fffffff : 0x7ff8000000000000,
                     {from.bits == 64 ? bits : widened_nan(bits)});
  Real value;
  set_bits(value, bits, from);
  const bool integral = opcode.has("rni") || opcode.has("rzi") || opcode.has("rmi") || opcode.has("rpi");
  const mpfr_rnd_t rounding = rounding_of(opcode);
  if (integral) mpfr_rint(value, value, rounding);
  const std::uint64_t result = rounded(to, rounding, [&](mpfr_ptr d) { return mpfr_set(d, value, rounding); });
  return delivered(opcode, to, result, {});
}

TEST(Conversions, BetweenFloats) {
  const auto opcodes = conversions('f', 'f');
  // To f32 from f64: 4 modes × 4; to f64 from f32: 4; in place: 4 and 2, and integral in 4 modes.
  EXPECT_EQ(opcodes.size(), 4 * 4 + 4 + (4 + 2) * 5U);
  for (const Opcode& opcode : opcodes) {
    expect_exact(opcode, [&](const Operands& operands) { return between_floats(opcode, operands[0]); });
  }
}

}  // namespace ops_convert_test
}  // namespace warpfold::isa
