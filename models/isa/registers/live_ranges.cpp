// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/registers/live_ranges.h"

#include <algorithm>
#include <utility>

#include "warpfold/isa/analysis/liveness.h"

namespace warpfold::isa {
namespace {

// Registers that may have been written on some path to the block's start. Where they have not been, what they hold does
// not matter, and a guarded first write does not stretch its range back to the kernel's start.
std::vector<RegisterSet> maybe_written(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers) {
  const std::size_t count = cfg.blocks().size();
  std::vector<RegisterSet> in(count, RegisterSet(registers)), own(count, RegisterSet(registers));
  for (std::size_t b = 0; b < count; ++b) {
    for (Pc pc = cfg.blocks()[b].begin; pc < cfg.blocks()[b].end; ++pc) {
      for (Register r : ops[pc].writes) own[b].set(r);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < count; ++b) {
      RegisterSet now = in[b];
      for (BlockIndex from : cfg.blocks()[b].predecessors) now |= in[from] | own[from];
      if (now != in[b]) {
        in[b] = std::move(now);
        changed = true;
      }
    }
  }
  return in;
}

class RangeFinder {
 public:
  RangeFinder(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers)
      : cfg_(cfg),
        ops_(ops),
        live_(find_liveness(cfg, ops, registers)),
        written_(maybe_written(cfg, ops, registers)),
        ranges_(registers) {}

  // Walks each block backwards; `until` holds the end of the segment that is open for a register.
  std::vector<Range> find() {
    for (std::size_t b = cfg_.blocks().size(); b-- > 0;) walk(b);
    for (Range& range : ranges_) tidy(range);
    return std::move(ranges_);
  }

 private:
  void walk(std::size_t b) {
    const Block& block = cfg_.blocks()[b];
    std::vector<std::uint64_t> until(ranges_.size(), 0);  // 0: dead here
    for (auto r = live_.out[b].find_first(); r != RegisterSet::npos; r = live_.out[b].find_next(r)) {
      until[r] = 2 * std::uint64_t{block.end};
    }
    for (Pc pc = block.end; pc-- > block.begin;) {
      const FlowOp& op = ops_[pc];
      const std::uint64_t write = 2 * std::uint64_t{pc} + 1;
      for (Register r : op.writes) {
        add(r, write, std::max(until[r], write + 1));
        if (op.guard == kNoRegister) until[r] = 0;
      }
      for (Register r : op.reads) until[r] = std::max(until[r], write);
    }
    for (std::size_t r = 0; r < until.size(); ++r) {
      if (until[r] != 0) add_incoming(static_cast<Register>(r), b, until[r]);
    }
  }

  void add_incoming(Register r, std::size_t b, std::uint64_t until) {
    const Block& block = cfg_.blocks()[b];
    if (written_[b][r] || block.begin == block.end) {
      add(r, 2 * std::uint64_t{block.begin}, until);
      return;
    }
    // Not written before this block: the range starts at the first (guarded) write in it, or, for a register that is
    // read without ever having been written, at that read.
    for (Pc pc = block.begin; pc < block.end; ++pc) {
      const auto touches = [&](const std::vector<Register>& set) {
        return std::find(set.begin(), set.end(), r) != set.end();
      };
      const std::uint64_t read = 2 * std::uint64_t{pc};
      if (touches(ops_[pc].reads)) return add(r, read, until);
      if (touches(ops_[pc].writes)) return add(r, read + 1, until);
    }
  }

  void add(Register r, std::uint64_t begin, std::uint64_t end) {
    if (begin < end) ranges_[r].push_back({begin, end});
  }

  static void tidy(Range& range) {
    std::sort(range.begin(), range.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
    Range merged;
    for (const Segment& segment : range) {
      if (!merged.empty() && segment.begin <= merged.back().end) {
        merged.back().end = std::max(merged.back().end, segment.end);
      } else {
        merged.push_back(segment);
      }
    }
    range = std::move(merged);
  }

  const Cfg& cfg_;
  std::span<const FlowOp> ops_;
  Liveness live_;
  std::vector<RegisterSet> written_;
  std::vector<Range> ranges_;
};

}  // namespace

std::vector<Range> find_live_ranges(const Cfg& cfg, std::span<const FlowOp> ops, std::size_t registers) {
  return RangeFinder(cfg, ops, registers).find();
}

unsigned WordPacker::place(const Range& range, unsigned words) {
  for (unsigned first = 0;; first += words) {  // pairs are aligned: two of them are the same or apart
    while (taken_.size() < first + words) taken_.emplace_back();
    bool fits = true;
    for (unsigned w = first; w < first + words && fits; ++w) fits = free(w, range);
    if (!fits) continue;
    for (unsigned w = first; w < first + words; ++w) {
      for (const Segment& segment : range) taken_[w].emplace(segment.begin, segment.end);
    }
    used_ = std::max(used_, first + words);
    return first;
  }
}

bool WordPacker::free(unsigned word, const Range& range) const {
  const auto& taken = taken_[word];
  return std::none_of(range.begin(), range.end(), [&](const Segment& segment) {
    auto after = taken.lower_bound(segment.end);  // the last one that begins before the segment's end
    return after != taken.begin() && std::prev(after)->second > segment.begin;
  });
}

}  // namespace warpfold::isa
