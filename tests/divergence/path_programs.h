// SPDX-License-Identifier: Apache-2.0
// Programs of a few instructions for warps of four threads, and what a mechanism issues of them: "0:f 1:6" is pc 0 with
// all threads, then pc 1 with threads 1 and 2.
#pragma once

#include <string>
#include <vector>

#include "tests/divergence/example_programs.h"
#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {

// "3{1,2}", in order.
inline std::vector<std::string> issues_of(const FlowMachine& machine) {
  std::vector<std::string> texts;
  for (const FlowMachine::Issue& issue : machine.trace) texts.push_back(fmt::format("{}{}", issue.pc, issue.threads));
  return texts;
}

// P4, a lock that threads of one warp spin for: `0 atomCAS; 1 bra 0 if failed (rpc 2); 2 step; 3 release; 4 exit`. The
// lowest thread that asks gets it. Runs until all have left or so many instructions are issued.
class SpinningWarp {
 public:
  SpinningWarp(const std::string& mechanism, std::vector<std::string> parameters)
      : setup_{mechanism, std::move(parameters)},
        core_(setup_.geometry().max_warps, setup_.max_rows),
        mechanism_(setup_.configured().make(setup_.geometry(), core_)) {
    const Outcome unused = [](Who, unsigned) { return true; };
    kernel_ = kernel_of({step(), branch(0, unused), step(), step(), leave()});
    mechanism_->kernel_started(kernel_);
    mechanism_->block_started(block_);
  }

  std::string run(unsigned most) {
    std::string text;
    while (!ended() && most-- > 0) {
      mechanism_->tick(++cycle_);
      WarpSet ready(setup_.geometry().max_warps);
      for (const WarpId id : core_.warps()) ready.insert(id);
      mechanism_->prefer(ready, cycle_);
      const WarpId id = ready.next(0);
      add_issue(text, core_.warp(id).pc, core_.warp(id).mask);
      issue(id, core_.warp(id));
    }
    if (ended()) mechanism_->kernel_ended();
    return text;
  }
  bool ended() const { return left_ == block_.threads[0]; }
  const FakeCore& core() const { return core_; }

 private:
  void issue(WarpId id, Warp warp) {
    mechanism_->issued(id, cycle_);
    if (warp.pc == 0 && holder_ == 0) holder_ = warp.mask & ~(warp.mask - 1);
    if (warp.pc == 3) holder_ = 0;
    if (warp.pc == 1) {
      mechanism_->branch_resolved(id, {1, warp.mask & ~holder_, 0, 2, isa::kNoPc, true});
    } else if (warp.pc == 4) {
      left_ |= warp.mask;
      mechanism_->exited(id, warp.mask, 5);
      if (ended()) mechanism_->block_finished(block_);
    } else {
      mechanism_->committed(id, warp.pc + 1);
    }
  }

  FlowSetup setup_;
  FakeCore core_;
  std::unique_ptr<Mechanism> mechanism_;
  isa::Kernel kernel_;
  const Block block_{0, 0, 0, 0, {0b1111}};
  LaneMask holder_ = 0, left_ = 0;
  Cycle cycle_ = 0;
};

}  // namespace warpfold::divergence
