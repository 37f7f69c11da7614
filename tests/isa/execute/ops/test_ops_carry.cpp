// SPDX-License-Identifier: Apache-2.0
// Extended-precision arithmetic against 128-bit integers, and programs that chain it.
#include <gtest/gtest.h>

#include "tests/isa/op_harness.h"
#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace ops_carry_test {

__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

std::vector<Operands> operands(unsigned bits) {
  std::vector<Operands> batch;
  const auto edges = integer_edges(bits);
  std::mt19937_64 random(9);
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) batch.push_back({a, b, low_bits(random(), bits), random() & 1});
  }
  return batch;
}

// Of a·b, as numbers of a kind.
std::uint64_t product_half(char kind, unsigned bits, bool high, std::uint64_t a, std::uint64_t b) {
  const auto widened = [&](std::uint64_t x) -> u128 {
    const bool negative = kind == 's' && (x >> (bits - 1)) != 0;
    return negative ? static_cast<u128>(x) - (u128{1} << bits) : u128{x};
  };
  const u128 product = widened(a) * widened(b);
  return low_bits(static_cast<std::uint64_t>(high ? product >> bits : product), bits);
}

TEST(Carry, SumsDifferencesAndProducts) {
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    const unsigned bits = type.ends_with("32") ? 32 : 64;
    const auto batch = operands(bits);
    const auto expect = [&](const std::string& name, std::vector<std::string> modifiers, auto exact, bool flag_out) {
      modifiers.push_back(type);
      const auto got = run_batch(find_op(name, modifiers).value(), batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const s128 result = exact(batch[i]);
        ASSERT_EQ(got[i][0], low_bits(static_cast<std::uint64_t>(result), bits)) << name << " " << type << " " << i;
        if (!flag_out) continue;
        ASSERT_EQ(got[i][1], static_cast<std::uint64_t>(result >> bits & 1)) << name << " " << type << " " << i;
      }
    };
    const auto in = [](const Operands& o, unsigned k) { return s128{static_cast<std::int64_t>(o[k] != 0)}; };
    const auto number = [](std::uint64_t x) { return static_cast<s128>(x); };
    expect(
        "add", {"cc"}, [&](const Operands& o) { return number(o[0]) + number(o[1]); }, true);
    expect(
        "addc", {"cc"}, [&](const Operands& o) { return number(o[0]) + number(o[1]) + in(o, 2); }, true);
    expect(
        "addc", {}, [&](const Operands& o) { return number(o[0]) + number(o[1]) + in(o, 2); }, false);
    // One adder for all: what subtracts adds the complement, and one more where the flag is set.
    const auto complement = [&](std::uint64_t x) { return number(low_bits(~x, bits)); };
    expect(
        "sub", {"cc"}, [&](const Operands& o) { return number(o[0]) + complement(o[1]) + 1; }, true);
    expect(
        "subc", {"cc"}, [&](const Operands& o) { return number(o[0]) + complement(o[1]) + in(o, 2); }, true);
    expect(
        "subc", {}, [&](const Operands& o) { return number(o[0]) + complement(o[1]) + in(o, 2); }, false);
    for (const bool high : {false, true}) {
      const std::string half = high ? "hi" : "lo";
      const auto product = [&](const Operands& o) { return number(product_half(type[0], bits, high, o[0], o[1])); };
      expect(
          "mad", {half, "cc"}, [&](const Operands& o) { return product(o) + number(o[2]); }, true);
      expect(
          "madc", {half, "cc"}, [&](const Operands& o) { return product(o) + number(o[2]) + in(o, 3); }, true);
      expect(
          "madc", {half}, [&](const Operands& o) { return product(o) + number(o[2]) + in(o, 3); }, false);
    }
  }
}

// 96 bits, the flag kept through a guard that does not hold and an instruction that has nothing to do with it.
TEST(Carry, TheFlagStaysBetweenInstructions) {
  PtxFixture ptx(
      with_header(".global .u32 out[3];\n.visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"
                  "mov.u32 %r1, 0xffffffff;\nsetp.eq.u32 %p1, %r1, 0;\nadd.cc.u32 %r2, %r1, 1;\n"
                  "@%p1 add.cc.u32 %r5, 1, 1;\nxor.b32 %r5, %r1, %r2;\naddc.cc.u32 %r3, %r1, 0;\n"
                  "addc.u32 %r4, 7, 0;\nst.global.u32 [out], %r2;\nst.global.u32 [out+4], %r3;\n"
                  "st.global.u32 [out+8], %r4;\nret;\n}\n"));
  ptx.run(1);
  EXPECT_EQ(ptx.read<std::uint32_t>("out", 0), 0U);
  EXPECT_EQ(ptx.read<std::uint32_t>("out", 1), 0U);
  EXPECT_EQ(ptx.read<std::uint32_t>("out", 2), 8U);
}

// nvcc's divisions of 128 bits add the flag that a subtraction left, and subtract with that of a sum.
TEST(Carry, SumsAndDifferencesTakeItFromOneAnother) {
  PtxFixture ptx(
      with_header(".global .u64 out[5];\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<8>;\n"
                  "mov.u64 %rd1, 5;\nmov.u64 %rd2, 7;\n"
                  "sub.cc.u64 %rd3, %rd1, %rd2;\naddc.u64 %rd4, 0, 0;\nst.global.u64 [out], %rd4;\n"
                  "sub.cc.s64 %rd3, %rd2, %rd1;\naddc.u64 %rd4, 0, 0;\nst.global.u64 [out+8], %rd4;\n"
                  "add.cc.u64 %rd3, %rd1, %rd2;\nsubc.u64 %rd4, %rd2, %rd1;\nst.global.u64 [out+16], %rd4;\n"
                  "sub.cc.u32 %r1, 3, 4;\nmadc.lo.u64 %rd4, %rd1, %rd2, 0;\nst.global.u64 [out+24], %rd4;\n"
                  "sub.cc.u64 %rd3, 0, 1;\nsubc.u64 %rd4, 9, 0;\nst.global.u64 [out+32], %rd4;\nret;\n}\n"));
  ptx.run(1);
  const std::vector<std::uint64_t> expected{0, 1, 1, 35, 8};
  for (unsigned i = 0; i < expected.size(); ++i) EXPECT_EQ(ptx.read<std::uint64_t>("out", i), expected[i]) << i;
}

}  // namespace ops_carry_test
}  // namespace warpfold::isa
