// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/stacks/token_stack_shadow.h"

#include <algorithm>

#include "warpfold/divergence/parts/warp/token_stack_params.h"

namespace warpfold::cosim {

using divergence::TokenStackParams;
using isa::LaneMask;
using isa::Pc;

namespace {

constexpr const char* kTokenOps[] = {"start", "ssy", "branch", "pop", "exit"};

}  // namespace

RtlParameters TokenStackShadow::parameters(unsigned lanes, unsigned warps, const Tokens& tokens) {
  return {{"Warps", warps},
          {"Lanes", lanes},
          {"Entries", tokens.entries},
          {"Chunk", tokens.chunk},
          {"Chunks", TokenStackParams::kChunks},
          {"PcWidth", Rtl::kPcBits}};
}

TokenStackShadow::TokenStackShadow(Session& session, const ClockDomain& clock, unsigned core, unsigned lanes,
                                   unsigned warps, unsigned entries)
    : session_(session), clock_(clock), core_(core), lanes_(lanes), entries_(entries) {
  for (unsigned slot = 0; slot < warps; ++slot) warps_.emplace_back(*this, slot);
}

TokenStackShadow::Rtl::Rtl(Session& session, const ClockDomain& clock, unsigned core, const RtlParameters& parameters)
    : Shadow(session, clock, "token-stack", core, parameters, ""),
      op_warp(model_.pin("op_warp_i")),
      op_active(model_.pin("op_active_i")),
      op_lanes(model_.pin("op_lanes_i")),
      op_pc(model_.pin("op_pc_i")),
      op_target(model_.pin("op_target_i")),
      warp_pc_(model_.pin("warp_pc_o")),
      warp_mask_(model_.pin("warp_mask_o")),
      sync_(model_.pin("sync_o")),
      count_(model_.pin("count_o")),
      chunks_(model_.pin("chunks_o")),
      overflow_(model_.pin("overflow_o")),
      mem_valid_(model_.pin("mem_valid_o")),
      mem_ready_(model_.pin("mem_ready_i")),
      mem_write_(model_.pin("mem_write_o")),
      mem_warp_(model_.pin("mem_warp_o")),
      mem_chunk_(model_.pin("mem_chunk_o")),
      mem_token_(model_.pin("mem_token_o")),
      mem_data_out_(model_.pin("mem_data_o")),
      mem_data_in_(model_.pin("mem_data_i")) {
  operations(kTokenOps);
  const auto parameter = [&](std::string_view name) {
    const auto same = [&](const auto& one) { return one.first == name; };
    return std::find_if(parameters.begin(), parameters.end(), same)->second;
  };
  entries_ = parameter("Entries");
  Coverage& coverage = model_.record.coverage;
  tokens_ = coverage.sizes("tokens_on_the_core", 0, entries_);
  chunk_points_ = coverage.sizes("chunks_in_memory", 0, TokenStackParams::kChunks);
  pops_ = coverage.sizes("tokens_that_pop", 0, entries_);
  slots_ = coverage.sizes("slots_of_warps", 0, parameter("Warps") - 1);
  at_once = coverage.sizes("warps_at_once", 1, parameter("Warps"));
  lanes = coverage.sizes("lanes_that_take_a_branch", 0, parameter("Lanes") - 1);
  one_side = coverage.event("branches_to_one_side");
  full_ = coverage.event("stacks_filled");
  spills_ = coverage.event("spills");
  reloads_ = coverage.event("reloads");
  overflow_points_ = coverage.event("stacks_overflowed");
  sync_points_ = coverage.event("sync_tokens_popped");
  div_points_ = coverage.event("div_tokens_popped");
  exits_of_some = coverage.event("exits_of_some");
  exits_of_all = coverage.event("exits_of_all");
  model_.beside = [this] { serve_memory(); };
}

// Every beat takes two clocks.
void TokenStackShadow::Rtl::serve_memory() {
  if (!mem_valid_) return;
  const bool ready = !mem_ready_;
  mem_ready_.set(ready ? 1 : 0);
  if (ready) {
    auto& token = memory_[mem_warp_.get() << 32 | mem_chunk_.get() << 16 | mem_token_.get()];
    if (mem_write_) {
      token.assign(mem_data_out_.data(), mem_data_out_.data() + mem_data_out_.bytes());
    } else {
      std::copy(token.begin(), token.end(), mem_data_in_.data());
    }
  }
  model_.rtl().eval();
}

bool TokenStackShadow::Rtl::operate(Op op, unsigned slot, const WarpTokens& after, const WarpTokens::Done& done) {
  const char* const name = kTokenOps[static_cast<unsigned>(op)];
  const auto compare = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    same(name, what, expected, got);
  };
  op_warp.set(slot);
  Shadow::operate(static_cast<unsigned>(op), name);
  const unsigned chunks = after.in_memory() / after.at_a_time();
  const auto on_core = static_cast<unsigned>(after.tokens().size() - after.in_memory());
  Coverage& coverage = model_.record.coverage;
  coverage.count_if(done.spills != 0, spills_);
  coverage.count_if(done.reloads != 0, reloads_);
  coverage.size(slots_, slot);
  coverage.size(tokens_, on_core);
  coverage.count_if(on_core == entries_, full_);
  coverage.size(pops_, done.pops);
  coverage.count_if(done.pops != 0, done.sync ? sync_points_ : div_points_);
  coverage.count_if(chunks > TokenStackParams::kChunks, overflow_points_);
  if (chunks <= TokenStackParams::kChunks) coverage.size(chunk_points_, chunks);
  const bool overflows = chunks > TokenStackParams::kChunks;
  compare("the push has no room", overflows ? 1 : 0, overflow_.get());
  if (overflows) {
    ++model_.record.overflows;
    return false;
  }
  compare("tokens on the core", on_core, count_.get());
  compare("chunks in memory", chunks, chunks_.get());
  compare("threads of the warp", after.active(), warp_mask_.get());
  if (after.active() == 0) return true;
  compare("pc of the warp", done.pc, warp_pc_.get());
  if (done.pops != 0) compare("the token is a SYNC token", done.sync ? 1 : 0, sync_.get());
  return true;
}

void TokenStackShadow::Warp::started(const WarpTokens& after, LaneMask threads) {
  if (shadow_.rtl_ == nullptr) {
    const auto warps = static_cast<unsigned>(shadow_.warps_.size());
    shadow_.rtl_ = std::make_unique<Rtl>(shadow_.session_, shadow_.clock_, shadow_.core_,
                                         parameters(shadow_.lanes_, warps, {shadow_.entries_, after.at_a_time()}));
  }
  lost_ = false;
  active_ = 0;
  if (shadow_.running_ == 0) shadow_.rtl_->model_.rtl().forget();
  ++shadow_.running_;
  shadow_.rtl_->model_.record.coverage.size(shadow_.rtl_->at_once, shadow_.running_);
  shadow_.rtl_->op_lanes.set(threads);
  shadow_.rtl_->set_pc(shadow_.rtl_->op_pc, 0);
  operate(Op::kStart, after, {});
}

void TokenStackShadow::Warp::synced(const WarpTokens& after, Pc point, const Done& done) {
  shadow_.rtl_->set_pc(shadow_.rtl_->op_pc, done.pc);
  shadow_.rtl_->set_pc(shadow_.rtl_->op_target, point);
  operate(Op::kSsy, after, done);
}

void TokenStackShadow::Warp::branched(const WarpTokens& after, const divergence::Branch& branch, const Done& done) {
  Coverage& coverage = shadow_.rtl_->model_.record.coverage;
  coverage.each(shadow_.rtl_->lanes, branch.taken & active_);
  coverage.count_if((branch.taken & active_) == 0 || (active_ & ~branch.taken) == 0, shadow_.rtl_->one_side);
  shadow_.rtl_->op_lanes.set(branch.taken);
  shadow_.rtl_->set_pc(shadow_.rtl_->op_pc, branch.pc + 1);
  shadow_.rtl_->set_pc(shadow_.rtl_->op_target, branch.target);
  operate(Op::kBranch, after, done);
}

void TokenStackShadow::Warp::popped(const WarpTokens& after, const Done& done) { operate(Op::kPop, after, done); }

void TokenStackShadow::Warp::exited(const WarpTokens& after, LaneMask lanes, Pc next, const Done& done) {
  if (after.active() == 0) --shadow_.running_;
  const Rtl& rtl = *shadow_.rtl_;
  shadow_.rtl_->model_.record.coverage.count(after.active() == 0 ? rtl.exits_of_all : rtl.exits_of_some);
  shadow_.rtl_->op_lanes.set(lanes);
  shadow_.rtl_->set_pc(shadow_.rtl_->op_pc, next);
  operate(Op::kExit, after, done);
}

void TokenStackShadow::Warp::operate(Op op, const WarpTokens& after, const Done& done) {
  if (lost_) return;
  shadow_.rtl_->op_active.set(active_);
  lost_ = !shadow_.rtl_->operate(op, slot_, after, done);
  active_ = after.active();
}

}  // namespace warpfold::cosim
