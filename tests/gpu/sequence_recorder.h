// SPDX-License-Identifier: Apache-2.0
// Listens to a machine's trace and writes down what each thread of a launch executes.
#pragma once

#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/gpu/contract/thread_sequences.h"
#include "warpfold/common/results/trace.h"

namespace warpfold {

class SequenceRecorder : public TraceSink {
 public:
  void launch_started(const isa::Launch& launch) {
    sequences_ = ThreadSequences(launch);
    width_ = launch.warp_size;
    rows_ = static_cast<unsigned>((launch.block.count() + width_ - 1) / width_);
    places_.clear();
    group_of_block_.assign(launch.grid.count(), 0);
    issues_ = 0;
    mixes_blocks_ = false;
  }
  ThreadSequences take() { return std::move(sequences_); }

  // Of the launch: warp instructions issued, and how few the oracle would need: per block, or per core where warps
  // mixed threads of several blocks (HARP §3.2).
  std::uint64_t issues() const { return issues_; }
  std::uint64_t least_issues(const ThreadSequences& sequences) const {
    std::vector<unsigned> groups = group_of_block_;
    if (!mixes_blocks_) std::iota(groups.begin(), groups.end(), 0U);
    return sequences.least_issues(width_, groups);
  }

  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kBlockStart) {
      group_of_block_.at(record.block) = record.core;
      for (unsigned row = 0; row < rows_; ++row) {
        place(record.core, static_cast<unsigned>(record.other) + row) = {record.block, row * width_};
      }
    }
    if (record.event != TraceEvent::kIssue) return;
    ++issues_;
    const std::uint64_t block = place(record.core, record.rows[std::countr_zero(record.other)]).block;
    for (std::uint64_t lanes = record.other; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      const Place& from = place(record.core, record.rows[lane]);
      mixes_blocks_ = mixes_blocks_ || from.block != block;
      sequences_.append(from.block, from.first_thread + lane, {record.pc, (record.mask >> lane & 1) != 0});
    }
  }

 private:
  struct Place {
    std::uint64_t block = 0;
    unsigned first_thread = 0;
  };
  Place& place(std::uint32_t core, unsigned row) {
    if (places_.size() <= core) places_.resize(core + 1);
    if (places_[core].size() <= row) places_[core].resize(row + 1);
    return places_[core][row];
  }

  ThreadSequences sequences_;
  unsigned width_ = 32, rows_ = 1;
  std::vector<std::vector<Place>> places_;  // by core and row
  std::vector<unsigned> group_of_block_;    // the core that it ran on
  std::uint64_t issues_ = 0;
  bool mixes_blocks_ = false;
};

}  // namespace warpfold
