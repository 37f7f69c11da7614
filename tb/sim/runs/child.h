// SPDX-License-Identifier: Apache-2.0
// A simulated program as a process of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace warpfold::sim {

struct Ending {
  int status = 0;  // exit status
  int signal = 0;  // that killed it, or 0
  bool ok() const { return status == 0 && signal == 0; }
  std::string text() const;  // "exit status 3", "killed by signal 9 (Killed)"
};

// Starts `command` in `directory` (empty: this one) with WARPFOLD_RUN = `run_file`. An empty `output` leaves it this
// terminal; otherwise both streams go to that file, it reads nothing, and it gets a process group of its own. It does
// not outlive this process; of a group nobody does, and what ignores other signals is killed.
pid_t start(const std::vector<std::string>& command, const std::string& run_file, const std::string& output,
            const std::string& directory = "");

Ending wait_for(pid_t child);
std::optional<Ending> has_ended(pid_t child);
// Whole process groups: asked to end, all at once, then made to.
void end_groups(const std::vector<pid_t>& children);

}  // namespace warpfold::sim
