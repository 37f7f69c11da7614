// SPDX-License-Identifier: Apache-2.0
// How much of a run a time trace shows (docs/tracing.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "warpfold/common/clock/cycle.h"
#include "warpfold/common/config/config.h"
#include "warpfold/gpu/run/detail.h"

namespace warpfold {

inline constexpr const char* kTimeTraceFile = "trace.json";  // in the result directory

struct TimeTraceOptions {
  // As a user gives them; empty: the default.
  struct Words {
    std::string every, window, launches, cores, limit;
  };

  bool on = false;
  Cycle every = 100;               // of the counters
  Cycle first = 0, last = kNever;  // of the run; [first, last)
  Detail launches;                 // none other is traced
  std::string cores = "0";         // whose warps are: "0,3-5", "all" or "none"
  std::uint64_t limit_mb = 64;     // of the file

  // `place` stands in error messages, before "trace-every" and so on.
  static TimeTraceOptions parse(const Words& words, const std::string& place);
  static TimeTraceOptions load(const ConfigNode& table);  // of a run file
  std::string run_file() const;

  // By core. UserError for one that a machine of so many cores does not have.
  std::vector<bool> traced_of(std::size_t machine_cores) const;

 private:
  std::string window_;
};

}  // namespace warpfold
