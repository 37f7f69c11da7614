// SPDX-License-Identifier: Apache-2.0
// The emulator of the divergence-cost paper (§III, §IV): Algorithms 1 and 2 on one warp, and a stack that spills. It
// shares nothing with the mechanism token-stack, which is held to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "warpfold/divergence/parts/warp/token_stack_params.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::divergence {

struct TokenCounts {
  std::uint64_t sync_pushes = 0, div_pushes = 0, pops = 0, spills = 0, reloads = 0;
  std::uint64_t deepest = 0;  // of the stack, right after one of these pushes

  std::uint64_t pushes() const { return sync_pushes + div_pushes; }
  void add(const TokenCounts& other);
  bool operator==(const TokenCounts&) const = default;
};

// What a warp loses to them: to SSY instructions, to pops with their carriers, to spills and reloads (§IV-A: what a
// push costs is hidden).
std::uint64_t cycles_of(const TokenCounts& counts, const StackCycles& cycles, unsigned ssy_cycles);

class TokenEmulator {
 public:
  struct Token {
    isa::LaneMask mask;
    isa::Pc pc;
    bool sync;             // id: SYNC, else DIV
    std::uint32_t owner;   // whose counts it is in
    std::uint32_t region;  // of a SYNC token; not the paper's: what its user wants to find again
  };

  // `threads` at instruction 0. `counts`: one for each owner, outlives this.
  TokenEmulator(isa::LaneMask threads, unsigned on_chip, unsigned at_a_time, std::vector<TokenCounts>& counts)
      : on_chip_(on_chip), at_a_time_(at_a_time), counts_(counts), active_(threads) {}

  isa::Pc pc() const { return pc_; }
  isa::LaneMask active() const { return active_; }
  const std::vector<Token>& stack() const { return stack_; }
  // The SYNC token that is popped next; null: none.
  const Token* innermost_sync() const;
  bool has_sync(isa::Pc label) const;

  void go_to(isa::Pc pc) { pc_ = pc; }
  // SSY label; the caller goes to the next instruction.
  void ssy(isa::Pc label, std::uint32_t owner = 0, std::uint32_t region = 0);
  // Algorithm 1; `p0`: threads whose predicate holds, of others it is no matter.
  void branch(isa::LaneMask p0, isa::Pc label, std::uint32_t owner = 0);
  // The pop-bit of Algorithm 2.
  void pop();
  // Active threads end. The paper has no such instruction: they leave the tokens, too, and when none is active the
  // stack is unwound to one that has threads, as the mechanism does.
  void exit(isa::LaneMask threads);
  // All threads have ended.
  bool done() const { return active_ == 0; }

 private:
  void push(const Token& token);

  unsigned on_chip_, at_a_time_;  // tokens: that have room, that go to memory or back
  std::vector<TokenCounts>& counts_;
  isa::LaneMask active_;
  isa::Pc pc_ = 0;
  std::vector<Token> stack_;
  unsigned here_ = 0;  // the topmost so many are on chip
};

}  // namespace warpfold::divergence
