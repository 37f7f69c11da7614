// SPDX-License-Identifier: Apache-2.0
// What each thread of a launch executed, instruction by instruction: the thing that no divergence mechanism may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpfold/isa/execute/execute.h"

namespace warpfold {

// One instruction of a thread: its pc, and whether its guard held.
struct Step {
  isa::Pc pc = 0;
  bool executed = false;
  bool operator==(const Step&) const = default;
};

class ThreadSequences {
 public:
  ThreadSequences() = default;
  explicit ThreadSequences(const isa::Launch& launch)
      : block_threads_(launch.block.count()), of_(launch.grid.count() * block_threads_) {}

  void append(std::uint64_t block, std::uint64_t thread, Step step) {
    of_.at(block * block_threads_ + thread).push_back(step.pc << 1 | (step.executed ? 1u : 0u));
  }
  std::size_t length(std::uint64_t block, std::uint64_t thread) const {
    return of_.at(block * block_threads_ + thread).size();
  }
  std::uint64_t instructions() const {
    std::uint64_t total = 0;
    for (const auto& sequence : of_) total += sequence.size();
    return total;
  }

  // No arrangement of the threads in warps issues less often: per pc, threads of one lane need an issue each, and only
  // threads of blocks with the same number in `group_of_block` may share one (HARP §3.2).
  std::uint64_t least_issues(unsigned warp_width, const std::vector<unsigned>& group_of_block) const;

  // The first thread whose sequence is another one, and where: one line. Nothing: they are equal.
  std::optional<std::string> difference_from(const ThreadSequences& expected, const isa::Kernel& kernel) const;

 private:
  std::uint64_t block_threads_ = 1;
  std::vector<std::vector<std::uint32_t>> of_;  // pc << 1 | executed, per thread of the grid
};

}  // namespace warpfold
