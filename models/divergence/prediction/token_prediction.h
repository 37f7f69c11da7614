// SPDX-License-Identifier: Apache-2.0
// What each loop of a kernel would cost on a token stack, by the divergence-cost paper's emulator (§IV), from what
// every thread decided at its branches: in whatever order, by whatever mechanism the threads ran.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "warpfold/divergence/parts/warp/sync_placement.h"
#include "warpfold/divergence/prediction/token_emulator.h"

namespace warpfold::divergence {

// A loop, or what lies in none.
struct LoopTokens {
  isa::Pc header = isa::kNoPc;   // kNoPc: outside of all loops
  unsigned depth = 0;            // in how many loops it is, itself among them
  std::uint64_t iterations = 0;  // of warps: how often a warp came to the header
  TokenCounts tokens;
};

class TokenPrediction {
 public:
  TokenPrediction(const isa::Kernel& kernel, unsigned on_chip, unsigned at_a_time);

  // A warp, under a number of the caller's, begins with these threads. Its number is free once they have all exited.
  void start(std::uint64_t warp, isa::LaneMask threads);
  bool runs(std::uint64_t warp) const { return warps_.contains(warp); }
  bool idle() const { return warps_.empty(); }
  // Threads `lanes` of the warp came to a guarded branch or exit, in each thread's own order; `which` took it.
  void decided(std::uint64_t warp, isa::LaneMask lanes, isa::LaneMask which);

  // First what lies in no loop, then the loops by their place in the kernel.
  std::vector<LoopTokens> loops() const;

 private:
  // Of one thread, that the emulator has not come to yet.
  class Decisions {
   public:
    void add(bool taken) { taken_.push_back(taken); }
    bool empty() const { return next_ == taken_.size(); }
    bool take();

   private:
    std::vector<bool> taken_;
    std::size_t next_ = 0;
  };
  struct Warp {
    TokenEmulator emulator;
    bool arrived = false;  // at the emulator's pc: tokens that are due there have been pushed and popped
    std::vector<Decisions> threads = std::vector<Decisions>(isa::kMaxLanes);
  };

  void find_owners();
  void find_stops();
  bool advance(Warp& warp);  // false: it waits for decisions
  void arrive(TokenEmulator& emulator);

  const isa::Kernel& kernel_;
  const unsigned on_chip_, at_a_time_;
  SyncPlacement placement_;
  std::vector<LoopTokens> loops_;              // [0]: none
  std::vector<TokenCounts> counts_;            // by loop
  std::vector<std::uint32_t> owner_;           // by pc: the loop of a token that is pushed there
  std::vector<std::uint32_t> owner_of_point_;  // by pc: of the SYNC tokens that lead there; 0: where they are pushed
  std::vector<std::uint32_t> loop_at_;         // by pc: that begins there; 0: none
  std::vector<isa::Pc> stop_;                  // by pc: the next one from there on at which something can happen
  std::unordered_map<std::uint64_t, Warp> warps_;
};

}  // namespace warpfold::divergence
