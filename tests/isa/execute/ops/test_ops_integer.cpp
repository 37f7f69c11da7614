// SPDX-License-Identifier: Apache-2.0
// Integer instructions against their definitions in unbounded integers (GMP) and bit by bit.
#include <gmpxx.h>

#include "tests/isa/op_harness.h"

namespace warpfold::isa {
namespace ops_integer_test {

using Type = Opcode::Type;

mpz_class power_of_two(unsigned exponent) {
  mpz_class value;
  mpz_ui_pow_ui(value.get_mpz_t(), 2, exponent);
  return value;
}

mpz_class from_unsigned(std::uint64_t value) { return mpz_class(static_cast<unsigned long>(value)); }

// The number that a bit pattern stands for.
mpz_class number(std::uint64_t bits, Type type) {
  mpz_class value = from_unsigned(low_bits(bits, type.bits));
  if (type.kind == 's' && value >= power_of_two(type.bits - 1)) value -= power_of_two(type.bits);
  return value;
}

// Its low bits, two's complement.
std::uint64_t wrap(const mpz_class& value, unsigned bits) {
  mpz_class low;
  mpz_fdiv_r_2exp(low.get_mpz_t(), value.get_mpz_t(), bits);
  return low.get_ui();
}

std::uint64_t clamp(const mpz_class& value, Type type) {
  const mpz_class low = type.kind == 's' ? mpz_class(-power_of_two(type.bits - 1)) : mpz_class(0);
  const mpz_class high = power_of_two(type.kind == 's' ? type.bits - 1 : type.bits) - 1;
  return wrap(value < low ? low : value > high ? high : value, type.bits);
}

// Towards zero; by zero as execute does: all ones.
mpz_class quotient(const mpz_class& a, const mpz_class& b) {
  if (b == 0) return -1;
  mpz_class q;
  mpz_tdiv_q(q.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
  return q;
}

mpz_class shifted_down(const mpz_class& value, unsigned by) {
  mpz_class down;
  mpz_fdiv_q_2exp(down.get_mpz_t(), value.get_mpz_t(), by);
  return down;
}

// The product as .lo, .hi or .wide takes it, before c is added.
mpz_class part_of_product(const Opcode& opcode, const mpz_class& a, const mpz_class& b) {
  const mpz_class product = a * b;
  return opcode.has("hi") ? shifted_down(product, opcode.types[0].bits) : product;
}

std::uint64_t arithmetic(const Opcode& opcode, const Operands& operands) {
  const Type type = opcode.types[0];
  const mpz_class a = number(operands[0], type), b = number(operands[1], type);
  const unsigned result_bits = opcode.has("wide") ? 2 * type.bits : type.bits;
  const mpz_class c = number(operands[2], {type.kind, result_bits});
  mpz_class exact;
  if (opcode.name == "add")
    exact = a + b;
  else if (opcode.name == "sub")
    exact = a - b;
  else if (opcode.name == "mul")
    exact = part_of_product(opcode, a, b);
  else if (opcode.name == "mad")
    exact = mpz_class(part_of_product(opcode, a, b)) + c;
  else if (opcode.name == "div")
    exact = quotient(a, b);
  else if (opcode.name == "rem")
    exact = b == 0 ? a : mpz_class(a - quotient(a, b) * b);
  else if (opcode.name == "sad")
    exact = c + abs(mpz_class(a - b));
  else if (opcode.name == "min")
    exact = a < b ? a : b;
  else if (opcode.name == "max")
    exact = a < b ? b : a;
  else if (opcode.name == "abs")
    exact = abs(a);
  else if (opcode.name == "neg")
    exact = -a;
  else
    ADD_FAILURE() << "no reference for " << opcode.text;
  return opcode.has("sat") ? clamp(exact, type) : wrap(exact, result_bits);
}

TEST(IntegerOps, ArithmeticEqualsUnboundedIntegers) {
  unsigned checked = 0;
  for (const Opcode& opcode :
       opcodes_named({"add", "sub", "mul", "mad", "div", "rem", "sad", "min", "max", "abs", "neg"})) {
    if (opcode.types.back().kind == 'f') continue;
    expect_exact(opcode, [&](const Operands& operands) { return arithmetic(opcode, operands); });
    ++checked;
  }
  EXPECT_EQ(checked, 6 * 11 + 4 * 2 + 3 * 2 + 3U);  // six types; .wide of four; abs and neg of three; three .sat
}

TEST(IntegerOps, MultiplicationsOf24Bits) {
  const auto opcodes = opcodes_named({"mul24", "mad24"});
  EXPECT_EQ(opcodes.size(), 9U);
  for (const Opcode& opcode : opcodes) {
    const Type type = opcode.types[0];
    expect_exact(opcode, [&](const Operands& operands) {
      const mpz_class product = number(operands[0], {type.kind, 24}) * number(operands[1], {type.kind, 24});
      const mpz_class t =
          opcode.has("hi") ? number(wrap(shifted_down(product, 16), 32), type) : number(wrap(product, 32), type);
      const mpz_class exact = opcode.name == "mad24" ? mpz_class(t + number(operands[2], type)) : t;
      return opcode.has("sat") ? clamp(exact, type) : wrap(exact, 32);
    });
  }
}

TEST(IntegerOps, DotProductsOfBytes) {
  const auto opcodes = opcodes_named({"dp4a"});
  EXPECT_EQ(opcodes.size(), 4U);
  for (const Opcode& opcode : opcodes) {
    const Type a{opcode.types[0].kind, 8}, b{opcode.types[1].kind, 8};
    expect_exact(opcode, [&](const Operands& operands) {
      mpz_class sum = from_unsigned(operands[2]);
      for (unsigned byte = 0; byte < 4; ++byte)
        sum += number(operands[0] >> 8 * byte, a) * number(operands[1] >> 8 * byte, b);
      return wrap(sum, 32);
    });
  }
}

TEST(IntegerOps, ConversionsBetweenIntegers) {
  unsigned checked = 0;
  for (const Opcode& opcode : opcodes_named({"cvt"})) {
    if (opcode.types[0].kind == 'f' || opcode.types[1].kind == 'f') continue;
    expect_exact(opcode, [&](const Operands& operands) {
      const mpz_class value = number(operands[0], opcode.types[1]);
      return opcode.has("sat") ? clamp(value, opcode.types[0]) : wrap(value, opcode.types[0].bits);
    });
    ++checked;
  }
  EXPECT_EQ(checked, 2 * 8 * 8U);
}

// A narrow result extends to its 32-bit register by its sign.
TEST(IntegerOps, NarrowResultsExtendToTheRegister) {
  std::array<std::uint32_t, kMaxLanes> a{}, d{};
  a[0] = 0x12345680;
  LaneArrays arrays{};
  arrays.s[0] = {a.data(), nullptr};
  arrays.d[0] = {d.data(), nullptr};
  Opcode("cvt.s16.s8").info().compute(arrays, 32);
  EXPECT_EQ(d[0], 0xffffff80U);
  Opcode("cvt.u16.u8").info().compute(arrays, 32);
  EXPECT_EQ(d[0], 0x80U);
}

}  // namespace ops_integer_test
}  // namespace warpfold::isa
