// SPDX-License-Identifier: Apache-2.0
// Dispatch of a micro-op, its guard, and the way of operands between rows and lane arrays.
#include "warpfold/isa/execute/execute.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"
#include "warpfold/isa/execute/custom_instructions.h"
#include "warpfold/isa/execute/ops/lane_function.h"

namespace warpfold::isa {
namespace {

constexpr unsigned kChunk = 32;

// Bit l is set iff values[l] is not zero.
std::uint32_t chunk_mask(const std::uint32_t* values) {
#ifdef __AVX512F__
  const __m512i low = _mm512_loadu_si512(values), high = _mm512_loadu_si512(values + kChunk / 2);
  return std::uint32_t{_mm512_test_epi32_mask(low, low)} | std::uint32_t{_mm512_test_epi32_mask(high, high)} << 16;
#else
  std::uint32_t mask = 0;
  for (unsigned lane = 0; lane < kChunk; ++lane) mask |= std::uint32_t{values[lane] != 0} << lane;
  return mask;
#endif
}

// to[l] = from[l] where mask has bit l.
void merge_chunk(std::uint32_t* to, const std::uint32_t* from, std::uint32_t mask) {
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (unsigned lane = 0; lane < kChunk; ++lane) to[lane] = mask >> lane & 1 ? from[lane] : to[lane];
}

}  // namespace

Executor::Executor(const Launch& launch, ThreadStore& threads, DeviceMemory& memory)
    : launch_(&launch), threads_(&threads), memory_(&memory), checker_(launch.checker) {
  for (const std::uint32_t value : launch.kernel->constants) constants_.emplace_back().fill(value);
  steps_.resize(launch.kernel->ops.size());
  for (LaneArray& temporary : source_) temporary.fill(0);
  for (LaneArray& temporary : result_) temporary.fill(0);
  index_.fill(0);
}

void Executor::begin(const Lanes& lanes) {
  lanes_ = &lanes;
  width_ = lanes.width;
  one_row_ = lanes.one_row;
  first_ = static_cast<unsigned>(std::countr_zero(lanes.mask));
  row_index_ = lanes.row[first_];
  row_ = threads_->words(row_index_, 0);
  if (one_row_) return;
  const auto row_stride = static_cast<std::uint32_t>(threads_->row_stride_);
  const LaneMask mask = lanes.mask;
  const auto index_of = [&](unsigned lane, std::uint32_t lanes_from_there) {
    const std::uint32_t row = (lanes_from_there & 1) != 0 ? lanes.row[lane] : row_index_;
    return row * row_stride + lane;
  };
  if (width_ != kChunk) {
    for (unsigned lane = 0; lane < width_; ++lane) {
      index_[lane] = index_of(lane, static_cast<std::uint32_t>(mask >> lane));
    }
    return;
  }
  const auto chunk = static_cast<std::uint32_t>(mask);
#ifndef __clang__
#pragma GCC ivdep
#endif
  for (unsigned lane = 0; lane < kChunk; ++lane) index_[lane] = index_of(lane, chunk >> lane);
}

LaneMask Executor::mask_of(const std::uint32_t* lane_values) const {
  LaneMask mask = 0;
  unsigned lane = 0;
  for (; lane + kChunk <= width_; lane += kChunk) mask |= LaneMask{chunk_mask(lane_values + lane)} << lane;
  for (; lane < width_; ++lane) mask |= LaneMask{lane_values[lane] != 0} << lane;
  return mask;
}

LaneMask Executor::guard(const MicroOp& op) {
  const LaneMask held = mask_of(source(op.guard, source_[0]));
  return op.guard_negated ? ~held : held;
}

// The values of `word` in all lanes: in place when the warp is one row, otherwise gathered into `temporary`.
const std::uint32_t* Executor::source(Word word, LaneArray& temporary) {
  if (word >= kConstant) return constants_[word - kConstant].data();
  const std::size_t offset = word * threads_->stride_;
  if (one_row_) return row_ + offset;
  const std::uint32_t* const base = threads_->store_.get() + offset;
  for (unsigned lane = 0; lane < width_; ++lane) temporary[lane] = base[index_[lane]];
  return temporary.data();
}

std::uint32_t* Executor::result(Word word, LaneArray& temporary) {
  return writes_through(word) ? row_ + word * threads_->stride_ : temporary.data();
}

void Executor::write_back(Word word, const std::uint32_t* values) {
  if (word == kNoWord) return;
  const std::size_t offset = word * threads_->stride_;
  if (!one_row_) {
    std::uint32_t* const base = threads_->store_.get() + offset;
    for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      base[index_[lane]] = values[lane];
    }
    return;
  }
  std::uint32_t* const to = row_ + offset;
  if (to == values) return;  // written through
  unsigned lane = 0;
  for (; lane + kChunk <= width_; lane += kChunk)
    merge_chunk(to + lane, values + lane, static_cast<std::uint32_t>(active_ >> lane));
  for (; lane < width_; ++lane) to[lane] = active_ >> lane & 1 ? values[lane] : to[lane];
}

void Executor::compute(const MicroOp& op) {
  LaneArrays arrays;
  for (unsigned k = 0; k < op.s_count; ++k) {
    arrays.s[k] = {source(op.s[k], source_[2 * k]), nullptr};
    if (op.s_wide >> k & 1) arrays.s[k][1] = source(static_cast<Word>(op.s[k] + 1), source_[2 * k + 1]);
  }
  arrays.d = {};
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    arrays.d[k][0] = result(op.d[k], result_[2 * k]);
    if (op.d_wide >> k & 1) arrays.d[k][1] = result(static_cast<Word>(op.d[k] + 1), result_[2 * k + 1]);
  }
  if (op.custom != 0 && custom_watch() != nullptr) [[unlikely]] {
    compute_watched(op, arrays, width_, active_);
  } else {
    op.compute(arrays, width_);
  }
  if (write_through_) return;
  for (unsigned k = 0; k < op.d_count; ++k) {
    write_back(op.d[k], arrays.d[k][0]);
    if (op.d[k] != kNoWord && (op.d_wide >> k & 1)) write_back(static_cast<Word>(op.d[k] + 1), arrays.d[k][1]);
  }
}

// Operands are where they were found once for the kernel, and results selected as they are written.
inline void Executor::compute_in_row(Pc pc, const MicroOp& op) {
  Step& step = steps_[pc];
  if (!step.known) [[unlikely]]
    step = step_of(op);
  if (step.compute == nullptr) return compute(op);
  select_lanes();
  step.compute(step.operands, row_, select_);
}

void Executor::execute(Pc pc, const Lanes& lanes, std::uint64_t cycle, Outcome& outcome) {
  const MicroOp& op = launch_->kernel->ops[pc];
  outcome.executed = outcome.taken = 0;
  outcome.access_bytes = 0;
  if (lanes.mask == 0) return;
  begin(lanes);
  active_ = lanes.mask & low_lanes(width_);
  if (op.guard != kNoWord) {
    active_ &= guard(op);
    if (active_ == 0) return;
    first_ = static_cast<unsigned>(std::countr_zero(active_));
  }
  outcome.executed = active_;
  write_through_ = one_row_ && (threads_->row_[row_index_].exists & ~active_) == 0;
  switch (op.kind) {
    case Kind::kCompute:
      return one_row_ ? compute_in_row(pc, op) : compute(op);
    case Kind::kLoad:
      if (op.cache.prefetch) return prefetch(op, outcome);
      [[fallthrough]];
    case Kind::kStore:
    case Kind::kAtomic:
      if (!puts_off_ || !put_off(op, cycle, outcome)) access(op, outcome);
      return place_on_machine(op, outcome);
    case Kind::kBranch:
      outcome.taken = active_;
      return;
    case Kind::kVote:
    case Kind::kShuffle:
      return collective(op);
    case Kind::kClock:
      return clock(op, cycle);
    case Kind::kTrap:
      trap(op);
    case Kind::kSystemCall:
      return system_call(op, outcome);
    case Kind::kFence:
      if (checker_ != nullptr) note_fence(op);
      return;
    case Kind::kBarrier:
    case Kind::kExit:
      return;
  }
}

}  // namespace warpfold::isa
