// SPDX-License-Identifier: Apache-2.0
// The emulator of the divergence-cost paper (§IV): Algorithms 1 and 2 on the machine code of a listing, instruction by
// instruction, with SSY and carriers where NVIDIA's compiler put them. It shares nothing with the model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace warpfold::token_emulator {

struct Thread {
  int m = 0;  // limit of both loops
  int i = 0, j = 0;
  bool p0 = false;
};

struct Instruction {
  enum class Kind : std::uint8_t { kStep, kSsy, kBranch, kPop, kEnd } kind = Kind::kStep;
  unsigned label = 0;
  std::function<void(Thread&)> effect;
};

inline Instruction step(std::function<void(Thread&)> effect) {
  return {Instruction::Kind::kStep, 0, std::move(effect)};
}
inline Instruction ssy(unsigned label) { return {Instruction::Kind::kSsy, label, {}}; }
inline Instruction branch(unsigned label) { return {Instruction::Kind::kBranch, label, {}}; }  // @P0 BRA
inline Instruction nop_s() { return {Instruction::Kind::kPop, 0, {}}; }
inline Instruction end() { return {Instruction::Kind::kEnd, 0, {}}; }

struct Counts {
  unsigned pushes = 0, pops = 0, deepest = 0, spills = 0, reloads = 0;
  bool operator==(const Counts&) const = default;
};

class Emulator {
 public:
  Emulator(std::vector<Instruction> code, std::vector<Thread> threads)
      : code_(std::move(code)), threads_(std::move(threads)), active_(threads_.size(), true) {}

  Counts run() {
    for (unsigned pc = 0; code_[pc].kind != Instruction::Kind::kEnd;) pc = execute(pc);
    return counts_;
  }
  // All threads are active and all tokens are gone, as at the end of a listing.
  bool whole() const {
    return stack_.empty() && std::all_of(active_.begin(), active_.end(), [](bool active) { return active; });
  }

 private:
  static constexpr unsigned kOnChip = 16, kAtATime = 4;
  using Mask = std::vector<bool>;
  struct Token {
    Mask mask;
    unsigned pc;
  };

  unsigned execute(unsigned pc) {
    const Instruction& instruction = code_[pc];
    switch (instruction.kind) {
      case Instruction::Kind::kSsy:
        push({active_, instruction.label});
        return pc + 1;
      case Instruction::Kind::kBranch:
        return execute_branch(pc);
      case Instruction::Kind::kPop:
        return pop();
      default:
        for (std::size_t t = 0; t < threads_.size(); ++t) {
          if (active_[t]) instruction.effect(threads_[t]);
        }
        return pc + 1;
    }
  }

  unsigned execute_branch(unsigned pc) {
    Mask taken(active_), not_taken(active_);
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      taken[t] = active_[t] && threads_[t].p0;
      not_taken[t] = active_[t] && !threads_[t].p0;
    }
    if (std::find(taken.begin(), taken.end(), true) == taken.end()) return pc + 1;
    if (std::find(not_taken.begin(), not_taken.end(), true) != not_taken.end()) push({not_taken, pc + 1});
    active_ = taken;
    return code_[pc].label;
  }

  // "During a push that would overflow the stack, the four lowest entries are spilled."
  void push(Token token) {
    if (on_chip_ == kOnChip) {
      on_chip_ -= kAtATime;
      ++counts_.spills;
    }
    stack_.push_back(std::move(token));
    ++on_chip_;
    ++counts_.pushes;
    counts_.deepest = std::max(counts_.deepest, static_cast<unsigned>(stack_.size()));
  }
  unsigned pop() {
    if (on_chip_ == 0) {
      on_chip_ += kAtATime;
      ++counts_.reloads;
    }
    const Token token = stack_.back();
    stack_.pop_back();
    --on_chip_;
    ++counts_.pops;
    active_ = token.mask;
    return token.pc;
  }

  std::vector<Instruction> code_;
  std::vector<Thread> threads_;
  Mask active_;
  std::vector<Token> stack_;
  unsigned on_chip_ = 0;
  Counts counts_;
};

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
  Emulator emulator({step([](Thread& t) { t.p0 = t.m < 1; }),      // 0060
                     ssy(6),                                       // 00e0
                     branch(5),                                    // 00e8
                     step([](Thread& t) { t.p0 = ++t.i < t.m; }),  // 0100, 0110
                     branch(3),                                    // 0118
                     nop_s(),                                      // 0120
                     end()},
                    threads(n));
  const Counts counts = emulator.run();
  return emulator.whole() ? counts : Counts{};
}

// Listing 4, the double loop.
inline Counts double_loop(unsigned n) {
  Emulator emulator({step([](Thread& t) { t.p0 = t.m < 1; }),  // 0060
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
                    threads(n));
  const Counts counts = emulator.run();
  return emulator.whole() ? counts : Counts{};
}

}  // namespace warpfold::token_emulator
