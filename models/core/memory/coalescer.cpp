// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/memory/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "warpfold/isa/address_space.h"

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

// Do all of the neighbouring lanes ask for one word, or each for the next one?
template <unsigned kLanes>
bool same_or_ascending(const Address* address, bool same_counts) {
  const bool same = same_counts && address[1] == address[0];
  const Address strides = same ? 0 : ~Address{0};
  if (address[kLanes - 1] - address[0] != (Address{kLanes - 1} * kWordBytes & strides))
    return false;  // spares the loop
  Address differs = 0;
#ifndef __clang__
#pragma GCC unroll 1
#endif
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    differs |= address[lane] ^ (address[0] + (Address{lane} * kWordBytes & strides));
  }
  return differs == 0;
}

bool same_or_ascending(const Address* address, unsigned lanes, bool same_counts) {
  if (lanes == 16) return same_or_ascending<16>(address, same_counts);
  return lanes == 32 && same_or_ascending<32>(address, same_counts);
}

// Does no bank have two of these lanes' words, where one serves all lanes that ask for it?
bool one_word_a_bank(const Address* address, LaneMask lanes, unsigned banks) {
  std::array<Address, isa::kMaxLanes> word_of;  // by bank: of its last lane
  Address differs = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const Address word = address[static_cast<unsigned>(std::countr_zero(rest))] / kWordBytes;
    word_of[word & (banks - 1)] = word;
  }
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const Address word = address[static_cast<unsigned>(std::countr_zero(rest))] / kWordBytes;
    differs |= word_of[word & (banks - 1)] ^ word;
  }
  return differs == 0;
}

// The largest number of words, distinct ones if one serves all lanes that ask for it, that the group's lanes want of
// one bank.
unsigned worst_bank(const Address* address, LaneMask lanes, unsigned banks, bool broadcasts) {
  if (lanes == isa::low_lanes(banks) && same_or_ascending(address, banks, broadcasts)) return 1;
  if (broadcasts && lanes != 0 && one_word_a_bank(address, lanes, banks)) return 1;
  std::array<Address, isa::kMaxLanes> words;                        // by lane
  std::array<std::uint8_t, isa::kMaxLanes> load{}, newest, before;  // words and last lane of a bank, lane before a lane
  unsigned worst = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Address word = address[lane] / kWordBytes;
    const unsigned bank = static_cast<unsigned>(word) & (banks - 1);
    unsigned other = newest[bank], others = broadcasts ? load[bank] : 0U;
    for (; others != 0 && words[other] != word; --others) other = before[other];
    if (others != 0) continue;
    words[lane] = word;
    before[lane] = newest[bank];
    newest[bank] = static_cast<std::uint8_t>(lane);
    worst = std::max<unsigned>(worst, ++load[bank]);
  }
  return worst;
}

constexpr unsigned kTogether = 8;

// Do kTogether neighbouring lanes touch one line?
bool one_line(const Address* address, Address in_line) {
  Address differs = 0;
#ifndef __clang__
#pragma GCC unroll 1
#endif
  for (unsigned lane = 0; lane < kTogether; ++lane) differs |= address[lane] ^ address[0];
  return (differs & in_line) == 0;
}

}  // namespace

void coalesce(const isa::Outcome& outcome, unsigned line_bytes, std::vector<LineAccess>& out) {
  out.clear();
  const Address in_line = ~Address{line_bytes - 1};
  for (unsigned first = 0; first < isa::kMaxLanes && outcome.executed >> first != 0; first += kTogether) {
    const Address* const address = &outcome.address[first];
    LaneMask rest = outcome.executed >> first & isa::low_lanes(kTogether);
    if (rest == isa::low_lanes(kTogether) && one_line(address, in_line)) {
      merge(out, address[0] & in_line, kTogether * outcome.access_bytes);
      continue;
    }
    for (; rest != 0; rest &= rest - 1) {
      merge(out, address[static_cast<unsigned>(std::countr_zero(rest))] & in_line, outcome.access_bytes);
    }
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

void lanes_by_line(const isa::Outcome& outcome, unsigned line_bytes, unsigned lanes,
                   const std::vector<LineAccess>& lines, std::vector<LaneMask>& out) {
  const unsigned words = lanes == 0 ? 1 : std::max(outcome.access_bytes / kWordBytes, 1u);
  out.assign(lines.size(), 0);
  for (LaneMask rest = outcome.executed; rest != 0; rest &= rest - 1) {
    const Address address = outcome.address[static_cast<unsigned>(std::countr_zero(rest))];
    for (unsigned word = 0; word < words; ++word) {
      const Address line = (address + Address{word} * lanes * kWordBytes) & ~Address{line_bytes - 1};
      std::size_t i = 0;
      while (lines[i].line != line) ++i;
      out[i] |= rest & ~(rest - 1);
    }
  }
}

void coalesce_access(const isa::MicroOp& op, const isa::Outcome& outcome, unsigned line_bytes, unsigned warp_size,
                     bool mark, std::vector<LineAccess>& out) {
  if (op.image.dimensions != 0) return coalesce_texels(outcome, line_bytes, mark, out);
  if (outcome.space == isa::Space::kConst) {
    distinct_words(outcome, out);
    for (LineAccess& access : out) {
      if (mark) access.mask = byte_range(static_cast<std::uint32_t>(access.line % line_bytes), outcome.access_bytes);
      access.line = (access.line + isa::kConstBacking) & ~Address{line_bytes - 1};
    }
    return;
  }
  const unsigned lanes = outcome.space == isa::Space::kLocal ? warp_size : 0;
  if (lanes != 0) {
    coalesce_local(outcome, line_bytes, lanes, out);
  } else {
    coalesce(outcome, line_bytes, out);
  }
  if (mark) mark_bytes(outcome, line_bytes, lanes, out);
}

SharedPasses shared_passes(const isa::Outcome& outcome, unsigned width, unsigned banks, bool broadcasts,
                           bool lanes_in_turn) {
  SharedPasses passes;
  const unsigned words = (outcome.access_bytes + kWordBytes - 1) / kWordBytes;
  if (lanes_in_turn && broadcasts && words > 1) {
    // Accesses are aligned to what they have: whose first words lie in other banks have no other words in one, either.
    const unsigned lanes = std::max(banks / words, 1U), rounds = std::max(words / banks, 1U);
    for (unsigned first = 0; first < width; first += lanes) {
      const LaneMask group = outcome.executed >> first & isa::low_lanes(std::min(lanes, width - first));
      const unsigned cycles = rounds * worst_bank(&outcome.address[first], group, banks, true);
      passes.cycles += cycles;
      passes.conflicts += cycles > 1 ? cycles - 1 : 0;
    }
    return passes;
  }
  for (unsigned first = 0; first < width; first += banks) {
    const LaneMask lanes = outcome.executed >> first & isa::low_lanes(std::min(banks, width - first));
    // An access's second words lie in the banks next to those of its first ones, and so on.
    const unsigned cycles = worst_bank(&outcome.address[first], lanes, banks, broadcasts);
    passes.cycles += words * cycles;
    passes.conflicts += cycles > 1 ? words * (cycles - 1) : 0;
  }
  return passes;
}

}  // namespace warpfold
