// SPDX-License-Identifier: Apache-2.0
// The blocks that a core holds during a kernel: their threads' registers, their shared memory, their rows.
#pragma once

#include <memory>
#include <vector>

#include "warpfold/core/warps/block_protocol.h"
#include "warpfold/divergence/warp.h"
#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// Slot s owns rows [s * rows, (s + 1) * rows): rows are laid out per launch, whose blocks are all of one size.
class ResidentBlocks {
 public:
  // Room for `blocks` blocks of `rows` warps each.
  ResidentBlocks(const isa::Launch& launch, unsigned rows, unsigned blocks, unsigned core, unsigned cores,
                 isa::LaneMap map)
      : launch_(launch),
        rows_(rows),
        threads_(launch, rows * blocks, launch.warp_size, core, cores, map),
        states_(blocks),
        occupied_(blocks, false) {}

  isa::ThreadStore& threads() { return threads_; }
  unsigned slots() const { return static_cast<unsigned>(occupied_.size()); }
  bool occupied(unsigned slot) const { return occupied_[slot]; }
  bool empty() const;

  // Sets up the threads of a block in the first free slot: registers and shared memory read zero.
  divergence::Block start(const BlockMessage& message);
  void finish(unsigned slot);

 private:
  const isa::Launch& launch_;
  unsigned rows_;
  isa::ThreadStore threads_;
  std::vector<isa::BlockState> states_;
  std::vector<bool> occupied_;
  std::uint64_t started_ = 0;
};

}  // namespace warpfold
