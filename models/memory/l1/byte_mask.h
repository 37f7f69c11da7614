// SPDX-License-Identifier: Apache-2.0
// Which bytes of a line an access is for, and which of its sectors those are.
#pragma once

#include <bitset>
#include <cstdint>

namespace warpfold {

constexpr std::uint32_t kMaskedLineBytes = 128;  // the longest line of which bytes and sectors are told apart

using ByteMask = std::bitset<kMaskedLineBytes>;
using SectorMask = std::uint32_t;  // a bit each, from the line's start

inline ByteMask byte_range(std::uint32_t first, std::uint32_t count) {
  return count == 0 ? ByteMask{} : ~ByteMask{} >> (kMaskedLineBytes - count) << first;
}

// Sectors with some of the bytes.
inline SectorMask touched_sectors(const ByteMask& bytes, std::uint32_t line_bytes, std::uint32_t sector_bytes) {
  SectorMask sectors = 0;
  for (std::uint32_t at = 0, sector = 0; at < line_bytes; at += sector_bytes, ++sector) {
    if ((bytes & byte_range(at, sector_bytes)).any()) sectors |= SectorMask{1} << sector;
  }
  return sectors;
}

// Sectors with all of theirs.
inline SectorMask covered_sectors(const ByteMask& bytes, std::uint32_t line_bytes, std::uint32_t sector_bytes) {
  return ~touched_sectors(~bytes, line_bytes, sector_bytes) & touched_sectors(bytes, line_bytes, sector_bytes);
}

}  // namespace warpfold
