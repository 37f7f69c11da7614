// SPDX-License-Identifier: Apache-2.0
// The parameters of a token stack: its room, and what it costs on the generations that were measured (Divergence cost
// §IV).
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/divergence/geometry.h"
#include "warpfold/divergence/hardware.h"

namespace warpfold {

namespace divergence {
enum class Generation : std::uint8_t { kKepler, kMaxwell };
// What a spill and its reload take: the cycles that were measured, or what the machine's L2 and DRAM make of them.
enum class TokenSpill : std::uint8_t { kConstant, kTraffic };
}  // namespace divergence

template <>
struct Choices<divergence::Generation> {
  static constexpr std::array names{"kepler", "maxwell"};
};
template <>
struct Choices<divergence::TokenSpill> {
  static constexpr std::array names{"constant", "traffic"};
};

namespace divergence {

struct StackCycles {
  unsigned pop, spill, reload;
  static constexpr auto fields() {
    return std::tuple{
        field("pop_cycles", "cycles", &StackCycles::pop, 0, 10'000,
              "from a carrier's fetch until the instruction at the popped token's address can issue"),
        field("spill_cycles", "cycles", &StackCycles::spill, 0, 10'000, "that a push which spills takes longer"),
        field("reload_cycles", "cycles", &StackCycles::reload, 0, 10'000, "that a pop which reloads takes longer")};
  }
};

struct TokenStackParams {
  Generation generation = Generation::kKepler;
  TokenSpill spill = TokenSpill::kConstant;
  unsigned on_chip_tokens = 16, spill_tokens = 4, ssy_cycles = 1;
  StackCycles kepler{32, 41, 43}, maxwell{26, 86, 90};
  static constexpr auto fields() {
    return std::tuple{
        choice("generation", &TokenStackParams::generation, "whose cycles count"),
        choice("spill", &TokenStackParams::spill,
               "constant: spills and reloads take the cycles below; traffic: they go to the L2 and DRAM as requests"),
        field("on_chip_tokens", "tokens", &TokenStackParams::on_chip_tokens, 1, 1024, "of a warp's stack in the core"),
        field("spill_tokens", "tokens", &TokenStackParams::spill_tokens, 1, 1024,
              "that go to memory or back at a time"),
        field("ssy_cycles", "cycles", &TokenStackParams::ssy_cycles, 0, 10'000, "of an SSY instruction"),
        section("kepler", &TokenStackParams::kepler, "cycles of that generation"),
        section("maxwell", &TokenStackParams::maxwell, "cycles of that generation")};
  }
  std::string why_not(const Geometry& /*geometry*/) const {
    if (spill_tokens <= on_chip_tokens) return "";
    return fmt::format("spill_tokens = {}: only {} tokens are on chip", spill_tokens, on_chip_tokens);
  }
  // Of a warp in memory, `spill_tokens` each, as far as the RTL counts; the model's are not bounded.
  static constexpr unsigned kChunks = 64;
  // In place of PDOM's stack: tokens of a mask, and of a kind and a pc in 32 bits (§III); and what a stack's control
  // remembers of a warp: where its next token lies, how many are on the core and chunks in memory, its live threads.
  Hardware hardware(const HardwareGeometry& geometry) const {
    const unsigned rows = geometry.rows(), lanes = geometry.core.warp_size;
    const unsigned state = index_bits(on_chip_tokens) + index_bits(on_chip_tokens + 1) + index_bits(kChunks + 1);
    return {{{"token stacks",
              table(rows * on_chip_tokens, lanes + kPcBits),
              1,
              {{"token_sync_pushes"}, {"token_div_pushes"}, {"token_pops"}}},
             {"token stack states",
              table(rows, lanes + state),
              1,
              {{"token_sync_pushes", 2}, {"token_div_pushes", 2}, {"token_pops", 2}}}},
            {{"token_stack",
              {{"Warps", rows},
               {"Lanes", lanes},
               {"Entries", on_chip_tokens},
               {"Chunk", spill_tokens},
               {"Chunks", kChunks},
               {"PcWidth", kPcBits - 1}}}},
            {}};
  }
  bool spills() const { return spill == TokenSpill::kTraffic; }
  const StackCycles& measured(Generation of) const { return of == Generation::kKepler ? kepler : maxwell; }
  // What the mechanism itself charges.
  StackCycles cycles() const {
    const StackCycles& of = measured(generation);
    return spills() ? StackCycles{of.pop, 0, 0} : of;
  }
};

}  // namespace divergence
}  // namespace warpfold
