// SPDX-License-Identifier: Apache-2.0
// `warpfold run`: one program on one machine under one mechanism.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "models/common/error.h"
#include "models/gpu/simulator.h"
#include "models/host/ptx_launch.h"
#include "tb/cosim/co_simulation.h"
#include "tb/sim/child.h"
#include "tb/sim/commands.h"
#include "tb/sim/output.h"
#include "tb/sim/point.h"
#include "tb/sim/setup.h"
#include "tb/sim/table.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

// `warpfold run -- bfs` is the bundled workload with its usual arguments; anything else is a command as it stands.
Program program_of(const RunCommand& command) {
  const std::vector<std::string>& words = command.program;
  if (words.empty()) user_error("no program given: warpfold run [options] -- ./program arguments…");
  Program program = find_program(words[0], command.size);
  if (words.size() > 1) program.command.resize(1);
  program.command.insert(program.command.end(), words.begin() + 1, words.end());
  return program;
}

// Where results go: as given, or by program and mechanism. Returns it as the user would say it.
fs::path result_directory(const RunCommand& command, Point& point) {
  const fs::path out =
      command.out.empty() ? fs::path("results") / point.program.name / point.name() : fs::path(command.out);
  point.options.out = fs::absolute(out);
  return out;
}

void print_result(const Point& point, const fs::path& out) {
  fmt::print("\n{} on {} under {}, results in {}\n\n{}\n{}", point.program.name, point.options.machine_name,
             point.name(), out.string(), resource_table(point.stats), kernel_table(point.stats));
  fmt::print("{}", threads_warning({&point}));
}

// The description names the kernel and its arguments; the simulator runs in this process.
int run_ptx(const RunCommand& command, Point& point) {
  if (command.program.size() != 1) user_error("run --ptx {}: give one launch description, LAUNCH.yaml", command.ptx);
  point.program.name = fs::path(command.ptx).stem();
  const fs::path out = result_directory(command, point);
  prepare(point);
  GpuOptions gpu;
  gpu.core_blocks = cosim::core_blocks(point.options.rtl);
  Simulator simulator(point.options, gpu);
  const int status = host::run_ptx(command.ptx, command.program[0], simulator, std::cout);
  simulator.finish();
  std::cout.flush();
  if (status != 0) return 1;
  collect(point);
  print_result(point, out);
  return 0;
}

bool has(const Point& point, const char* file) { return fs::exists(fs::path(point.directory()) / file); }

// Of a program that launched nothing: what prepare() made is taken back, as far as there was nothing before.
void leave_no_results(const Point& point) {
  std::error_code ignored;
  fs::remove(fs::path(point.directory()) / "run.yaml", ignored);
  fs::remove(point.directory(), ignored);  // if it is empty
}

}  // namespace

int run(const RunCommand& command) {
  Point point;
  const std::vector<std::string> packings = packings_in(command.simd);
  if (packings.size() > 1)
    user_error("--simd {}: one lane packing at a time; warpfold compare takes lists", command.simd);
  point.packing = packings[0];
  point.options = RunOptions::resolve(command.machine, command.mechanism, with_packing(command.sets, point.packing));
  apply_timing(point.options, command.timing, command.detail);
  // clang's PTX is meant for an assembler; a PTX file is taken at its word, instruction by instruction.
  apply_code(point.options, !command.code.empty() ? command.code : command.ptx.empty() ? "placed" : "as-written");
  apply_rtl(point.options, command.rtl, command.rtl_check, command.waves);
  const std::string reason = why_not(point.options);
  if (!reason.empty())
    user_error("mechanism {} cannot run on machine {}: {}", command.mechanism, command.machine, reason);
  if (!command.ptx.empty()) return run_ptx(command, point);
  point.program = program_of(command);
  const fs::path out = result_directory(command, point);
  const std::string run_file = prepare(point);
  std::signal(SIGINT, SIG_IGN);  // the program decides; its results up to then stay whole
  std::fflush(nullptr);
  const Ending ending = wait_for(start(point.program.command, run_file, ""));
  if (!ending.ok()) {
    const std::string kept = has(point, "stats.json") ? fmt::format("; results so far in {}", out.string()) : "";
    tell("warpfold: {} failed: {}{}\n", point.program.command[0], ending.text(), kept);
    return 1;
  }
  if (!has(point, "run.json")) {
    leave_no_results(point);
    tell("warpfold: {} launched no kernel: no results (was it built by warpfold-cc?)\n", point.program.command[0]);
    return 0;
  }
  collect(point);
  if (point.state != Point::State::kDone) {
    tell("warpfold: error: {}: {}\n", point.program.command[0], point.reason);
    return 1;
  }
  print_result(point, out);
  return 0;
}

}  // namespace warpfold::sim
