// SPDX-License-Identifier: Apache-2.0
// What this process has cost the host so far, and what it was built with: figures for run.json, never for statistics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpfold {

struct HostUsage {
  double cpu_seconds = 0;   // user and system time of the whole process, and of children that have ended
  double wall_seconds = 0;  // since the process loaded this library
  std::uint64_t peak_rss_bytes = 0;
};

HostUsage host_usage();

// The words with which this process was started.
std::vector<std::string> command_line();

// Name → version of what a run's speed and values may depend on.
std::map<std::string, std::string> build_versions();

}  // namespace warpfold
