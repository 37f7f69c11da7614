// SPDX-License-Identifier: Apache-2.0
// Process groups that do not outlive this process, however it ends and whatever signals they ignore: a process of its
// own waits for the end of this one and then kills the groups that it still keeps. Where it cannot be started, groups
// get only the signal that a parent's death sends to its children, but not to theirs.
#pragma once

#include <sys/types.h>

namespace warpfold::sim {

// Starts the keeper before the first group. What a later fork must not hold open is closed by exec.
void start_keeper();
void keep_group(pid_t group);
// Before the group's leader is reaped: from then on its number may be another's.
void release_group(pid_t group);

}  // namespace warpfold::sim
