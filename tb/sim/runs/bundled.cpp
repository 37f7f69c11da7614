// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/bundled.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "tb/sim/console/output.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/command.h"
#include "warpfold/common/results/build_id.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

// Beside this program, in a build as where it is installed.
fs::path home() { return fs::path(program_directory()).parent_path(); }
fs::path compiler() { return home() / "bin/warpfold-cc"; }

std::string missing(const fs::path& file) {
  return fmt::format("{} is missing: cmake --build {} --target warpfold-cc warpfold_cudart makes it", file.string(),
                     home().string());
}

// What every program is made with. Programs name the run-time library by its path: those of another build are others.
const std::string& tools() {
  static const std::string key = [] {
    for (const fs::path& file : {compiler(), fs::path(cuda_library())}) {
      if (!fs::exists(file)) user_error("{}", missing(file));
    }
    Hash hash;
    hash.add(compiler().string()).add(build_id(compiler())).add(remembered_key("headers", home() / "cuda/include"));
    hash.add_file(home() / "lib/warpfold_libdevice.bc");
    for (const fs::path& header : workload_headers()) hash.add(header.string()).add_file(header);
    return hash.name();
  }();
  return key;
}

// What the compiler says first of why it fails; its last words where it names no error.
std::string complaint(const std::string& log) {
  std::istringstream lines(read_text(log).value_or(""));
  std::string last = "warpfold-cc ends without a word";
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error: ") != std::string::npos) return line;
    if (!line.empty()) last = line;
  }
  return last;
}

void compile(const Workload& workload, const std::string& name, const Scratch& scratch) {
  if (!quiet()) tell("warpfold: compiling {}, once\n", workload.name);
  const fs::path folder = scratch.file(kMade);
  fs::create_directory(folder);
  std::vector<std::string> command{compiler(), "-O3"};
  command.insert(command.end(), workload.options.begin(), workload.options.end());
  command.insert(command.end(), workload.sources.begin(), workload.sources.end());
  command.insert(command.end(), {"-o", folder / workload.name});
  const std::string log = scratch.file("warpfold-cc.log");
  pid_t child = 0;
  const int error = start_command(command, log, child);
  if (error != 0) user_error("{}: cannot start it: {}", command[0], std::strerror(error));
  if (ends_well(child)) return;
  const std::string said = complaint(log);
  user_error("workload {} does not compile: {}; log: {}", workload.name, said, scratch.keep_logs(name + ".log"));
}

std::string path_of(const Workload& workload) {
  Hash hash;
  hash.add(tools());
  for (const std::string& source : workload.sources) hash.add(source).add_file(source);
  for (const std::string& option : workload.options) hash.add(option);
  const std::string name = workload.name + "-" + hash.name();
  const auto make = [&](const Scratch& scratch) { compile(workload, name, scratch); };
  return kept_in_cache(name, make) / workload.name;
}

}  // namespace

std::map<std::string, std::string> compiled(const std::map<std::string, Workload>& workloads) {
  std::map<std::string, std::string> paths;
  std::mutex mutex;
  auto next = workloads.begin();
  std::exception_ptr failure;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next != workloads.end() && !failure) {
      const auto& [name, workload] = *next++;
      lock.unlock();
      std::string path;
      std::exception_ptr failed;
      try {
        path = path_of(workload);
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      paths[name] = path;
      if (failed && !failure) failure = failed;
    }
  };
  std::vector<std::thread> threads;
  const std::size_t most = std::min<std::size_t>(std::thread::hardware_concurrency(), workloads.size());
  for (std::size_t i = 1; i < most; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return paths;
}

Program ready(Program program) {
  if (program.bundled) program.command[0] = compiled({{program.name, *program.bundled}}).at(program.name);
  return program;
}

}  // namespace warpfold::sim
