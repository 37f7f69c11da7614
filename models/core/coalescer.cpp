// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warpfold {
namespace {

using isa::LaneMask;

LineAccess& merge(std::vector<LineAccess>& out, Address line, unsigned bytes) {
  // Neighbouring lanes mostly share a line, and warps touch few: the last one first, then a short search.
  for (auto access = out.rbegin(); access != out.rend(); ++access) {
    if (access->line == line) {
      access->bytes += bytes;
      return *access;
    }
  }
  return out.emplace_back(LineAccess{line, bytes});
}

constexpr unsigned kWordBytes = 4;

// The largest number of words, distinct ones if one serves all lanes that ask for it, that lanes [first, last) want of
// one bank.
unsigned worst_bank(const isa::Outcome& outcome, unsigned first, unsigned last, unsigned word, unsigned banks,
                    bool broadcasts) {
  std::array<Address, isa::kMaxLanes> words;
  unsigned count = 0;
  for (unsigned lane = first; lane < last; ++lane) {
    if ((outcome.executed >> lane & 1) == 0) continue;
    words[count++] = outcome.address[lane] / kWordBytes + word;
  }
  auto end = words.begin() + count;
  if (broadcasts) {
    std::sort(words.begin(), end);
    end = std::unique(words.begin(), end);
  }
  std::array<std::uint8_t, isa::kMaxLanes> load{};
  unsigned worst = 0;
  for (auto at = words.begin(); at != end; ++at) {
    const unsigned bank = static_cast<unsigned>(*at % banks);
    worst = std::max<unsigned>(worst, ++load[bank]);
  }
  return worst;
}

}  // namespace

void coalesce(const isa::Outcome& outcome, unsigned line_bytes, std::vector<LineAccess>& out) {
  out.clear();
  const Address in_line = ~Address{line_bytes - 1};
  for (LaneMask rest = outcome.executed; rest != 0; rest &= rest - 1) {
    const Address address = outcome.address[static_cast<unsigned>(std::countr_zero(rest))];
    merge(out, address & in_line, outcome.access_bytes);
  }
  for (LineAccess& access : out) access.bytes = std::min<std::uint32_t>(access.bytes, line_bytes);
}

void coalesce_texels(const isa::Outcome& outcome, unsigned line_bytes, bool mark, std::vector<LineAccess>& out) {
  out.clear();
  const Address in_line = Address{line_bytes - 1};
  for (const isa::Outcome::Texel& texel : outcome.texels) {
    LineAccess& access = merge(out, texel.address & ~in_line, texel.bytes);
    if (mark) access.mask |= byte_range(static_cast<std::uint32_t>(texel.address & in_line), texel.bytes);
  }
  for (LineAccess& access : out) access.bytes = std::min<std::uint32_t>(access.bytes, line_bytes);
}

void coalesce_local(const isa::Outcome& outcome, unsigned line_bytes, unsigned lanes, std::vector<LineAccess>& out) {
  out.clear();
  const Address in_line = ~Address{line_bytes - 1};
  const unsigned words = std::max(outcome.access_bytes / kWordBytes, 1u);
  const unsigned bytes = outcome.access_bytes / words;
  for (unsigned word = 0; word < words; ++word) {
    for (LaneMask rest = outcome.executed; rest != 0; rest &= rest - 1) {
      const Address address = outcome.address[static_cast<unsigned>(std::countr_zero(rest))];
      merge(out, (address + Address{word} * lanes * kWordBytes) & in_line, bytes);
    }
  }
  for (LineAccess& access : out) access.bytes = std::min<std::uint32_t>(access.bytes, line_bytes);
}

void distinct_words(const isa::Outcome& outcome, std::vector<LineAccess>& out) {
  out.clear();
  for (LaneMask rest = outcome.executed; rest != 0; rest &= rest - 1) {
    merge(out, outcome.address[static_cast<unsigned>(std::countr_zero(rest))], outcome.access_bytes);
  }
}

void mark_bytes(const isa::Outcome& outcome, unsigned line_bytes, unsigned lanes, std::vector<LineAccess>& out) {
  const unsigned words = lanes == 0 ? 1 : std::max(outcome.access_bytes / kWordBytes, 1u);
  const unsigned bytes = outcome.access_bytes / words;
  for (LineAccess& access : out) {
    const Address line = access.line & ~Address{line_bytes - 1};
    for (unsigned word = 0; word < words; ++word) {
      for (LaneMask rest = outcome.executed; rest != 0; rest &= rest - 1) {
        const Address address = outcome.address[static_cast<unsigned>(std::countr_zero(rest))];
        const Address in_line = address + Address{word} * lanes * kWordBytes - line;
        if (in_line < line_bytes) access.mask |= byte_range(static_cast<std::uint32_t>(in_line), bytes);
      }
    }
  }
}

SharedPasses shared_passes(const isa::Outcome& outcome, unsigned width, unsigned banks, bool broadcasts) {
  SharedPasses passes;
  const unsigned words = (outcome.access_bytes + kWordBytes - 1) / kWordBytes;
  for (unsigned first = 0; first < width; first += banks) {
    const unsigned last = std::min(first + banks, width);
    for (unsigned word = 0; word < words; ++word) {
      const unsigned cycles = worst_bank(outcome, first, last, word, banks, broadcasts);
      passes.cycles += cycles;
      passes.conflicts += cycles > 1 ? cycles - 1 : 0;
    }
  }
  return passes;
}

}  // namespace warpfold
