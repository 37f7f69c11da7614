// SPDX-License-Identifier: Apache-2.0
// Video instructions in all their forms, drawn at random, against what PTX ISA §9.7.17 says step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/isa/ptx_fixture.h"

namespace warpfold::isa {
namespace compound_video_test {

std::uint32_t result_of(const std::string& line, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  PtxFixture ptx(
      with_header(".global .align 4 .b32 out;\n.visible .entry k()\n{\n.reg .b32 %r<8>;\n" +
                  fmt::format("mov.b32 %r2, {}; mov.b32 %r3, {}; mov.b32 %r4, {}; mov.b32 %r1, 0;\n", a, b, c) + line +
                  "\nst.global.b32 [out], %r1;\nret;\n}\n"));
  ptx.run(1);
  return ptx.read<std::uint32_t>("out");
}

struct Part {
  std::string text;
  unsigned at, bits;
};
const std::vector<Part> kAll{{"", 0, 32},    {".b0", 0, 8},  {".b1", 8, 8},  {".b2", 16, 8},
                             {".b3", 24, 8}, {".h0", 0, 16}, {".h1", 16, 16}};

std::int64_t value_of(std::uint32_t word, const Part& part, bool is_signed) {
  const std::int64_t field = word >> part.at & ((std::uint64_t{1} << part.bits) - 1);
  const bool negative = is_signed && (field >> (part.bits - 1) & 1) != 0;
  return negative ? field - (std::int64_t{1} << part.bits) : field;
}

template <class Random, class T>
const T& one_of(Random& random, const std::vector<T>& all) {
  return all[random() % all.size()];
}

std::string type(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

TEST(CompoundVideo, ScalarForms) {
  std::mt19937 random(44);
  const std::vector<std::uint32_t> words{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80ff7f01, 0x12345678, 31, 33};
  const std::vector<std::string> names{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"};
  for (int trial = 0; trial < 600; ++trial) {
    const std::string& name = one_of(random, names);
    const bool shifts = name == "vshl" || name == "vshr", wraps = random() % 2 == 0;
    const bool signed_d = random() % 2 == 0, signed_a = random() % 2 == 0, signed_b = !shifts && random() % 2 == 0;
    const bool saturates = random() % 2 == 0;
    const Part &a_part = one_of(random, kAll), &b_part = one_of(random, kAll);
    const unsigned third = random() % 3;  // none, a part of d, a second operation
    const Part& d_part = third == 1 ? kAll[1 + random() % 6] : kAll[0];
    const std::string second = third == 2 ? one_of(random, std::vector<std::string>{"add", "min", "max"}) : "";
    const std::uint32_t a = one_of(random, words), b = one_of(random, words), c = one_of(random, words);

    const std::int64_t x = value_of(a, a_part, signed_a), y = value_of(b, b_part, signed_b);
    const auto distance = static_cast<unsigned>(wraps ? y % 32 : std::min<std::int64_t>(y, 32));
    __extension__ using Wide = __int128;
    Wide value = name == "vadd"       ? x + y
                 : name == "vsub"     ? x - y
                 : name == "vabsdiff" ? std::max(x, y) - std::min(x, y)
                 : name == "vmin"     ? std::min(x, y)
                 : name == "vmax"     ? std::max(x, y)
                 : name == "vshr"     ? x >> distance
                                      : Wide{x} * (Wide{1} << distance);
    const Wide low = signed_d ? -(Wide{1} << (d_part.bits - 1)) : 0;
    const Wide high = (Wide{1} << (signed_d ? d_part.bits - 1 : d_part.bits)) - 1;
    if (saturates) value = value < low ? low : value > high ? high : value;
    const auto narrow = static_cast<std::uint32_t>(value);
    std::uint32_t expected = narrow;
    if (third == 1) {
      const std::uint32_t mask = static_cast<std::uint32_t>((std::uint64_t{1} << d_part.bits) - 1) << d_part.at;
      expected = (c & ~mask) | (narrow << d_part.at & mask);
    } else if (second == "add") {
      expected = narrow + c;
    } else if (!second.empty()) {
      const bool less = signed_d ? static_cast<std::int32_t>(narrow) < static_cast<std::int32_t>(c) : narrow < c;
      expected = less == (second == "min") ? narrow : c;
    }
    const std::string line = name + type(signed_d) + type(signed_a) + type(signed_b) + (saturates ? ".sat" : "") +
                             (shifts ? wraps ? ".wrap" : ".clamp" : "") + (second.empty() ? "" : "." + second) +
                             " %r1" + d_part.text + ", %r2" + a_part.text + ", %r3" + b_part.text +
                             (third == 0 ? ";" : ", %r4;");
    ASSERT_EQ(result_of(line, a, b, c), expected) << line << std::hex << " " << a << " " << b << " " << c;
  }
}

TEST(CompoundVideo, MultiplyAdd) {
  EXPECT_EQ(result_of("vmad.s32.s32.s32 %r1, %r2, %r3, %r4;", 7, static_cast<std::uint32_t>(-3), 5), -16U);
  EXPECT_EQ(result_of("vmad.u32.u32.u32.po %r1, %r2.b0, %r3.b1, %r4;", 0x107, 0x309, 5), 27U) << "one more";
  EXPECT_EQ(result_of("vmad.s32.s32.s32 %r1, %r2.h0, %r3.h1, -%r4;", 0xffff0004, 0x0005ffff, 6), 14U);
  EXPECT_EQ(result_of("vmad.s32.s32.s32 %r1, -%r2, %r3, %r4;", 4, 5, 6), -14U);
  EXPECT_EQ(result_of("vmad.u32.u32.u32.shr7 %r1, %r2, %r3, %r4;", 0x10000, 0x10000, 128), (1U << 25) + 1);
  EXPECT_EQ(result_of("vmad.s32.s32.s32.shr15 %r1, %r2, %r3, %r4;", static_cast<std::uint32_t>(-65536), 1, 0), -2U);
  EXPECT_EQ(result_of("vmad.s32.s32.s32.sat %r1, %r2, %r3, %r4;", 0x7fffffff, 2, 0), 0x7fffffffU);
  EXPECT_EQ(result_of("vmad.u32.u32.u32.sat %r1, %r2, %r3, %r4;", 0xffffffff, 2, 0), 0xffffffffU);
}

TEST(CompoundVideo, Comparison) {
  EXPECT_EQ(result_of("vset.s32.u32.lt %r1, %r2, %r3;", 0xffffffff, 0, 9), 1U) << "-1 < 0";
  EXPECT_EQ(result_of("vset.u32.u32.lt %r1, %r2, %r3;", 0xffffffff, 0, 9), 0U);
  EXPECT_EQ(result_of("vset.u32.u32.ge.add %r1, %r2.b1, %r3.b0, %r4;", 0x0500, 5, 9), 10U);
  EXPECT_EQ(result_of("vset.u32.u32.eq %r1.b2, %r2, %r3, %r4;", 5, 5, 0xffffffff), 0xff01ffffU);
}

TEST(CompoundVideo, ElementsAreSelected) {
  // Halves 0 and 1 are the first word's, 2 and 3 the second's.
  EXPECT_EQ(result_of("vadd2.u32.u32.u32 %r1, %r2.h32, %r3.h10, %r4;", 0x00010002, 0x00300040, 0), 0x00310042U);
  EXPECT_EQ(result_of("vsub2.s32.s32.s32 %r1.h1, %r2.h10, %r3.h32, %r4;", 0x00050007, 0x00010001, 0xaaaabbbb),
            0x0004bbbbU);
  EXPECT_EQ(result_of("vadd4.u32.u32.u32 %r1.b20, %r2.b7654, %r3.b0123, %r4;", 0x01020304, 0x10203040, 0xffffffff),
            0xff23ff41U);
  EXPECT_EQ(result_of("vmax4.u32.u32.u32 %r1, %r2.b3210, %r3.b7777, %r4;", 0x01f203f4, 0x80000000, 0), 0x80f280f4U);
  for (const char* line : {"vadd2.u32.u32.u32 %r1, %r2.h40, %r3, %r4;", "vadd4.u32.u32.u32 %r1, %r2.h10, %r3, %r4;",
                           "vadd.u32.u32.u32 %r1, %r2.b4, %r3;", "vadd.u32.u32.u32 %r1.b0, %r2, %r3;",
                           "vadd.u32.u32.u32 %r1, %r2, -%r3;", "add.u32 %r1, %r2.b0, %r3;"}) {
    EXPECT_NE(error_of([&] { result_of(line, 0, 0, 0); }), "") << line;
  }
}

}  // namespace compound_video_test
}  // namespace warpfold::isa
