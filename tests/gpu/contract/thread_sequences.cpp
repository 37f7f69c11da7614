// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/contract/thread_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace warpfold {
namespace {

std::string text_of(const std::vector<std::uint32_t>& sequence, std::size_t at, const isa::Kernel& kernel) {
  if (at >= sequence.size()) return "has ended";
  const isa::Pc pc = sequence[at] >> 1;
  return fmt::format("is at pc {} ({}:{}){}", pc, kernel.file, kernel.ops.at(pc).line,
                     (sequence[at] & 1) != 0 ? "" : ", guard false");
}

}  // namespace

std::optional<std::string> ThreadSequences::difference_from(const ThreadSequences& expected,
                                                            const isa::Kernel& kernel) const {
  for (std::size_t i = 0; i < of_.size(); ++i) {
    const auto &mine = of_[i], &theirs = expected.of_.at(i);
    if (mine == theirs) continue;
    const auto common = static_cast<std::ptrdiff_t>(std::min(mine.size(), theirs.size()));
    const auto at = static_cast<std::size_t>(std::mismatch(mine.begin(), mine.begin() + common, theirs.begin()).first -
                                             mine.begin());
    return fmt::format("thread {} of block {} {} at its instruction {}, where the reference {}", i % block_threads_,
                       i / block_threads_, text_of(mine, at, kernel), at, text_of(theirs, at, kernel));
  }
  return std::nullopt;
}

std::uint64_t ThreadSequences::least_issues(unsigned warp_width, const std::vector<unsigned>& group_of_block) const {
  std::map<std::pair<unsigned, isa::Pc>, std::vector<std::uint64_t>> executions;  // per lane
  for (std::size_t i = 0; i < of_.size(); ++i) {
    for (const std::uint32_t step : of_[i]) {
      auto& lanes = executions[{group_of_block.at(i / block_threads_), step >> 1}];
      lanes.resize(warp_width);
      ++lanes[i % block_threads_ % warp_width];
    }
  }
  std::uint64_t total = 0;
  for (const auto& [where, lanes] : executions) total += *std::max_element(lanes.begin(), lanes.end());
  return total;
}

}  // namespace warpfold
