// SPDX-License-Identifier: Apache-2.0
// Which of so many places, sets of a cache or slices of the memory, a line or a chunk of addresses goes to: by its low
// bits alone, or with higher ones mixed in, so that strides of powers of two do not all meet in one place.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "warpfold/common/config/params.h"

namespace warpfold {

// linear: number modulo places. xor: the low bits and as many above them. fermi: what Nugteren et al. (HPCA 2014) found
// in Fermi's first-level cache. ipoly: the remainder of the number as a polynomial over GF(2) by an irreducible one,
// which spreads every stride of a power of two (Rau, ISCA 1991).
enum class IndexHash : std::uint8_t { kLinear, kXor, kFermi, kIpoly };
template <>
struct Choices<IndexHash> {
  static constexpr std::array names{"linear", "xor", "fermi", "ipoly"};
};

// All of them but linear are matrices over GF(2): each bit of the number contributes a pattern of bits to the place.
class IndexHasher {
 public:
  static constexpr std::uint32_t kMostPlaces = 1024;

  // Why the hash has no meaning for so many places, if sets of lines of so many bytes; empty: it has.
  static std::string misfit(IndexHash hash, std::uint64_t places, std::uint32_t bytes) {
    if (hash == IndexHash::kLinear) return "";
    if (hash == IndexHash::kFermi) {
      return (places == 32 || places == 64) && bytes == 128 ? "" : "fermi is for 32 or 64 sets of lines of 128 bytes";
    }
    const bool fits = std::has_single_bit(places) && places >= 2 && places <= kMostPlaces;
    return fits ? "" : "a hash is for a power of two from 2 to 1024 of them";
  }

  IndexHasher(IndexHash hash, std::uint32_t places) {
    const auto bits = static_cast<unsigned>(std::countr_zero(places));
    for (unsigned bit = 0; bit < bits; ++bit) pattern_[bit] = 1u << bit;
    if (hash == IndexHash::kXor) {
      for (unsigned bit = 0; bit < bits; ++bit) pattern_[bits + bit] = 1u << bit;
    } else if (hash == IndexHash::kFermi) {
      // Address bits 13, 14, 15, 17 and 19 onto bits 7 to 11; the sixth bit, address bit 12, is on its own.
      for (unsigned bit = 0; const unsigned from : {13u, 14u, 15u, 17u, 19u}) pattern_[from - 7] ^= 1u << bit++;
    } else if (hash == IndexHash::kIpoly) {
      for (unsigned bit = bits; bit < kBits; ++bit) {
        const std::uint32_t shifted = pattern_[bit - 1] << 1;
        pattern_[bit] = (shifted & places) != 0 ? shifted ^ kIrreducible[bits] : shifted;
      }
    }
  }

  std::uint32_t place(std::uint64_t number) const {
    std::uint32_t place = 0;
    for (std::uint64_t rest = number & ((std::uint64_t{1} << kBits) - 1); rest != 0; rest &= rest - 1) {
      place ^= pattern_[static_cast<unsigned>(std::countr_zero(rest))];
    }
    return place;
  }

 private:
  static constexpr unsigned kBits = 48;
  // By degree: x + 1, x^2 + x + 1, x^3 + x + 1, x^4 + x + 1, x^5 + x^2 + 1, x^6 + x + 1 … (Peterson's tables).
  static constexpr std::array<std::uint32_t, 11> kIrreducible{0, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033};

  std::array<std::uint32_t, kBits> pattern_{};  // that a bit of the number contributes
};

}  // namespace warpfold
