// SPDX-License-Identifier: Apache-2.0
// A program that pretends to have been simulated: it reads its run file and leaves result files with known figures, so
// that the command line can be tested without a simulator. Its arguments say what else happens:
//   fail      its own check fails          silent    it launches no kernel
//   crash     it dies by a signal          hang      it never ends, after its first kernel
//   leave     it ends without finishing its results
//   stubborn  it hangs, and neither it nor a child of its own ends by request; their numbers are in DIR/processes
//   threads   two host threads launch
//   wrong     its own check fails after its results are complete
//   until F   after its first kernel, it waits for a file F; it leaves a mark in the file "started"
//   say WORD  prints WORD                     coherent  its warps hardly diverge
//   drains    under mechanisms other than pdom warps drain, unless the scoreboard knows of threads
//   tail      a core works alone at its end   uneven    its cores do not work alike      few  it has few blocks
// A sampled run of it says that it has timed the launches 0, 1 and 4, or those that it was given.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/results.h"
#include "warpfold/gpu/run/run_options.h"

namespace {

bool has(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], word) == 0) return true;
  }
  return false;
}

void launch(warpfold::ResultWriter& writer) {
  writer.kernel_begin("_Z4workPi", {1, 1, 1}, {32, 1, 1});
  writer.kernel_end();
}

[[noreturn]] void hang_on(const std::string& directory) {
  for (const int request : {SIGTERM, SIGINT, SIGHUP}) std::signal(request, SIG_IGN);
  const pid_t child = fork();
  if (child > 0) {
    warpfold::write_whole_file(directory + "/processes", std::to_string(getpid()) + " " + std::to_string(child));
  }
  for (;;) pause();
}

void wait_for(const char* file) {
  std::ofstream("started", std::ios::app) << "x" << std::flush;
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = warpfold::RunOptions::from_environment();
  if (has(argc, argv, "say")) std::printf("saying %s\n", argv[argc - 1]);
  if (has(argc, argv, "fail")) {
    std::printf("some output\nFAIL: node 3 is wrong\n");
    return 1;
  }
  if (has(argc, argv, "crash")) std::raise(SIGKILL);
  if (has(argc, argv, "silent")) return 0;
  warpfold::StatRegistry registry;
  warpfold::StatGroup& gpu = registry.group("gpu");
  const bool timed = options.timing == warpfold::Timing::kCycle;
  warpfold::Counter& cycles = gpu.counter(timed ? "cycles" : "simd_cycles_ivb", "cycles", "core cycles");
  const auto derive = [&gpu](const char* name, double value) {
    gpu.derive(name, "", "made up", [value](const warpfold::StatValues&) { return value; });
  };
  derive("schedulers", 1);
  if (!timed) derive("warp_instructions", 1.8e9);
  derive("simd_efficiency", has(argc, argv, "coherent") ? 1 : 0.5);
  derive("bcc_saving", has(argc, argv, "coherent") ? 0 : 0.2);
  derive("few_cores_share", has(argc, argv, "tail") ? 0.25 : 0.24);
  derive("core_utilisation", has(argc, argv, "uneven") ? 0.6 : has(argc, argv, "tail") ? 0.5 : 0.76);
  const bool drains = has(argc, argv, "drains") && options.mechanism != "pdom" &&
                      options.machine.core.scoreboard != warpfold::ScoreboardKind::kPerThread;
  derive("draining_share", drains ? 0.05 : 0.019);
  if (options.mechanism == "oracle") derive("oracle_bound", 1.75);
  derive("few_waves_share", has(argc, argv, "few") ? 0.5 : 0.49);
  derive("scc_saving", has(argc, argv, "coherent") ? 0.1 : 0.4);
  const auto sampling = [&options] {
    return R"({"total": {"cycles": 3000, "cycles_low": 2000, "cycles_high": 4000, "launches": 9}, "timed": ")" +
           (options.sample.given() ? options.sample.text() : "0-1,4") +
           R"(", "groups": [{"launches": 9, "cycles": 3000, "weights": [], "off": [], "moves": []}]})";
  };
  warpfold::ResultWriter writer(registry, {options.out,
                                           options.machine_name,
                                           options.mechanism,
                                           "cycle",
                                           "placed",
                                           options.effective_config(),
                                           {},
                                           {},
                                           options.sample.on() ? sampling : std::function<std::string()>(),
                                           options.decided_by});
  writer.kernel_begin("_Z4workPi", {1, 1, 1}, {32, 1, 1});
  const bool is_baseline = options.mechanism == "pdom";
  if (has(argc, argv, "ordered") && options.machine.core.warp_policy == warpfold::WarpPolicy::kAge) {
    cycles += is_baseline ? 2400 : 1500;
  } else {
    cycles += is_baseline ? 3000 : 2000;
  }
  writer.kernel_end();
  if (has(argc, argv, "threads")) std::thread(launch, std::ref(writer)).join();
  if (has(argc, argv, "hang")) {  // in the middle of writing
    std::ofstream(options.out + "/stats.json.tmp-1-0") << "{";
    pause();
  }
  if (has(argc, argv, "stubborn")) hang_on(options.out);
  if (has(argc, argv, "until")) wait_for(argv[argc - 1]);
  if (has(argc, argv, "leave")) _exit(0);
  writer.finish();
  return has(argc, argv, "wrong") ? 1 : 0;
}

extern "C" int sc_main(int, char**) { return 0; }
