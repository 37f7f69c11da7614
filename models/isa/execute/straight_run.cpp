// SPDX-License-Identifier: Apache-2.0
// Runs of instructions one after the other, for whoever does not model their time.
#include <bit>

#include "warpfold/isa/execute/execute.h"

namespace warpfold::isa {
namespace {

// Does it do nothing but compute or move values, or branch? Others wait for nothing of it, then.
bool in_run(const MicroOp& op) {
  switch (op.kind) {
    case Kind::kCompute:
    case Kind::kFence:
    case Kind::kLoad:
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
  prepared_.resize(ops.size());
  for (Pc pc = launch_->kernel->end(); pc-- > 0;) {
    const bool joined = ops[pc].kind != Kind::kBranch && pc + 1 < ops.size() && run_end_[pc + 1] > pc + 1;
    run_end_[pc] = checker_ != nullptr || !in_run(ops[pc]) ? pc : joined ? run_end_[pc + 1] : pc + 1;
    if (ops[pc].kind == Kind::kCompute) prepared_[pc] = prepared(ops[pc]);
  }
}

Executor::Prepared Executor::prepared(const MicroOp& op) const {
  Prepared made;
  made.compute = op.compute;
  const auto put = [&](unsigned place, Word word) {
    if (word >= kConstant) {
      made.operand[place] = reinterpret_cast<std::uintptr_t>(constants_[word - kConstant].data());
    } else {
      made.operand[place] = word * threads_->stride_ * sizeof(std::uint32_t);
      made.in_row |= 1U << place;
    }
  };
  for (unsigned k = 0; k < op.s_count; ++k) {
    put(2 * k, op.s[k]);
    if (op.s_wide >> k & 1) put(2 * k + 1, static_cast<Word>(op.s[k] + 1));
  }
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    put(8 + 2 * k, op.d[k]);
    if (op.d_wide >> k & 1) put(9 + 2 * k, static_cast<Word>(op.d[k] + 1));
  }
  return made;
}

void Executor::compute(const MicroOp& op, const Prepared& prepared) {
  static_assert(sizeof(LaneArrays) == Prepared::kOperands * sizeof(void*));
  const auto row = reinterpret_cast<std::uintptr_t>(row_);
  std::array<std::uint64_t, Prepared::kOperands> at;
  for (unsigned k = 0; k < at.size(); ++k) at[k] = prepared.operand[k] + (prepared.in_row >> k & 1 ? row : 0);
  auto arrays = std::bit_cast<LaneArrays>(at);
  if (write_through_) return prepared.compute(arrays, width_);
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    arrays.d[k][0] = result_[2 * k].data();
    if (op.d_wide >> k & 1) arrays.d[k][1] = result_[2 * k + 1].data();
  }
  prepared.compute(arrays, width_);
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    write_back(op.d[k], result_[2 * k].data());
    if (op.d_wide >> k & 1) write_back(static_cast<Word>(op.d[k] + 1), result_[2 * k + 1].data());
  }
}

void Executor::run(Pc begin, Pc end, const Lanes& lanes, Run& run) {
  this->begin(lanes);
  const LaneMask all = lanes.mask & low_lanes(width_), exists = threads_->row_[row_index_].exists;
  const auto execute_in = [&](LaneMask active) {
    active_ = active;
    first_ = static_cast<unsigned>(std::countr_zero(active));
    write_through_ = (exists & ~active) == 0;
  };
  execute_in(all);
  run.guarded.clear();
  run.taken = 0;
  const MicroOp* const ops = launch_->kernel->ops.data();
  for (run.next = begin; run.next < end; ++run.next) {
    const MicroOp& op = ops[run.next];
    if (op.guard == kNoWord) [[likely]] {
      execute_one(op, run);
      continue;
    }
    const LaneMask executing = all & guard(op);
    if (op.kind != Kind::kBranch) run.guarded.push_back({run.next, executing});
    execute_in(executing);
    if (executing != 0) execute_one(op, run);
    execute_in(all);
  }
}

void Executor::execute_one(const MicroOp& op, Run& run) {
  if (listener_ != nullptr && heard(op)) return;
  switch (op.kind) {
    case Kind::kCompute:
      return compute(op, prepared_[run.next]);
    case Kind::kLoad:
      if (op.image.dimensions != 0) return access_image(op, unseen_);
      if (!load_in_place(op)) load(op, unseen_);
      return;
    case Kind::kStore:
      if (op.image.dimensions != 0) return access_image(op, unseen_);
      if (!store_in_place(op)) store(op, unseen_);
      return;
    case Kind::kAtomic:
      return atomic(op, unseen_);
    case Kind::kBranch:
      run.taken = active_;
      return;
    default:
      return;  // fences order nothing here
  }
}

}  // namespace warpfold::isa
