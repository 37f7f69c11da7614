// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/prediction/token_prediction.h"

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"

namespace warpfold::divergence {

using isa::BlockIndex;
using isa::Cfg;
using isa::Kind;
using isa::LaneMask;
using isa::Pc;

TokenPrediction::TokenPrediction(const isa::Kernel& kernel, unsigned on_chip, unsigned at_a_time)
    : kernel_(kernel), on_chip_(on_chip), at_a_time_(at_a_time), placement_(kernel) {
  find_owners();
  find_stops();
  counts_.resize(loops_.size());
}

// A loop's tokens are those of the branches in it and the SYNC token of those that leave it, which is pushed before it
// (Listing 3); that of a branch that leaves several loops belongs to the outermost.
void TokenPrediction::find_owners() {
  const Cfg cfg(flow_of(kernel_));
  std::vector<Cfg::LoopBlocks> loops = cfg.loops();
  const auto begin_of = [&](const Cfg::LoopBlocks& loop) { return cfg.blocks()[loop.header].begin; };
  std::stable_sort(loops.begin(), loops.end(), [&](const auto& a, const auto& b) { return begin_of(a) < begin_of(b); });
  // By place; an inner loop comes behind the one around it, whose header dominates its own.
  loops_.emplace_back();
  loop_at_.assign(kernel_.ops.size(), 0);
  for (const Cfg::LoopBlocks& loop : loops) {
    loop_at_[begin_of(loop)] = static_cast<std::uint32_t>(loops_.size());
    loops_.push_back({begin_of(loop), cfg.loop_depth(loop.header), 0, {}});
  }
  const auto is_in = [&](std::uint32_t loop, Pc pc) { return loops[loop - 1].body[cfg.block_of(pc)]; };
  owner_.assign(kernel_.ops.size(), 0);
  owner_of_point_.assign(kernel_.ops.size(), 0);
  for (Pc pc = 0; pc < kernel_.end(); ++pc) {
    for (std::uint32_t loop = 1; loop < loops_.size(); ++loop) {
      if (is_in(loop, pc) && loops_[loop].depth > loops_[owner_[pc]].depth) owner_[pc] = loop;
    }
  }
  for (Pc pc = 0; pc < kernel_.end(); ++pc) {
    const Pc point = kernel_.ops[pc].kind == Kind::kBranch ? placement_.point(pc) : kernel_.end();
    if (point == kernel_.end()) continue;
    std::uint32_t& owner = owner_of_point_[point];
    for (std::uint32_t loop = 1; loop < loops_.size(); ++loop) {
      const bool leaves = is_in(loop, pc) && !is_in(loop, point);
      if (leaves && (owner == 0 || loops_[loop].depth < loops_[owner].depth)) owner = loop;
    }
  }
  // A branch around the loop, as Listing 3's first, belongs to it like its SYNC token.
  for (Pc pc = 0; pc < kernel_.end(); ++pc) {
    if (kernel_.ops[pc].kind != Kind::kBranch || placement_.point(pc) == kernel_.end()) continue;
    const std::uint32_t owner = owner_of_point_[placement_.point(pc)];
    if (owner != 0) owner_[pc] = owner;
  }
}

void TokenPrediction::find_stops() {
  stop_.resize(kernel_.ops.size());
  Pc next = kernel_.end();
  for (Pc pc = kernel_.end(); pc-- > 0;) {
    const Kind kind = kernel_.ops[pc].kind;
    if (kind == Kind::kBranch || kind == Kind::kExit || placement_.marked(pc) || loop_at_[pc] != 0) next = pc;
    stop_[pc] = next;
  }
}

bool TokenPrediction::Decisions::take() {
  const bool taken = taken_[next_++];
  if (next_ == taken_.size()) {
    taken_.clear();
    next_ = 0;
  }
  return taken;
}

void TokenPrediction::start(std::uint64_t warp, LaneMask threads) {
  const auto [at, fresh] = warps_.try_emplace(warp, Warp{TokenEmulator(threads, on_chip_, at_a_time_, counts_)});
  check(fresh, "a warp begins once");
  advance(at->second);
  if (at->second.emulator.done()) warps_.erase(at);
}

void TokenPrediction::decided(std::uint64_t id, LaneMask lanes, LaneMask which) {
  const auto at = warps_.find(id);
  check(at != warps_.end(), "a warp begins before it decides");
  Warp& warp = at->second;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    warp.threads[lane].add((which >> lane & 1) != 0);
  }
  advance(warp);
  if (warp.emulator.done()) warps_.erase(at);
}

bool TokenPrediction::advance(Warp& warp) {
  TokenEmulator& emulator = warp.emulator;
  while (!emulator.done()) {
    if (!warp.arrived) arrive(emulator);
    warp.arrived = true;
    const Pc pc = emulator.pc();
    const isa::MicroOp& op = kernel_.ops[pc];
    if (op.kind != Kind::kBranch && op.kind != Kind::kExit) {
      emulator.go_to(stop_[pc + 1]);
      warp.arrived = false;
      continue;
    }
    LaneMask which = emulator.active();
    if (op.guard != isa::kNoWord) {
      for (LaneMask left = emulator.active(); left != 0; left &= left - 1) {
        if (warp.threads[static_cast<unsigned>(std::countr_zero(left))].empty()) return false;
      }
      for (LaneMask left = emulator.active(); left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        if (!warp.threads[lane].take()) which &= ~(LaneMask{1} << lane);
      }
    }
    if (op.kind == Kind::kBranch) {
      emulator.branch(which, op.target, owner_[pc]);
    } else {
      emulator.exit(which);
    }
    warp.arrived = false;
  }
  return true;
}

// As the mechanism token-stack places SSY and carriers (parts/sync_placement.h).
void TokenPrediction::arrive(TokenEmulator& emulator) {
  if (placement_.marked(emulator.pc())) {
    for (auto sync = emulator.innermost_sync(); sync != nullptr && sync->pc == emulator.pc();
         sync = emulator.innermost_sync()) {
      emulator.pop();  // a DIV token may resume at a carrier, which pops the next one (Fig. 3)
    }
    for (const SyncPlacement::Begin& begin : placement_.begins_at(emulator.pc())) {
      const TokenEmulator::Token* const sync = emulator.innermost_sync();
      const unsigned innermost = sync == nullptr ? SyncPlacement::kNoRegion : sync->region;
      if (placement_.is_in(begin, innermost, [&](Pc point) { return emulator.has_sync(point); })) continue;
      const std::uint32_t owner = owner_of_point_[begin.point];
      emulator.ssy(begin.point, owner != 0 ? owner : owner_[begin.pc], begin.region);
    }
  }
  const std::uint32_t loop = loop_at_[emulator.pc()];
  if (loop != 0) ++loops_[loop].iterations;
}

std::vector<LoopTokens> TokenPrediction::loops() const {
  std::vector<LoopTokens> all = loops_;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].tokens = counts_[i];
  return all;
}

}  // namespace warpfold::divergence
