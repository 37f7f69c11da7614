// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/time_trace.h"

#include <fmt/format.h>

#include <utility>

#include "warpfold/common/symbol_name.h"

namespace warpfold {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr unsigned kCounterShare = 4;  // a quarter of the file
constexpr TraceEventFile::Track kLaunches{TraceCounters::kMachine, 2};

std::string dimensions_text(const isa::Dim3& d) { return fmt::format("[{},{},{}]", d.x, d.y, d.z); }

}  // namespace

TimeTrace::TimeTrace(const std::string& path, const TimeTraceOptions& options, const MachineConfig& machine,
                     const std::string& machine_name, const std::string& mechanism)
    : options_(options),
      file_(path),
      scope_(options.first, options.last),
      slice_scope_(options.first, options.last),
      counters_(file_, scope_, machine.cores, machine.core.schedulers, options.every,
                options.limit_mb * kMegabyte / kCounterShare),
      cores_(machine.cores),
      most_slice_bytes_(options.limit_mb * kMegabyte / kCounterShare * (kCounterShare - 1)) {
  file_.name_process(kLaunches.process, fmt::format("{} under {}", machine_name, mechanism), 0);
  file_.name_thread(kLaunches, "launches", 0);
  const std::vector<bool> traced = options.traced_of(machine.cores);
  for (unsigned core = 0; core < machine.cores; ++core) {
    const unsigned process = TraceCounters::kFirstCore + core;
    file_.name_process(process, fmt::format("core {}", core), 1 + core);
    if (traced[core]) cores_[core] = std::make_unique<CoreSlices>(file_, slice_scope_, machine.core, process);
  }
  file_.instant(kLaunches, 0,
                trace_event("run", "run",
                            fmt::format(R"("machine":{},"mechanism":{},"cores":{},"schedulers":{},"core_mhz":{},)"
                                        R"("warp_size":{},"every":{},"slices_of_cores":{})",
                                        json_string(machine_name), json_string(mechanism), machine.cores,
                                        machine.core.schedulers, machine.core.clock_mhz, machine.core.warp_size,
                                        options.every, json_string(options.cores))));
}

void TimeTrace::launch_started(const isa::Kernel& /*kernel*/) { ++launches_; }

void TimeTrace::timed_launch_started(const isa::Launch& launch, Cycle start, CounterReading reading) {
  if (running_) end_launch(now_);  // the one before has failed
  running_ = true;
  const std::size_t number = launches_ == 0 ? timed_launches_ : launches_ - 1;
  ++timed_launches_;
  const bool shown = options_.launches.covers(number, launch.kernel->name);
  scope_.launch_started(start, shown);
  slice_scope_.launch_started(start, shown);
  now_ = scope_.launch_start();
  file_.begin(
      kLaunches, now_,
      trace_event(shown_name(launch.kernel->name), "launch",
                  fmt::format(R"("launch":{},"grid":{},"block":{},"registers":{})", number,
                              dimensions_text(launch.grid), dimensions_text(launch.block), launch.kernel->registers)));
  counters_.launch_started(*launch.kernel, start, std::move(reading));
  for (const auto& core : cores_) {
    if (core != nullptr) core->launch_started(*launch.kernel);
  }
}

void TimeTrace::record(const TraceRecord& record) {
  if (!running_ || file_.closed()) return;
  now_ = scope_.of_run(record.cycle);
  counters_.record(record);
  if (CoreSlices* const core = cores_[record.core].get(); core != nullptr) core->record(record);
  if (!cut_ && file_.bytes() - counters_.bytes() > most_slice_bytes_) end_slices(now_);
}

void TimeTrace::read(Cycle until, CounterReading reading) {
  if (file_.closed()) return;
  now_ = scope_.of_run(until);
  counters_.read(until, std::move(reading));
}

void TimeTrace::timed_launch_ended(Cycle end, CounterReading reading) {
  if (file_.closed()) return;
  counters_.read(end, std::move(reading));
  end_launch(scope_.of_run(end));
}

// A killed program leaves what it had done.
void TimeTrace::end_launch(Cycle end) {
  running_ = false;
  now_ = end;
  for (const auto& core : cores_) {
    if (core != nullptr) core->launch_ended(end);
  }
  counters_.launch_ended();
  file_.end(kLaunches, end);
  scope_.launch_ended(end);
  slice_scope_.launch_ended(end);
  file_.flush();
}

void TimeTrace::end_slices(Cycle at) {
  cut_ = true;
  slice_scope_.end_at(at);
  file_.instant(kLaunches, at, trace_event("slices end: the file's limit", "run"));
}

void TimeTrace::finish() {
  if (file_.closed()) return;
  if (running_) end_launch(now_);
  counters_.end(now_);
  file_.instant(kLaunches, now_,
                trace_event("end", "run",
                            fmt::format(R"("cycles":{},"every":{},"slices_end":{})", now_, counters_.every(),
                                        cut_ ? slice_scope_.last() : now_)));
  file_.close();
  finished_ = true;
}

std::string TimeTrace::what_is_left_out() const {
  std::string text;
  if (!finished_) return text;
  if (cut_) {
    text += fmt::format(
        "warpfold: {}: slices end at cycle {} of {}, for the file may have {} MB; --trace-window shows later ones\n",
        kTimeTraceFile, slice_scope_.last(), now_, options_.limit_mb);
  }
  if (counters_.every() != options_.every) {
    text +=
        fmt::format("warpfold: {}: counters stand every {} cycles at first, every {} in the end, for the same reason\n",
                    kTimeTraceFile, options_.every, counters_.every());
  }
  return text;
}

}  // namespace warpfold
