// SPDX-License-Identifier: Apache-2.0
// Finds warps that repeat themselves: the same state at the same backward branch again, while memory stands still.
#pragma once

#include <cstdint>
#include <vector>

#include "models/divergence/warp.h"
#include "models/isa/execute.h"

namespace warpfold {

// A warp whose pc, lanes and registers come back to what they were, with no memory change in between, will do so for
// ever unless somebody else writes. If all warps that can run are so, nobody will: a spin lock whose holder waits for
// its own warp to reconverge, for one. Switched on only when nothing else seems to move, since it reads all registers.
class SpinWatch {
 public:
  explicit SpinWatch(unsigned slots) : entries_(slots) {}

  // `words`: registers and predicates of a thread in `threads`.
  void start(isa::ThreadStore& threads, unsigned words);
  void stop() { threads_ = nullptr; }
  bool on() const { return threads_ != nullptr; }

  // The warp takes a backward branch at `pc`.
  void looped(divergence::WarpId id, isa::Pc pc, const divergence::Warp& warp);
  bool repeats(divergence::WarpId id) const { return entries_[id].repeats; }

 private:
  struct Entry {
    std::uint64_t remembered = 0, visits = 0;
    bool repeats = false;
  };
  std::uint64_t state_of(isa::Pc pc, const divergence::Warp& warp) const;

  isa::ThreadStore* threads_ = nullptr;
  unsigned words_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace warpfold
