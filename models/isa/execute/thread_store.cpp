// SPDX-License-Identifier: Apache-2.0
// The threads of a core: registers, special registers and local memory, row by row.
#include <algorithm>
#include <cstring>
#include <new>

#include "warpfold/common/error.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/ops/lane_function.h"

namespace warpfold::isa {
namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

constexpr std::size_t kCacheLineWords = 16;
constexpr std::size_t kLocalAlignment = 16;

bool differs_by_thread(Special which) {
  switch (which) {
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ:
    case Special::kLaneid:
    case Special::kWarpid:
    case Special::kLanemaskEq:
    case Special::kLanemaskLt:
    case Special::kLanemaskLe:
    case Special::kLanemaskGt:
    case Special::kLanemaskGe:
      return true;
    default:
      return false;
  }
}

}  // namespace

ThreadStore::ThreadStore(const Launch& launch, unsigned rows, unsigned lanes, unsigned core_index, unsigned cores,
                         LaneMap map)
    : launch_(&launch),
      rows_(rows),
      lanes_(lanes),
      stride_(round_up(lanes, kLaneGroup)),
      row_stride_(round_up(std::max(1U, launch.kernel->words()) * stride_, kCacheLineWords)),
      local_bytes_(round_up(launch.kernel->local_bytes, kLocalAlignment)),
      local_(static_cast<std::byte*>(std::calloc(std::max<std::size_t>(1, std::size_t{rows} * lanes), local_bytes_))),
      row_(rows),
      map_(map),
      core_index_(core_index),
      cores_(cores) {
  check(lanes >= 1 && lanes <= kMaxLanes, "a row has 1 to 64 lanes");
  const std::size_t bytes = std::max<std::size_t>(rows, 1) * row_stride_ * sizeof(std::uint32_t);
  check(bytes / sizeof(std::uint32_t) <= ~std::uint32_t{0}, "a core's registers are indexed with 32 bits");
  store_.reset(static_cast<std::uint32_t*>(std::aligned_alloc(kCacheLineWords * sizeof(std::uint32_t), bytes)));
  if (store_ == nullptr || (local_ == nullptr && local_bytes_ != 0)) throw std::bad_alloc();
}

LaneMask ThreadStore::start_row(unsigned row, BlockState& block, unsigned first_thread) {
  const std::uint64_t threads = launch_->block.count();
  check(row < rows_ && first_thread < threads, "a row starts inside its block");
  const auto count = static_cast<unsigned>(std::min<std::uint64_t>(lanes_, threads - first_thread));
  const unsigned flip = lane_flip(map_, first_thread / lanes_, lanes_);
  for (unsigned lane = 0; row_[row].local_used != 0 && lane < lanes_; ++lane) {
    std::memset(local(row, lane), 0, row_[row].local_used);
  }
  row_[row] = {&block, first_thread, flip, flipped(low_lanes(count), flip)};
  std::memset(words(row, 0), 0, row_stride_ * sizeof(std::uint32_t));
  set_specials(row, block);
  return row_[row].exists;
}

void ThreadStore::set_specials(unsigned row, const BlockState& block) {
  const Kernel& kernel = *launch_->kernel;
  for (std::size_t k = 0; k < kernel.specials.size(); ++k) {
    std::uint32_t* const values = words(row, static_cast<Word>(kernel.specials_begin() + k));
    if (!differs_by_thread(kernel.specials[k])) {
      std::fill_n(values, lanes_, special(kernel.specials[k], block, 0));
      continue;
    }
    for (unsigned lane = 0; lane < lanes_; ++lane)
      values[lane] = special(kernel.specials[k], block, thread_of(row, lane));
  }
}

std::uint32_t ThreadStore::special(Special which, const BlockState& block, unsigned thread) const {
  const Dim3& shape = launch_->block;
  const unsigned lane = thread % kArchitecturalWarp;
  const std::uint32_t bit = std::uint32_t{1} << lane;
  switch (which) {
    case Special::kTidX:
      return thread % shape.x;
    case Special::kTidY:
      return thread / shape.x % shape.y;
    case Special::kTidZ:
      return thread / (shape.x * shape.y);
    case Special::kNtidX:
      return shape.x;
    case Special::kNtidY:
      return shape.y;
    case Special::kNtidZ:
      return shape.z;
    case Special::kCtaidX:
      return block.ctaid.x;
    case Special::kCtaidY:
      return block.ctaid.y;
    case Special::kCtaidZ:
      return block.ctaid.z;
    case Special::kNctaidX:
      return launch_->grid.x;
    case Special::kNctaidY:
      return launch_->grid.y;
    case Special::kNctaidZ:
      return launch_->grid.z;
    case Special::kLaneid:
      return lane;
    case Special::kWarpid:
      return thread / kArchitecturalWarp;
    case Special::kNwarpid:
      return (rows_ * lanes_ + kArchitecturalWarp - 1) / kArchitecturalWarp;
    case Special::kSmid:
      return core_index_;
    case Special::kNsmid:
      return cores_;
    case Special::kLanemaskEq:
      return bit;
    case Special::kLanemaskLt:
      return bit - 1;
    case Special::kLanemaskLe:
      return bit | (bit - 1);
    case Special::kLanemaskGt:
      return ~(bit | (bit - 1));
    case Special::kLanemaskGe:
      return ~(bit - 1);
    case Special::kSharedBytes:
      return launch_->shared_bytes;
    case Special::kDynamicSharedBytes:
      return launch_->shared_bytes - launch_->kernel->static_shared_bytes;
  }
  return 0;
}

}  // namespace warpfold::isa
