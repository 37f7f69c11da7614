// SPDX-License-Identifier: Apache-2.0
// Finds threads that repeat themselves: the same state at the same backward branch again, while memory stands still.
#pragma once

#include <cstdint>
#include <vector>

#include "warpfold/divergence/warp.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// A thread whose pc and registers come back to what they were, with no memory change in between, will do so for ever
// unless somebody else writes. If all threads that can run are so, nobody will: a spin lock whose holder waits for its
// own warp to reconverge, for one. Threads are watched rather than warps, whose company may change for ever; where
// lanes read one another's registers, the state of all lanes counts. Switched on only when nothing else seems to move,
// since it reads all registers.
class SpinWatch {
 public:
  // `threads` run `kernel`.
  void start(isa::ThreadStore& threads, const isa::Kernel& kernel);
  void stop() { threads_ = nullptr; }
  bool on() const { return threads_ != nullptr; }

  // The warp takes a backward branch at `pc`.
  void looped(isa::Pc pc, const divergence::Warp& warp);
  // Is the watch on, and do all threads of the warp repeat themselves?
  bool repeats(const divergence::Warp& warp) const;

 private:
  struct Entry {
    std::uint64_t remembered = 0, visits = 0;
    bool repeats = false;
  };
  std::uint64_t mix_thread(std::uint64_t hash, unsigned row, unsigned lane) const;
  std::size_t place(unsigned row, unsigned lane) const { return std::size_t{row} * isa::kMaxLanes + lane; }

  isa::ThreadStore* threads_ = nullptr;
  unsigned words_ = 0;           // registers and predicates of a thread
  bool lanes_exchange_ = false;  // votes and shuffles
  std::vector<Entry> entries_;   // by thread
};

}  // namespace warpfold
