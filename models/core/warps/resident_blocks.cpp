// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/warps/resident_blocks.h"

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/isa/check/memory_checker.h"
#include "warpfold/isa/decode/layout.h"

namespace warpfold {
namespace {

constexpr std::uint64_t kSharedUnit = 256;  // bytes (CUDA's occupancy calculator, compute capability 3.0 to 7.0)

}  // namespace

void ResidentBlocks::finish(unsigned slot) {
  occupied_[slot] = false;
  if (launch_.checker != nullptr) launch_.checker->block_finished(states_[slot].id);
}

bool ResidentBlocks::empty() const { return std::find(occupied_.begin(), occupied_.end(), true) == occupied_.end(); }

divergence::Block ResidentBlocks::start(const BlockMessage& message) {
  const auto place = std::find(occupied_.begin(), occupied_.end(), false);
  check(place != occupied_.end(), "the dispatcher sends a block to a core with room");
  divergence::Block block;
  block.slot = static_cast<unsigned>(place - occupied_.begin());
  block.id = message.id;
  block.age = started_++;
  block.first_row = block.slot * rows_;
  occupied_[block.slot] = true;
  isa::BlockState& state = states_[block.slot];
  state.id = message.id;
  state.ctaid = message.ctaid;
  // GPUs deal it out in units, and programs that ask for too little by mistake run there; the checker is exact.
  const std::uint64_t unit = launch_.checker == nullptr ? kSharedUnit : 1;
  state.shared.assign(isa::align_up(launch_.shared_bytes, unit), std::byte{0});
  for (unsigned row = 0; row < rows_; ++row) {
    block.threads.push_back(threads_.start_row(block.first_row + row, state, row * launch_.warp_size));
  }
  return block;
}

}  // namespace warpfold
