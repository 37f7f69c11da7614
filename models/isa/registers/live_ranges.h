// SPDX-License-Identifier: Apache-2.0
// Where virtual registers hold a value that is still needed, instruction by instruction, and words that such ranges
// share.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "warpfold/isa/analysis/cfg.h"

namespace warpfold::isa {

// Instruction pc reads at position 2·pc and writes at 2·pc + 1, so that a result may take the place of a source.
struct Segment {
  std::uint64_t begin = 0, end = 0;  // [begin, end)
};
using Range = std::vector<Segment>;  // sorted, with holes between the segments

// By virtual register; empty where nothing touches it.
std::vector<Range> find_live_ranges(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers);

// Words, each with the segments in which it is taken.
class WordPacker {
 public:
  // The first of the lowest `words` neighbouring words, a multiple of `words`, that are free throughout the range.
  unsigned place(const Range& range, unsigned words);
  unsigned used() const { return used_; }

 private:
  bool free(unsigned word, const Range& range) const;

  std::vector<std::map<std::uint64_t, std::uint64_t>> taken_;  // per word: begin → end, disjoint
  unsigned used_ = 0;
};

}  // namespace warpfold::isa
