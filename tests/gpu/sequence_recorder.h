// SPDX-License-Identifier: Apache-2.0
// Listens to a machine's trace and writes down what each thread of a launch executes.
#pragma once

#include <bit>
#include <utility>
#include <vector>

#include "models/common/trace.h"
#include "tests/gpu/thread_sequences.h"

namespace warpfold {

class SequenceRecorder : public TraceSink {
 public:
  void launch_started(const isa::Launch& launch) {
    sequences_ = ThreadSequences(launch);
    width_ = launch.warp_size;
    rows_ = static_cast<unsigned>((launch.block.count() + width_ - 1) / width_);
    places_.clear();
  }
  ThreadSequences take() { return std::move(sequences_); }

  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kBlockStart) {
      for (unsigned row = 0; row < rows_; ++row) {
        place(record.core, static_cast<unsigned>(record.other) + row) = {record.block, row * width_};
      }
    }
    if (record.event != TraceEvent::kIssue) return;
    for (std::uint64_t lanes = record.other; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      const Place& from = place(record.core, record.rows[lane]);
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
};

}  // namespace warpfold
