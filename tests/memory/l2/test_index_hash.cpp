// SPDX-License-Identifier: Apache-2.0
// Places of numbers by hand, and what the hashes are for: strides of powers of two over all places.
#include <gtest/gtest.h>

#include <set>

#include "warpfold/memory/l2/index_hash.h"

namespace warpfold {
namespace index_hash_test {

TEST(IndexHash, LinearIsTheNumbersLowBits) {
  const IndexHasher hash(IndexHash::kLinear, 32);
  EXPECT_EQ(hash.place(31), 31u);
  EXPECT_EQ(hash.place(32), 0u);
  EXPECT_EQ(hash.place(0xabc), 0x1cu);
}

TEST(IndexHash, XorMixesAsManyBitsAsThereAreAboveThem) {
  const IndexHasher hash(IndexHash::kXor, 16);
  EXPECT_EQ(hash.place(0x3), 0x3u);
  EXPECT_EQ(hash.place(0x53), 0x5u ^ 0x3u);
  EXPECT_EQ(hash.place(0xf53), 0x5u ^ 0x3u);  // not the bits above those
}

// Bits 7 to 11 of the address, those of 13, 14, 15, 17 and 19 on top; with 64 sets bit 12 is the sixth.
TEST(IndexHash, FermiMixesFiveOfTheAddressBits) {
  const auto set = [](std::uint32_t sets, std::uint64_t address) {
    return IndexHasher(IndexHash::kFermi, sets).place(address / 128);
  };
  EXPECT_EQ(set(32, 0x80), 1u);
  EXPECT_EQ(set(32, 0x800), 16u);
  EXPECT_EQ(set(32, 0x1000), 0u);  // bit 12
  EXPECT_EQ(set(64, 0x1000), 32u);
  EXPECT_EQ(set(32, 0x2000), 1u);
  EXPECT_EQ(set(32, 0x4000), 2u);
  EXPECT_EQ(set(32, 0x8000), 4u);
  EXPECT_EQ(set(32, 0x10000), 0u);  // bit 16
  EXPECT_EQ(set(32, 0x20000), 8u);
  EXPECT_EQ(set(32, 0x80000), 16u);
  EXPECT_EQ(set(64, 0x80000 + 0x20000 + 0x1000 + 0x80), 16u + 8 + 32 + 1);
}

// x^5 = x^2 + 1, so bit 5 goes to bits 2 and 0; x^8 = x^5 + x^3 = x^3 + x^2 + 1; x^6 = x + 1 of degree 6.
TEST(IndexHash, IpolyIsTheRemainderByAnIrreduciblePolynomial) {
  const IndexHasher of32(IndexHash::kIpoly, 32);
  EXPECT_EQ(of32.place(7), 7u);
  EXPECT_EQ(of32.place(1 << 5), 0b00101u);
  EXPECT_EQ(of32.place(1 << 6), 0b01010u);
  EXPECT_EQ(of32.place(1 << 8), 0b01101u);
  EXPECT_EQ(of32.place((1 << 8) + (1 << 5) + 2), 0b01101u ^ 0b00101u ^ 2u);
  EXPECT_EQ(IndexHasher(IndexHash::kIpoly, 64).place(1 << 6), 0b11u);
  EXPECT_EQ(IndexHasher(IndexHash::kIpoly, 16).place(1 << 4), 0b11u);
}

// As many multiples of any power of two as there are places meet in none of them.
TEST(IndexHash, IpolySpreadsStridesOfPowersOfTwo) {
  for (const std::uint32_t places : {2u, 4u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u}) {
    const IndexHasher hash(IndexHash::kIpoly, places);
    for (unsigned stride = 0; stride < 20; ++stride) {
      std::set<std::uint32_t> taken;
      for (std::uint64_t n = 0; n < places; ++n) taken.insert(hash.place(n << stride));
      EXPECT_EQ(taken.size(), places) << "stride 2^" << stride;
    }
  }
}

TEST(IndexHash, SaysWhatItDoesNotFit) {
  EXPECT_EQ(IndexHasher::misfit(IndexHash::kLinear, 12, 64), "");
  EXPECT_EQ(IndexHasher::misfit(IndexHash::kIpoly, 64, 128), "");
  EXPECT_EQ(IndexHasher::misfit(IndexHash::kIpoly, 12, 128), "a hash is for a power of two from 2 to 1024 of them");
  EXPECT_EQ(IndexHasher::misfit(IndexHash::kXor, 2048, 128), "a hash is for a power of two from 2 to 1024 of them");
  EXPECT_EQ(IndexHasher::misfit(IndexHash::kFermi, 64, 128), "");
  EXPECT_EQ(IndexHasher::misfit(IndexHash::kFermi, 64, 64), "fermi is for 32 or 64 sets of lines of 128 bytes");
}

}  // namespace index_hash_test
}  // namespace warpfold
