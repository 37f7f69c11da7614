// SPDX-License-Identifier: Apache-2.0
// Other programs as child processes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warpfold {

// Starts a command, which is looked for on the PATH. With a `log`, both its streams go to that file and it reads
// nothing; without, it has those of this process. Returns 0, or the errno that says why it cannot be started.
int start_command(const std::vector<std::string>& command, const std::string& log, pid_t& child);

// Waits until it ends: with status 0?
bool ends_well(pid_t child);

}  // namespace warpfold
