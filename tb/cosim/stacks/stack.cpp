// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/stacks/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpfold::cosim {

using divergence::BlockStack;
using isa::LaneMask;
using isa::Pc;

namespace {

constexpr const char* kStackOps[] = {"start", "branch", "arrive", "exit", "advance"};

}  // namespace

RtlStack::RtlStack(Session& session, const ClockDomain& clock, unsigned core, unsigned slot, const Size& size,
                   const divergence::BlockStackShape& shape)
    : Shadow(session, clock, "stack", core,
             {{"Lanes", size.lanes},
              {"Rows", size.rows},
              {"Depth", shape.entries},
              {"PcWidth", kPcBits},
              {"Stages", shape.stages}},
             fmt::format("_block{}", slot)),
      lanes_(size.lanes),
      depth_of_rtl_(shape.entries),
      op_threads_(model_.pin("op_threads_i")),
      op_fall_(model_.pin("op_fall_i")),
      op_pc_(model_.pin("op_pc_i")),
      op_target_(model_.pin("op_target_i")),
      op_rpc_(model_.pin("op_rpc_i")),
      op_likely_valid_(model_.pin("op_likely_valid_i")),
      op_likely_(model_.pin("op_likely_i")),
      op_emptied_(model_.pin("op_emptied_i")),
      op_taken_first_(model_.pin("op_taken_first_i")),
      op_regroup_(model_.pin("op_regroup_i")),
      top_pc_(model_.pin("top_pc_o")),
      top_rpc_(model_.pin("top_rpc_o")),
      top_lpc_valid_(model_.pin("top_lpc_valid_o")),
      top_lpc_(model_.pin("top_lpc_o")),
      top_warps_(model_.pin("top_warps_o")),
      top_threads_(model_.pin("top_threads_o")),
      depth_(model_.pin("depth_o")),
      filling_(model_.pin("filling_o")),
      settled_(model_.pin("settled_o")),
      empty_(model_.pin("empty_o")),
      overflow_(model_.pin("overflow_o")) {
  operations(kStackOps);
  Coverage& coverage = model_.record.coverage;
  depths_ = coverage.sizes("entries_of_stacks", 1, depth_of_rtl_);
  points_ = {coverage.sizes("rows_of_blocks", 1, size.rows),
             coverage.sizes("rows_that_branch", 0, size.rows - 1),
             coverage.sizes("warps_that_the_top_waits_for", 0, size.rows),
             coverage.sizes("entries_that_pop", 0, depth_of_rtl_ - 1),
             coverage.event("threads_at_likely_points"),
             coverage.event("branches_that_replace_the_top"),
             coverage.event("taken_goes_first"),
             coverage.event("fall_through_goes_first"),
             coverage.event("advances_that_regroup"),
             coverage.event("advances_that_do_not"),
             coverage.event("exits_that_empty_a_warp"),
             coverage.event("exits_that_leave_some"),
             coverage.event("all_have_arrived"),
             coverage.event("blocks_that_end")};
  full_ = coverage.event("stacks_filled");
  overflow_points_ = coverage.event("stacks_overflowed");
  likely_points_ = coverage.event("branches_with_likely_points");
  uniform_ = coverage.event("branches_to_one_side");
}

void RtlStack::set_threads(Pin& pin, const divergence::Warp& warp, LaneMask lanes) {
  pin.clear();
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    pin.set_field((warp.row[lane] - first_row_) * lanes_ + lane, 1, 1);
  }
}

const RtlStack::Answer* RtlStack::start(const BlockStack& after, const divergence::Block& block, Pc end,
                                        unsigned clocks) {
  first_row_ = block.first_row;
  rows_ = block.rows();
  block_ = block.id;
  lost_ = false;
  model_.rtl().forget();
  model_.record.coverage.size(points_.rows_of_blocks, rows_);
  op_threads_.clear();
  for (unsigned row = 0; row < rows_; ++row) op_threads_.set_field(row * lanes_, lanes_, block.threads[row]);
  set_pc(op_rpc_, end);
  return operate(Op::kStart, after, 0, clocks);
}

const RtlStack::Answer* RtlStack::branch(const BlockStack& after, const divergence::Warp& warp,
                                         const divergence::Branch& branch, unsigned clocks) {
  set_threads(op_threads_, warp, warp.mask & branch.taken);
  set_threads(op_fall_, warp, warp.mask & ~branch.taken);
  set_pc(op_pc_, branch.pc);
  set_pc(op_target_, branch.target);
  set_pc(op_rpc_, branch.reconvergence);
  const bool likely = branch.likely != isa::kNoPc;
  op_likely_valid_.set(likely ? 1 : 0);
  set_pc(op_likely_, likely ? branch.likely : 0);
  const LaneMask taken = warp.mask & branch.taken;
  model_.record.coverage.count_if(likely, likely_points_);
  model_.record.coverage.count_if(taken == 0 || taken == warp.mask, uniform_);
  for (LaneMask rest = warp.mask; rest != 0; rest &= rest - 1) {
    const unsigned row = warp.row[static_cast<unsigned>(std::countr_zero(rest))] - first_row_;
    model_.record.coverage.size(points_.rows_that_branch, row);
  }
  model_.record.coverage.count_if(branch.reconvergence == rpc_, points_.replaces);
  return operate(Op::kBranch, after, branch.pc, clocks);
}

const RtlStack::Answer* RtlStack::arrive(const BlockStack& after, Pc pc, unsigned clocks) {
  set_pc(op_pc_, pc);
  return operate(Op::kArrive, after, pc, clocks);
}

const RtlStack::Answer* RtlStack::exit(const BlockStack& after, const divergence::Warp& warp, LaneMask lanes,
                                       bool emptied, unsigned clocks) {
  set_threads(op_threads_, warp, lanes);
  op_emptied_.set(emptied ? 1 : 0);
  model_.record.coverage.count(emptied ? points_.emptied : points_.others_left);
  return operate(Op::kExit, after, warp.pc, clocks);
}

const RtlStack::Answer* RtlStack::advance(const BlockStack& after, bool taken_first, bool regroup,
                                          const BlockStack::Entry* running, unsigned clocks) {
  op_taken_first_.set(taken_first ? 1 : 0);
  op_regroup_.set(regroup ? 1 : 0);
  Coverage& coverage = model_.record.coverage;
  coverage.count(taken_first ? points_.taken_first : points_.fall_first);
  coverage.count(regroup ? points_.regrouped : points_.as_they_are);
  coverage.count_if(!after.merged().empty(), points_.to_likely);
  coverage.size(points_.pops, size_ - std::min(size_, after.size()));
  coverage.count_if(running == nullptr, points_.ended);
  return operate(Op::kAdvance, after, after.top().pc, clocks, running == nullptr);
}

const RtlStack::Answer* RtlStack::operate(Op op, const BlockStack& after, Pc pc, unsigned clocks, bool ended) {
  if (lost_) return nullptr;
  const char* const name = kStackOps[static_cast<unsigned>(op)];
  answer_.clocks = Shadow::operate(static_cast<unsigned>(op), name, block_, pc);
  size_ = after.size();
  if (!ended) {
    rpc_ = after.top().rpc;
    model_.record.coverage.size(points_.warps_of_top, after.top().warps);
    model_.record.coverage.count_if(after.settled(), points_.settled);
  }
  model_.record.coverage.size(depths_, after.size());
  model_.record.coverage.count_if(after.size() == depth_of_rtl_, full_);
  if (overflow_) {
    if (after.size() <= depth_of_rtl_) model_.session.differs(model_.rtl(), name, "no overflow", "overflow");
    ++model_.record.overflows;
    model_.record.coverage.count(overflow_points_);
    lost_ = true;
    return nullptr;
  }
  compare(name, after, ended);
  took(name, clocks, answer_.clocks);
  model_.record.latency(answer_.clocks);
  answer(ended);
  return &answer_;
}

void RtlStack::answer(bool ended) {
  BlockStack::Entry& top = answer_.top;
  answer_.empty = static_cast<bool>(empty_);
  answer_.size = static_cast<unsigned>(depth_.get());
  answer_.filling = static_cast<bool>(filling_);
  answer_.settled = static_cast<bool>(settled_);
  if (ended) return;  // what is on the other pins then means nothing
  top.pc = static_cast<Pc>(top_pc_.get());
  top.rpc = static_cast<Pc>(top_rpc_.get());
  top.lpc = top_lpc_valid_ ? static_cast<Pc>(top_lpc_.get()) : isa::kNoPc;
  top.warps = static_cast<unsigned>(top_warps_.get());
  top.threads.resize(rows_);
  for (unsigned row = 0; row < rows_; ++row) top.threads[row] = top_threads_.field(row * lanes_, lanes_);
}

void RtlStack::compare(const char* op, const BlockStack& after, bool ended) {
  const BlockStack::Entry& top = after.top();
  const auto same = [&](const char* what, std::uint64_t expected, std::uint64_t got) {
    Shadow::same(op, what, expected, got);
  };
  same("the block has ended", ended ? 1 : 0, empty_.get());
  if (ended) return;
  same("pc of the top", top.pc, top_pc_.get());
  same("rpc of the top", top.rpc, top_rpc_.get());
  same("the top has a likely-convergence point", top.lpc != isa::kNoPc ? 1 : 0, top_lpc_valid_.get());
  if (top.lpc != isa::kNoPc) same("likely-convergence point of the top", top.lpc, top_lpc_.get());
  same("warps that the top waits for", top.warps, top_warps_.get());
  same("entries", after.size(), depth_.get());
  same("targets are filling", after.filling() ? 1 : 0, filling_.get());
  same("all have arrived", after.settled() ? 1 : 0, settled_.get());
  for (unsigned row = 0; row < rows_; ++row) {
    same("threads of the top", top.threads[row], top_threads_.field(row * lanes_, lanes_));
  }
}

}  // namespace warpfold::cosim
