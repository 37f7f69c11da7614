// SPDX-License-Identifier: Apache-2.0
// The commands `warpfold study …`. Each returns the exit status, as those in tb/sim/commands/commands.h.
#pragma once

#include <string>
#include <vector>

#include "tb/sim/tables/report.h"

namespace warpfold::study {

struct StudyCommand {
  std::string study;  // name in configs/studies, or a path
  std::string store = "results";
  bool quick = false;
  sim::OutputOptions output;
};

struct PlanCommand : StudyCommand {
  bool points = false;    // each of them, not only their number
  bool commands = false;  // shell commands that run the missing ones, for a job list
  bool cost = false;      // what the missing ones will take
  unsigned jobs = 1;      // of which runs to know that
};
int plan(const PlanCommand& command);

struct RunStudyCommand : StudyCommand {
  unsigned jobs = 1;
  bool retry = false;  // those that have failed, too
  std::string engine = "local";
  std::vector<std::string> slurm_options;  // words for sbatch
  unsigned tasks = 0;                      // of the job array; 0: one a run, as far as Slurm takes them
};
int run(const RunStudyCommand& command);

// What job arrays and job lists start: runs points and leaves their results on disk, for `run` to take.
struct WorkCommand : StudyCommand {
  std::vector<std::string> keys;
  unsigned jobs = 1;
};
int work(const WorkCommand& command);

int status(const StudyCommand& command);

struct ExportCommand : StudyCommand {
  std::string view;  // a figure's, or the store's own; empty: the study's result rows
  std::string out;
};
int export_rows(const ExportCommand& command);

struct ReportCommand : StudyCommand {
  sim::PageOptions page;  // without a file: STORE/STUDY.html
};
int report(const ReportCommand& command);

struct DiffCommand {
  std::string first, second;  // folders of stores; no second: the first
  std::string from, to;       // versions of the simulator; empty: the latest runs
  std::string statistics = "cycles";
  double threshold = 0;  // %
  sim::OutputOptions output;
};
int diff(const DiffCommand& command);

}  // namespace warpfold::study
