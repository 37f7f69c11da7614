// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/results/host_usage.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <chrono>
#include <fstream>
#include <systemc>

namespace warpfold {
namespace {

const auto process_start = std::chrono::steady_clock::now();

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

HostUsage host_usage() {
  rusage usage{}, copies{};
  getrusage(RUSAGE_SELF, &usage);
  getrusage(RUSAGE_CHILDREN, &copies);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - process_start;
  const double cpu =
      seconds(usage.ru_utime) + seconds(usage.ru_stime) + seconds(copies.ru_utime) + seconds(copies.ru_stime);
  return {cpu, wall.count(), static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

std::map<std::string, std::string> build_versions() {
#ifdef __clang__
  const std::string compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  const std::string compiler = fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
#ifdef __OPTIMIZE__
  const char* const optimised = "yes";
#else
  const char* const optimised = "no";
#endif
  return {{"compiler", compiler},
          {"optimised", optimised},
          {"systemc", sc_core::sc_release()},
          {"warpfold", WARPFOLD_VERSION}};
}

}  // namespace warpfold
