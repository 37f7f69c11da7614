// SPDX-License-Identifier: Apache-2.0
// The listings of the divergence-cost paper (§IV) under its emulator: the machine code, instruction by instruction,
// with SSY and carriers where NVIDIA's compiler put them. They share nothing with the mechanism.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "warpfold/divergence/prediction/token_emulator.h"

namespace warpfold::token_emulator {

struct Thread {
  int m = 0;  // limit of both loops
  int i = 0, j = 0;
  bool p0 = false;
};

struct Instruction {
  enum class Kind : std::uint8_t { kStep, kSsy, kBranch, kPop, kStamp, kEnd } kind = Kind::kStep;
  unsigned label = 0;
  std::function<void(Thread&)> effect;
};

inline Instruction step(std::function<void(Thread&)> effect) {
  return {Instruction::Kind::kStep, 0, std::move(effect)};
}
inline Instruction ssy(unsigned label) { return {Instruction::Kind::kSsy, label, {}}; }
inline Instruction branch(unsigned label) { return {Instruction::Kind::kBranch, label, {}}; }  // @P0 BRA
inline Instruction nop_s() { return {Instruction::Kind::kPop, 0, {}}; }
inline Instruction stamp() { return {Instruction::Kind::kStamp, 0, {}}; }
inline Instruction end() { return {Instruction::Kind::kEnd, 0, {}}; }

struct Counts {
  std::uint64_t pushes = 0, pops = 0, deepest = 0, spills = 0, reloads = 0;
  bool operator==(const Counts&) const = default;
};

struct Emulated {
  Counts counts;
  std::vector<std::uint64_t> stamps;  // cycles lost to tokens, whenever the first thread came to a stamp
};

// All threads are active and all tokens are gone at the end of a listing.
inline Emulated emulate(const std::vector<Instruction>& code, std::vector<Thread> threads,
                        const divergence::StackCycles& cycles = {}) {
  const divergence::TokenStackParams params;
  const isa::LaneMask all = isa::low_lanes(static_cast<unsigned>(threads.size()));
  std::vector<divergence::TokenCounts> counts(1);
  divergence::TokenEmulator warp(all, params.on_chip_tokens, params.spill_tokens, counts);
  Emulated emulated;
  while (code[warp.pc()].kind != Instruction::Kind::kEnd) {
    const Instruction& instruction = code[warp.pc()];
    isa::LaneMask p0 = 0;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if ((warp.active() >> t & 1) == 0) continue;
      if (instruction.effect) instruction.effect(threads[t]);
      if (threads[t].p0) p0 |= isa::LaneMask{1} << t;
    }
    switch (instruction.kind) {
      case Instruction::Kind::kBranch:
        warp.branch(p0, instruction.label);
        continue;
      case Instruction::Kind::kPop:
        warp.pop();
        continue;
      case Instruction::Kind::kSsy:
        warp.ssy(instruction.label);
        break;
      case Instruction::Kind::kStamp:
        if ((warp.active() & 1) != 0) emulated.stamps.push_back(cycles_of(counts[0], cycles, params.ssy_cycles));
        break;
      default:
        break;
    }
    warp.go_to(warp.pc() + 1);
  }
  EXPECT_EQ(warp.active(), all);
  EXPECT_TRUE(warp.stack().empty());
  emulated.counts = {counts[0].pushes(), counts[0].pops, counts[0].deepest, counts[0].spills, counts[0].reloads};
  return emulated;
}

// Table I: n threads have a lower limit than 32, each one less than the thread before.
inline std::vector<std::uint32_t> limits(unsigned n) {
  std::vector<std::uint32_t> limits(32, 32);
  for (unsigned k = 1; k <= n; ++k) limits[31 - n + k] = 32 - k;
  return limits;
}

inline std::vector<Thread> threads(unsigned n) {
  std::vector<Thread> made;
  for (const std::uint32_t limit : limits(n)) made.push_back({static_cast<int>(limit), 0, 0, false});
  return made;
}

// Listing 3, the single loop; instructions without effect here are left out.
inline Counts single_loop(unsigned n) {
  return emulate({step([](Thread& t) { t.p0 = t.m < 1; }),      // 0060
                  ssy(6),                                       // 00e0
                  branch(5),                                    // 00e8
                  step([](Thread& t) { t.p0 = ++t.i < t.m; }),  // 0100, 0110
                  branch(3),                                    // 0118
                  nop_s(),                                      // 0120
                  end()},
                 threads(n))
      .counts;
}

// Listing 4, the double loop.
inline Counts double_loop(unsigned n) {
  return emulate({step([](Thread& t) { t.p0 = t.m < 1; }),  // 0060
                  ssy(12),                                  // 0118
                  branch(11),                               // 0120
                  step([](Thread& t) {                      // 0130, 0138
                    t.p0 = t.m < 1;
                    t.j = 0;
                  }),
                  ssy(9),                                       // 0140
                  branch(8),                                    // 0148
                  step([](Thread& t) { t.p0 = ++t.j < t.m; }),  // 0150, 0160
                  branch(6),                                    // 0168
                  nop_s(),                                      // 0170
                  step([](Thread& t) { t.p0 = ++t.i < t.m; }),  // 0178, 0188
                  branch(3),                                    // 0190
                  nop_s(),                                      // 0198
                  end()},
                 threads(n))
      .counts;
}

// Listing 5, the single loop that reads the clock in every round; its code is Listing 6's, with the barrier that the
// paper added before the last read.
inline std::vector<std::uint64_t> single_loop_stamps(unsigned n, const divergence::StackCycles& cycles) {
  return emulate({stamp(),                                      // before the loop
                  step([](Thread& t) { t.p0 = t.m < 1; }),      // 00d8
                  ssy(8),                                       // 00e8
                  branch(7),                                    // 00f0
                  step([](Thread& t) { t.p0 = ++t.i < t.m; }),  // 0100, 0160
                  stamp(),                                      // 0130
                  branch(4),                                    // 0168
                  nop_s(),                                      // 0170
                  stamp(),                                      // behind the barrier
                  end()},
                 threads(n), cycles)
      .stamps;
}

}  // namespace warpfold::token_emulator
