// SPDX-License-Identifier: Apache-2.0
// What a run's cores do over time, as a file that trace viewers open (docs/tracing.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/common/results/trace_event_file.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/gpu/record/core_slices.h"
#include "warpfold/gpu/record/time_trace_options.h"
#include "warpfold/gpu/record/trace_counters.h"
#include "warpfold/gpu/record/trace_scope.h"
#include "warpfold/gpu/run/run_recorder.h"

namespace warpfold {

// Slices of the cores that were asked for, counters of all cores, and the launches. Of the file's bytes, counters take
// at most a quarter; slices end where they have taken the rest.
class TimeTrace final : public RunRecorder {
 public:
  // UserError for what the machine does not have, WriteError for a file that cannot be written.
  TimeTrace(const std::string& path, const TimeTraceOptions& options, const MachineConfig& machine,
            const std::string& machine_name, const std::string& mechanism);

  // --- What a program does, in launches that are timed or not ---
  void launch_started(const isa::Kernel& kernel) override;
  void record(const TraceRecord& record) override;
  void finish() override;
  // After finish(): lines for the user on what the file does not show for its size; often none.
  std::string what_is_left_out() const;

  // --- What a GPU does, in cycles of its core clock ---
  CoreWatch* watch(unsigned core) { return cores_[core].get(); }  // null: the core's warps are not shown
  void timed_launch_started(const isa::Launch& launch, Cycle start, CounterReading reading);
  void timed_launch_ended(Cycle end, CounterReading reading);
  // Wants to be told of the counters once this edge has been served; kNever: no more.
  Cycle next_reading() const { return counters_.next(); }
  void read(Cycle until, CounterReading reading);

 private:
  void name_tracks();
  void end_launch(Cycle end);
  void end_slices(Cycle at);

  const TimeTraceOptions options_;
  TraceEventFile file_;
  TraceScope scope_, slice_scope_;  // the second ends where slices have taken their share
  TraceCounters counters_;
  std::vector<std::unique_ptr<CoreSlices>> cores_;  // null: its warps are not shown
  const std::uint64_t most_slice_bytes_;
  std::size_t launches_ = 0, timed_launches_ = 0;
  bool running_ = false;   // a timed launch is
  bool cut_ = false;       // slices have ended for their size
  bool finished_ = false;  // the file is whole
  Cycle now_ = 0;          // of the run
};

}  // namespace warpfold
