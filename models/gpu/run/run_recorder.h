// SPDX-License-Identifier: Apache-2.0
// Who listens to a run's instructions in order to write a file of its own.
#pragma once

#include <memory>
#include <vector>

#include "warpfold/common/results/trace.h"
#include "warpfold/isa/kernel.h"

namespace warpfold {

class RunRecorder : public TraceSink {
 public:
  virtual void launch_started(const isa::Kernel& kernel) = 0;  // also after one that has failed
  virtual void finish() = 0;                                   // the program's end
};

// One sink for several listeners.
class RunRecorders final : public TraceSink {
 public:
  void add(std::unique_ptr<RunRecorder> recorder) { recorders_.push_back(std::move(recorder)); }
  bool empty() const { return recorders_.empty(); }
  // A listener that is not the run's; null: none.
  void also(TraceSink* sink) { also_ = sink; }

  void record(const TraceRecord& record) override {
    for (const auto& recorder : recorders_) recorder->record(record);
    if (also_ != nullptr) also_->record(record);
  }
  void launch_started(const isa::Kernel& kernel) const {
    for (const auto& recorder : recorders_) recorder->launch_started(kernel);
  }
  void finish() const {
    for (const auto& recorder : recorders_) recorder->finish();
  }

 private:
  std::vector<std::unique_ptr<RunRecorder>> recorders_;
  TraceSink* also_ = nullptr;
};

}  // namespace warpfold
