// SPDX-License-Identifier: Apache-2.0
// `warpfold prepare`: what is made when it is first asked for, ahead of that.
#include <fmt/format.h>

#include "tb/sim/commands/commands.h"
#include "tb/sim/runs/bundled.h"
#include "tb/study/report_libraries.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

constexpr const char* kReport = "report";

void add(const std::string& name, std::map<std::string, Workload>& to) {
  const auto add_all = [&](const std::vector<Workload>& workloads) {
    for (const Workload& workload : workloads) to.emplace(workload.name, workload);
  };
  if (name == "all") return add_all(find_workloads());
  if (names_a_set(name)) {
    for (const std::string& one : workloads_of(name)) add(one, to);
    return;
  }
  if (std::optional<Workload> workload = find_workload(name)) return add_all({std::move(*workload)});
  std::vector<std::string> known{"all", kReport};
  for (const Workload& workload : find_workloads()) known.push_back(workload.name);
  user_error("{}: no bundled workload; {}", name, suggestion(name, known));
}

}  // namespace

int prepare_ahead(const PrepareCommand& command) {
  std::map<std::string, Workload> workloads;
  bool report = false;
  for (const std::string& name : command.names) {
    if (name == kReport) {
      report = true;
    } else {
      add(name, workloads);
    }
  }
  for (const auto& [name, path] : compiled(workloads)) fmt::print("{}\n", path);
  if (report) fmt::print("{}\n", study::report_libraries().string());
  return 0;
}

}  // namespace warpfold::sim
