// SPDX-License-Identifier: Apache-2.0
// Control flow without data: programs of steps, branches and exits whose outcomes are functions of the thread, what a
// thread alone executes of them, and where their branches reconverge.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/divergence/warp.h"

namespace warpfold::divergence {

struct Who {
  std::uint64_t block = 0;
  unsigned thread = 0;
};

// `visit`: how often the thread has been at this instruction before, since the last step that resets it.
using Outcome = std::function<bool(Who, unsigned visit)>;

struct FlowOp {
  enum class Kind : std::uint8_t { kStep, kBranch, kExit };
  Kind kind = Kind::kStep;
  Pc target = isa::kNoPc;
  Outcome outcome{};  // empty: always
  bool may_diverge = true;
  Pc resets = isa::kNoPc;  // a step that starts a loop: the branch whose visits count from 0 again
  bool loads = false;      // a step that loads from global memory
};

using Program = std::vector<FlowOp>;

inline FlowOp step() { return {}; }
inline FlowOp load() { return {.loads = true}; }
inline FlowOp branch(Pc target, Outcome outcome) {
  return {.kind = FlowOp::Kind::kBranch, .target = target, .outcome = std::move(outcome)};
}
inline FlowOp uniform(Pc target, Outcome outcome) {
  return {.kind = FlowOp::Kind::kBranch, .target = target, .outcome = std::move(outcome), .may_diverge = false};
}
inline FlowOp jump(Pc target) { return uniform(target, {}); }
inline FlowOp leave() { return {.kind = FlowOp::Kind::kExit}; }
inline FlowOp leave_if(Outcome outcome) { return {.kind = FlowOp::Kind::kExit, .outcome = std::move(outcome)}; }

// A thread's place in a program.
struct ThreadState {
  Pc pc = 0;
  bool exited = false;
  std::vector<unsigned> visits;
};

// Executes the instruction at state.pc; says whether its branch was taken or its exit happened.
inline bool execute(const Program& program, Who who, ThreadState& state) {
  const FlowOp& op = program.at(state.pc);
  state.visits.resize(program.size());
  if (op.resets != isa::kNoPc) state.visits[op.resets] = 0;
  const unsigned visit = state.visits[state.pc]++;
  const bool happens = op.kind != FlowOp::Kind::kStep && (!op.outcome || op.outcome(who, visit));
  state.exited = happens && op.kind == FlowOp::Kind::kExit;
  state.pc = happens && op.kind == FlowOp::Kind::kBranch ? op.target : state.pc + 1;
  return happens;
}

// What the thread executes when it is alone in the world.
inline std::vector<Pc> reference(const Program& program, Who who) {
  std::vector<Pc> sequence;
  ThreadState state;
  while (!state.exited) {
    check(sequence.size() < 100'000, "a program of this test ends");
    sequence.push_back(state.pc);
    execute(program, who, state);
  }
  return sequence;
}

// Immediate post-dominator of every instruction by the textbook's sets; the end of the program is program.size().
inline std::vector<Pc> reconvergence_points(const Program& program) {
  const auto end = static_cast<Pc>(program.size());
  check(end < 64, "a set of instructions is a word");
  const auto bit = [](Pc pc) { return std::uint64_t{1} << pc; };
  std::vector<std::uint64_t> sets(end, ~std::uint64_t{0});
  sets.push_back(bit(end));
  for (bool changed = true; changed;) {
    changed = false;
    for (Pc pc = end; pc-- > 0;) {
      const FlowOp& op = program[pc];
      std::uint64_t common = ~std::uint64_t{0};
      if (op.kind == FlowOp::Kind::kStep || op.outcome) common &= sets[pc + 1];
      if (op.kind == FlowOp::Kind::kBranch) common &= sets[op.target];
      if (op.kind == FlowOp::Kind::kExit) common &= sets[end];
      changed |= sets[pc] != (common | bit(pc));
      sets[pc] = common | bit(pc);
    }
  }
  std::vector<Pc> points(end);
  for (Pc pc = 0; pc < end; ++pc) {
    // Post-dominators form a chain; the nearest of them has all the others.
    const std::uint64_t others = sets[pc] & ~bit(pc);
    for (Pc point = 0; point <= end; ++point) {
      if ((others & bit(point)) != 0 && sets[point] == others) points[pc] = point;
    }
  }
  return points;
}

}  // namespace warpfold::divergence
