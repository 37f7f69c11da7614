// SPDX-License-Identifier: Apache-2.0
#include "models/core/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warpfold {
namespace {

using isa::LaneMask;

void merge(std::vector<LineAccess>& out, Address line, unsigned bytes) {
  // Neighbouring lanes mostly share a line, and warps touch few: the last one first, then a short search.
  for (auto access = out.rbegin(); access != out.rend(); ++access) {
    if (access->line == line) {
      access->bytes += bytes;
      return;
    }
  }
  out.push_back({line, bytes});
}

constexpr unsigned kWordBytes = 4;

// The largest number of distinct words that lanes [first, last) want of one bank.
unsigned worst_bank(const isa::Outcome& outcome, unsigned first, unsigned last, unsigned word, unsigned banks) {
  std::array<Address, isa::kMaxLanes> words;
  unsigned count = 0;
  for (unsigned lane = first; lane < last; ++lane) {
    if ((outcome.executed >> lane & 1) == 0) continue;
    words[count++] = outcome.address[lane] / kWordBytes + word;
  }
  std::sort(words.begin(), words.begin() + count);
  const auto end = std::unique(words.begin(), words.begin() + count);
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

void distinct_words(const isa::Outcome& outcome, std::vector<LineAccess>& out) {
  out.clear();
  for (LaneMask rest = outcome.executed; rest != 0; rest &= rest - 1) {
    merge(out, outcome.address[static_cast<unsigned>(std::countr_zero(rest))], outcome.access_bytes);
  }
}

SharedPasses shared_passes(const isa::Outcome& outcome, unsigned width, unsigned banks) {
  SharedPasses passes;
  const unsigned words = (outcome.access_bytes + kWordBytes - 1) / kWordBytes;
  for (unsigned first = 0; first < width; first += banks) {
    const unsigned last = std::min(first + banks, width);
    for (unsigned word = 0; word < words; ++word) {
      const unsigned cycles = worst_bank(outcome, first, last, word, banks);
      passes.cycles += cycles;
      passes.conflicts += cycles > 1 ? cycles - 1 : 0;
    }
  }
  return passes;
}

}  // namespace warpfold
