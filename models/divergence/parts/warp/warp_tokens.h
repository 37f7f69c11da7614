// SPDX-License-Identifier: Apache-2.0
// A warp's stack of SYNC and DIV tokens (Divergence cost §III, Algorithms 1 and 2), the lowest of which lie in memory
// when it is deeper than its room on the core (§IV).
#pragma once

#include <vector>

#include "warpfold/divergence/mechanism.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"
#include "warpfold/divergence/parts/warp/sync_placement.h"

namespace warpfold::divergence {

class TokenStackObserver;

class WarpTokens {
 public:
  struct Region {
    Pc point = 0;  // where it ends
    unsigned number = SyncPlacement::kNoRegion;
  };
  struct Token {
    LaneMask mask = 0;
    Pc pc = 0;
    bool sync = false;  // id: SYNC, else DIV
    Region outer;       // what the hardware need not remember: the region that a SYNC token's region lies in
  };
  // What an operation came to: where the active threads go on, the tokens that it popped, and how many times some went
  // to memory or came back for it.
  struct Done {
    Pc pc = 0;
    unsigned pops = 0, spills = 0, reloads = 0;
    bool sync = false;  // of the last that it popped
  };

  // `spills`: of the stacks of all warps, this one's being `owner`.
  WarpTokens(StackSpills& spills, unsigned owner) : spills_(&spills), owner_(owner) {}

  // Told of every operation, after it; null: nobody.
  void observe(TokenStackObserver* observer) { observer_ = observer; }

  // These threads are active, there is no token.
  void start(LaneMask threads, unsigned token_bytes);
  // A region begins, whose threads are to meet at its point; they go on at `next`.
  Done ssy(const Region& region, Pc next);
  // Algorithm 1.
  Done branch(const Branch& branch);
  // Algorithm 2: the topmost token's threads and address become the warp's.
  Done pop();
  // Threads exited; the others of the active ones, if any, go on at `next`, or else tokens are popped until there is a
  // thread to go on.
  Done exit(LaneMask lanes, Pc next);

  const std::vector<Token>& tokens() const { return tokens_; }
  LaneMask active() const { return active_; }                              // none: all threads have exited
  LaneMask inactive() const { return inactive_; }                          // those of DIV tokens
  LaneMask reconverging() const { return live_ & ~inactive_ & ~active_; }  // those of SYNC tokens only
  const Region& region() const { return region_; }                         // of the innermost SYNC token
  unsigned in_memory() const { return spills_->in_memory(owner_); }
  unsigned at_a_time() const { return spills_->at_a_time(); }  // that go to memory or come back

 private:
  void push(const Token& token, Done& done);
  void pop(Done& done);

  StackSpills* spills_;
  unsigned owner_;
  std::vector<Token> tokens_;
  LaneMask active_ = 0, inactive_ = 0, live_ = 0;
  Region region_;
  TokenStackObserver* observer_ = nullptr;
};

// Sees a stack at work: RTL beside the model, say.
class TokenStackObserver {
 public:
  using Done = WarpTokens::Done;
  virtual ~TokenStackObserver() = default;
  virtual void started(const WarpTokens& after, LaneMask threads) = 0;
  virtual void synced(const WarpTokens& after, Pc point, const Done& done) = 0;
  virtual void branched(const WarpTokens& after, const Branch& branch, const Done& done) = 0;
  virtual void popped(const WarpTokens& after, const Done& done) = 0;
  virtual void exited(const WarpTokens& after, LaneMask lanes, Pc next, const Done& done) = 0;
};

}  // namespace warpfold::divergence
