// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/prediction/token_emulator.h"

#include "warpfold/common/error.h"

namespace warpfold::divergence {

void TokenCounts::add(const TokenCounts& other) {
  sync_pushes += other.sync_pushes;
  div_pushes += other.div_pushes;
  pops += other.pops;
  spills += other.spills;
  reloads += other.reloads;
  deepest = std::max(deepest, other.deepest);
}

std::uint64_t cycles_of(const TokenCounts& counts, const StackCycles& cycles, unsigned ssy_cycles) {
  return counts.sync_pushes * ssy_cycles + counts.pops * cycles.pop + counts.spills * cycles.spill +
         counts.reloads * cycles.reload;
}

const TokenEmulator::Token* TokenEmulator::innermost_sync() const {
  const auto found = std::find_if(stack_.rbegin(), stack_.rend(), [](const Token& token) { return token.sync; });
  return found == stack_.rend() ? nullptr : &*found;
}

bool TokenEmulator::has_sync(isa::Pc label) const {
  return std::any_of(stack_.begin(), stack_.end(),
                     [label](const Token& token) { return token.sync && token.pc == label; });
}

void TokenEmulator::ssy(isa::Pc label, std::uint32_t owner, std::uint32_t region) {
  ++counts_[owner].sync_pushes;
  push({active_, label, true, owner, region});
}

void TokenEmulator::branch(isa::LaneMask p0, isa::Pc label, std::uint32_t owner) {
  const isa::LaneMask taken = active_ & p0;
  if (taken == 0) {
    ++pc_;
    return;
  }
  if (taken != active_) {
    ++counts_[owner].div_pushes;
    push({active_ & ~p0, pc_ + 1, false, owner, 0});
  }
  active_ = taken;
  pc_ = label;
}

// "During a push that would overflow the stack, the four lowest entries are spilled" (§IV).
void TokenEmulator::push(const Token& token) {
  TokenCounts& counts = counts_[token.owner];
  if (here_ == on_chip_) {
    here_ -= at_a_time_;
    ++counts.spills;
  }
  stack_.push_back(token);
  ++here_;
  counts.deepest = std::max<std::uint64_t>(counts.deepest, stack_.size());
}

void TokenEmulator::pop() {
  check(!stack_.empty(), "a carrier comes after its SSY");
  const Token token = stack_.back();
  TokenCounts& counts = counts_[token.owner];
  if (here_ == 0) {
    here_ += at_a_time_;
    ++counts.reloads;
  }
  stack_.pop_back();
  --here_;
  ++counts.pops;
  active_ = token.mask;
  pc_ = token.pc;
}

void TokenEmulator::exit(isa::LaneMask threads) {
  for (Token& token : stack_) token.mask &= ~threads;
  active_ &= ~threads;
  ++pc_;
  while (active_ == 0 && !stack_.empty()) pop();
}

}  // namespace warpfold::divergence
