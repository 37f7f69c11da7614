// SPDX-License-Identifier: Apache-2.0
// Runs of a study on other machines: as an array of Slurm jobs, or as a list of shell commands. Workers leave result
// directories and do not touch the store, which may lie where no database works well (NFS); who waits takes them over.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tb/study/commands.h"
#include "tb/study/plan.h"

namespace warpfold::study {

// A shell command that runs these points of the study.
std::string command_of(const StudyCommand& command, const std::vector<std::string>& keys);

// Submits the points as one job array and waits for it; `on_end` is called with each that has left its result.
// UserError: no Slurm here, or a submission that it refuses.
void run_on_slurm(const RunStudyCommand& command, const std::vector<const Planned*>& points,
                  const std::function<void(const Planned&)>& on_end);

}  // namespace warpfold::study
