// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/warp/warp_tokens.h"

#include "warpfold/common/error.h"

namespace warpfold::divergence {

void WarpTokens::start(LaneMask threads, unsigned token_bytes) {
  check(tokens_.empty(), "a warp starts without tokens");
  spills_->start(owner_, token_bytes);
  active_ = live_ = threads;
  inactive_ = 0;
  region_ = {};
  if (observer_ != nullptr) observer_->started(*this, threads);
}

WarpTokens::Done WarpTokens::ssy(const Region& region, Pc next) {
  Done done{next};
  push({active_, region.point, true, region_}, done);
  region_ = region;
  if (observer_ != nullptr) observer_->synced(*this, region.point, done);
  return done;
}

WarpTokens::Done WarpTokens::branch(const Branch& branch) {
  const LaneMask taken = branch.taken & active_, fall_through = active_ & ~branch.taken;
  Done done{taken != 0 ? branch.target : branch.pc + 1};
  if (taken != 0 && fall_through != 0) {
    push({fall_through, branch.pc + 1, false, {}}, done);
    inactive_ |= fall_through;
    active_ = taken;
  }
  if (observer_ != nullptr) observer_->branched(*this, branch, done);
  return done;
}

WarpTokens::Done WarpTokens::pop() {
  Done done;
  pop(done);
  if (observer_ != nullptr) observer_->popped(*this, done);
  return done;
}

WarpTokens::Done WarpTokens::exit(LaneMask lanes, Pc next) {
  for (Token& token : tokens_) token.mask &= ~lanes;
  active_ &= ~lanes;
  inactive_ &= ~lanes;
  live_ &= ~lanes;
  Done done{next};
  while (active_ == 0 && !tokens_.empty()) pop(done);
  if (observer_ != nullptr) observer_->exited(*this, lanes, next, done);
  return done;
}

void WarpTokens::push(const Token& token, Done& done) {
  tokens_.push_back(token);
  done.spills = spills_->grow(owner_, static_cast<unsigned>(tokens_.size()));
}

void WarpTokens::pop(Done& done) {
  check(!tokens_.empty(), "who pops has pushed");
  done.reloads += spills_->use(owner_, static_cast<unsigned>(tokens_.size()));
  const Token token = tokens_.back();
  tokens_.pop_back();
  ++done.pops;
  if (token.sync) {
    region_ = token.outer;
  } else {
    inactive_ &= ~token.mask;
  }
  active_ = token.mask;
  done.pc = token.pc;
  done.sync = token.sync;
}

}  // namespace warpfold::divergence
