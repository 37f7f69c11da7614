// SPDX-License-Identifier: Apache-2.0
// Runs of instructions one after the other, for whoever does not model their time.
#include <bit>

#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/ops/op_table.h"

namespace warpfold::isa {
namespace {

// Does it do nothing but compute or move values, or branch? Nobody waits for anything of it, then; a fence of a warp
// (bar.warp.sync) is where its threads wait for each other.
bool in_run(const MicroOp& op) {
  switch (op.kind) {
    case Kind::kFence:
      return !op.collective;
    case Kind::kLoad:
      return !op.cache.prefetch;
    case Kind::kCompute:
    case Kind::kStore:
    case Kind::kAtomic:
    case Kind::kBranch:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Executor::prepare_runs() {
  const std::vector<MicroOp>& ops = launch_->kernel->ops;
  run_end_.resize(ops.size());
  for (Pc pc = launch_->kernel->end(); pc-- > 0;) {
    const bool joined = ops[pc].kind != Kind::kBranch && pc + 1 < ops.size() && run_end_[pc + 1] > pc + 1;
    run_end_[pc] = checker_ != nullptr || !in_run(ops[pc]) ? pc : joined ? run_end_[pc + 1] : pc + 1;
    if (run_end_[pc] != pc) steps_[pc] = step_of(ops[pc]);
  }
}

void Executor::put(RowOperands& operands, unsigned operand, Word word, bool wide) const {
  for (unsigned half = 0; half < (wide ? 2 : 1); ++half, ++operand, ++word) {
    if (word >= kConstant) {
      operands.set_constant(operand, constants_[word - kConstant].data());
    } else {
      operands.set_in_row(operand, word * threads_->stride_ * sizeof(std::uint32_t));
    }
  }
}

Executor::Step Executor::step_of(const MicroOp& op) const {
  Step step;
  step.known = true;
  if (threads_->lanes_ != kRowLanes) return step;
  const bool loads = op.kind == Kind::kLoad;
  if (op.kind == Kind::kCompute) {
    if (op.d[0] == kNoWord || op.d[1] != kNoWord) return step;
    for (unsigned k = 0; k < op.s_count; ++k) put(step.operands, 2 * k, op.s[k], op.s_wide >> k & 1);
    put(step.operands, RowOperands::kResults, op.d[0], op.d_wide & 1);
    step.compute = op.row_compute;
    if (op.guard == kNoWord) step.unguarded = step.compute;
  } else if ((loads || op.kind == Kind::kStore) && op.image.dimensions == 0) {
    if (op.base != kNoWord) put(step.operands, 0, op.base, op.base_wide);
    for (unsigned k = 0; k < (loads ? op.d_count : op.s_count); ++k) {
      const Word word = loads ? op.d[k] : op.s[k];
      if (word != kNoWord) put(step.operands, 2 + 2 * k, word, (loads ? op.d_wide : op.s_wide) >> k & 1);
    }
    step.in_place = true;
  }
  return step;
}

// The masks of a warp's instructions are mostly the same.
void Executor::select_lanes() {
  select_ = write_through_ ? nullptr : selected_.data();
  if (active_ == selected_of_ || active_ == low_lanes(kRowLanes)) return;
  selected_of_ = active_;
  const auto mask = static_cast<std::uint32_t>(active_);
  for (unsigned lane = 0; lane < kRowLanes; ++lane) selected_[lane] = 0 - (mask >> lane & 1);
}

void Executor::take_lanes(LaneMask active) {
  active_ = active;
  first_ = static_cast<unsigned>(std::countr_zero(active));
  write_through_ = (threads_->row_[row_index_].exists & ~active) == 0;
  select_lanes();
}

void Executor::run(Pc begin, Pc end, const Lanes& lanes, Run& run) {
  this->begin(lanes);
  const LaneMask all = lanes.mask & low_lanes(width_);
  take_lanes(all);
  run.guarded.clear();
  run.taken = 0;
  const MicroOp* const ops = launch_->kernel->ops.data();
  const Step* const steps = steps_.data();
  for (run.next = begin; run.next < end; ++run.next) {
    const Step& step = steps[run.next];
    if (step.unguarded != nullptr) [[likely]] {
      step.unguarded(step.operands, row_, select_);
      continue;
    }
    const MicroOp& op = ops[run.next];
    if (op.guard == kNoWord) [[likely]] {
      execute_one(op, step, run);
      continue;
    }
    const LaneMask executing = all & guard(op);
    if (op.kind == Kind::kBranch) {
      run.taken = executing;
      continue;
    }
    run.guarded.push_back({run.next, executing});
    if (executing == 0) continue;
    take_lanes(executing);
    execute_one(op, step, run);
    take_lanes(all);
  }
}

void Executor::execute_one(const MicroOp& op, const Step& step, Run& run) {
  if (listener_ != nullptr && heard(op)) return;
  switch (op.kind) {
    case Kind::kCompute:
      return step.compute != nullptr ? step.compute(step.operands, row_, select_) : compute(op);
    case Kind::kLoad:
      if (op.image.dimensions != 0) return access_image(op, unseen_);
      if (!step.in_place || !load_in_place(op, step)) load(op, unseen_);
      return;
    case Kind::kStore:
      if (op.image.dimensions != 0) return access_image(op, unseen_);
      if (!step.in_place || !store_in_place(op, step)) store(op, unseen_);
      return;
    case Kind::kAtomic:
      return access(op, unseen_);
    case Kind::kBranch:
      run.taken = active_;
      return;
    default:
      return;  // fences order nothing here
  }
}

}  // namespace warpfold::isa
