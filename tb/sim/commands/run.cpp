// SPDX-License-Identifier: Apache-2.0
// `warpfold run`: one program on one machine under one mechanism.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "tb/cosim/co_simulation.h"
#include "tb/sim/commands/commands.h"
#include "tb/sim/console/launch_progress.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/bundled.h"
#include "tb/sim/runs/child.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/runs/sampled.h"
#include "tb/sim/runs/setup.h"
#include "tb/sim/tables/table.h"
#include "warpfold/common/files/file_lock.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/launch_error.h"
#include "warpfold/gpu/run/plugins.h"
#include "warpfold/gpu/run/simulator.h"
#include "warpfold/host/launch_file/ptx_launch.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

// `warpfold run -- bfs` is the bundled workload with its usual arguments; anything else is a command as it stands.
Program program_of(const RunCommand& command) {
  const std::vector<std::string>& words = command.program;
  if (words.empty()) user_error("no program given: it comes behind the options, -- ./program arguments…");
  const Program program = find_program(words, command.size);
  for (const char* const ours : {"--machine", "--mechanism", "--set", "--simd", "--out", "--timing", "--threads"}) {
    if (program.bundled && std::find(words.begin() + 1, words.end(), ours) != words.end()) {
      user_error("{}: stands behind {}, whose arguments those are; options of warpfold's stand before it", ours,
                 words.front());
    }
  }
  return ready(program);
}

// Where results go: as given, or by program, mechanism and key. For as long as the lock is held, nobody else writes
// there.
FileLock take_directory(const RunCommand& command, Point& point) {
  if (command.out.empty()) {
    file_under_key(point, "results");
    const std::string path = lock_file(point);
    if (std::optional<FileLock> lock = FileLock::take(path)) return std::move(*lock);
    tell("warpfold: {}: another process runs it; waiting\n", point.label());
    return FileLock(path);
  }
  file_in(point, command.out);
  std::optional<FileLock> lock = FileLock::take(lock_file(point));
  if (!lock) user_error("--out {}: another run is writing its results there; name another directory", command.out);
  return std::move(*lock);
}

// What an earlier run has left is not taken for this one's.
void apply_mask_trace(const RunCommand& command, RunOptions& options) {
  if (command.mask_trace.empty()) return;
  options.mask_trace = fs::absolute(command.mask_trace).lexically_normal();
  if (fs::is_directory(options.mask_trace)) user_error("--mask-trace {}: this is a directory", command.mask_trace);
  if (fs::is_regular_file(options.mask_trace)) remove_file(options.mask_trace);
}

void apply_trace(const RunCommand& command, RunOptions& options) {
  const TimeTraceOptions::Words& words = command.traced;
  if (command.trace.empty()) {
    const std::pair<const char*, const std::string&> given[] = {{"window", words.window},
                                                                {"launches", words.launches},
                                                                {"cores", words.cores},
                                                                {"every", words.every},
                                                                {"limit", words.limit}};
    for (const auto& [name, word] : given) {
      if (!word.empty()) user_error("--trace-{} {}: there is no trace; add --trace perfetto", name, word);
    }
    return;
  }
  options.trace = TimeTraceOptions::parse(words, "--");
  options.trace.traced_of(options.machine.cores);
  if (options.timing == Timing::kFunctional) {
    user_error("--trace {}: there is no time in a functional run; use --timing cycle", command.trace);
  }
}

bool has(const Point& point, const char* file) { return fs::exists(fs::path(point.directory()) / file); }

void print_result(const RunCommand& command, const Point& point) {
  Report report;
  report.notes.push_back(fmt::format("{} on {} under {}, results in {}", point.program.name, point.options.machine_name,
                                     point.name(), point.place));
  if (point.options.trace.on)
    report.notes.push_back(fmt::format("{} there: warpfold timeline makes a page of it", kTimeTraceFile));
  ReportTable kernels = sampled(point) ? sampled_kernels(point.stats) : kernel_table(point.stats, warp_size({&point}));
  kernels.footer = threads_warning({&point}) + refusals_warning({&point});
  ReportTable total = comparison_table({&point});
  total.name = "total";
  total.audience = kPrograms;
  ReportTable resources = resource_table(point.stats);
  report.tables = {std::move(resources), std::move(kernels), std::move(total)};
  report.csv = "kernels";
  if (!quiet() && !command.output.asked()) fmt::print("\n");
  deliver(report, command.output);
}

// What is there of a run that has failed.
std::string results_so_far(const Point& point) {
  if (!has(point, "stats.json")) return "it left no results";
  return "results so far in " + point.place;
}

int fail(const RunCommand& command, Point& point, const std::string& reason) {
  point.state = Point::State::kWrong;
  point.reason = reason;
  try {
    note_outcome(point);
  } catch (const WriteError&) {
    // The failure has been told, perhaps of the same full disk. Without an outcome nobody takes the run for a good one.
  }
  if (command.show) command.show(point);
  return 1;
}

// Of a program that ended well.
int conclude(const RunCommand& command, Point& point) {
  collect(point);
  note_outcome(point);
  const bool good = point.state == Point::State::kDone;
  if (!good) tell("warpfold: error: {}: {}\n", point.program.command[0], point.reason);
  if (command.show) {
    command.show(point);
  } else if (good) {
    print_result(command, point);
  }
  return good ? 0 : 1;
}

// A checker has told of what is wrong before the kernel's error comes.
int run_kernel(const RunCommand& command, const Point& point, Simulator& simulator) {
  try {
    return host::run_ptx(command.ptx, command.program[0], simulator, std::cout);
  } catch (const KernelFault&) {
    if (!point.options.machine.check.any()) throw;
    return 0;
  }
}

// The description names the kernel and its arguments; the simulator runs in this process.
int run_ptx(const RunCommand& command, Point& point) {
  if (command.program.size() != 1) user_error("run --ptx {}: give one launch description, LAUNCH.yaml", command.ptx);
  point.program.name = fs::path(command.ptx).stem();
  point.program.command = {command.ptx, command.program[0]};
  point.program.ptx = true;
  const FileLock lock = take_directory(command, point);
  prepare(point);
  GpuOptions gpu;
  gpu.bind = plugged_memory();
  gpu.stand_ins = cosim::stand_ins(point.options.rtl);
  if (!quiet()) gpu.watch = std::make_shared<LaunchProgress>();
  Simulator simulator(point.options, gpu);
  const int status = [&] {
    const OutputAside aside(command.output.asked());
    const int checks = run_kernel(command, point, simulator);
    simulator.finish();
    std::cout.flush();
    return checks;
  }();
  if (status != 0) return fail(command, point, "a check failed");
  return conclude(command, point);
}

}  // namespace

int run(const RunCommand& command) {
  command.output.format();  // before anything runs
  Point point;
  const std::vector<std::string> packings = packings_in(command.simd);
  if (packings.size() > 1)
    user_error("--simd {}: one lane packing at a time; warpfold compare takes lists", command.simd);
  point.packing = packings[0];
  point.options = RunOptions::resolve(command.machine, command.mechanism, with_packing(command.sets, point.packing));
  apply_timing(point.options, command.timing, command.detail);
  // clang's PTX is meant for an assembler; a PTX file is taken at its word, instruction by instruction.
  apply_code(point.options, !command.code.empty() ? command.code : command.ptx.empty() ? "placed" : "as-written");
  apply_rtl(point.options, command.rtl, command.rtl_check, command.waves, command.rtl_out);
  point.options.profile = command.profile;
  point.options.threads = command.threads;
  apply_mask_trace(command, point.options);
  apply_trace(command, point.options);
  if (point.options.trace.on && command.rtl.find("observer:") != std::string::npos) {
    user_error("--rtl-block: watches the cores as --trace does; one of them at a time");
  }
  point.options.token_stack = command.token_stack;
  apply_sample(point.options, command.sample);
  const std::string reason = why_not(point.options);
  if (!reason.empty())
    user_error("mechanism {} cannot run on machine {}: {}", point.options.mechanism, command.machine, reason);
  if (!command.ptx.empty()) return run_ptx(command, point);
  point.program = program_of(command);
  const FileLock lock = take_directory(command, point);
  const std::string run_file = prepare(point);
  std::signal(SIGINT, SIG_IGN);  // the program decides; its results up to then stay whole
  const Ending ending = [&] {
    const OutputAside aside(command.output.asked());
    return wait_for(start(point.program.command, run_file, "", point.program.directory));
  }();
  if (!ending.ok()) {
    tell("warpfold: {} failed: {}; {}\n", point.program.command[0], ending.text(), results_so_far(point));
    return fail(command, point, ending.text());
  }
  if (!has(point, "run.json")) {
    tell("warpfold: {} launched no kernel: no results (built by warpfold-cc? warpfold's options come before it)\n",
         point.program.command[0]);
    return 0;
  }
  return conclude(command, point);
}

}  // namespace warpfold::sim
