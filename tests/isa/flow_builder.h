// SPDX-License-Identifier: Apache-2.0
// Control-flow programs for the analyses' tests: by hand, and at random.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "warpfold/isa/analysis/flow.h"

namespace warpfold::isa {

inline FlowOp op(std::vector<Register> writes = {}, std::vector<Register> reads = {}) {
  FlowOp result;
  result.writes = std::move(writes);
  result.reads = std::move(reads);
  return result;
}

inline FlowOp source(Register write) {  // %tid and the like
  FlowOp result = op({write});
  result.varying = true;
  return result;
}

inline FlowOp guarded(FlowOp result, Register guard) {
  result.guard = guard;
  result.reads.push_back(guard);
  return result;
}

inline FlowOp jump(Pc target) {
  FlowOp result;
  result.flow = Flow::kBranch;
  result.target = target;
  return result;
}
inline FlowOp jump_if(Register guard, Pc target) { return guarded(jump(target), guard); }

inline FlowOp leave() {
  FlowOp result;
  result.flow = Flow::kExit;
  return result;
}

// `size` instructions over `registers` registers, about a third of which are jumps; the last one ends the thread.
class RandomFlow {
 public:
  RandomFlow(unsigned seed, unsigned size, unsigned registers) : random_(seed), size_(size), registers_(registers) {}

  std::vector<FlowOp> make() {
    std::vector<FlowOp> ops;
    for (unsigned i = 0; i + 1 < size_; ++i) ops.push_back(make_op());
    ops.push_back(leave());
    return ops;
  }

 private:
  unsigned below(unsigned bound) { return std::uniform_int_distribution<unsigned>(0, bound - 1)(random_); }

  FlowOp make_op() {
    const unsigned dice = below(24);
    if (dice < 5) return jump_if(below(registers_), below(size_));
    if (dice < 6) return jump(below(size_));
    if (dice < 7) return below(3) == 0 ? leave() : guarded(leave(), below(registers_));
    if (dice < 9) return source(below(registers_));
    FlowOp result = op({below(registers_)}, {below(registers_)});
    if (dice < 12) result.reads.clear();
    if (dice < 14) result.reads.push_back(below(registers_));
    if (dice == 14) result.writes.push_back((result.writes[0] + 1) % registers_);
    return dice < 17 ? guarded(result, below(registers_)) : result;
  }

  std::mt19937 random_;
  unsigned size_, registers_;
};

}  // namespace warpfold::isa
