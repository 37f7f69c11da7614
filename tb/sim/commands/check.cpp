// SPDX-License-Identifier: Apache-2.0
// `warpfold check`: a program under the memory checker (docs/checking.md).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tb/sim/commands/commands.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/runs/setup.h"
#include "tb/sim/tables/report.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// What the checker has left in run.json, for programs and documents; people are told as it is found.
void show(const Point& point, const OutputOptions& output) {
  if (!output.asked()) return;
  std::ifstream file(fs::path(point.directory()) / "run.json");
  const Json json = Json::parse(file, nullptr, false);
  ReportTable table{"findings", "", {}, {}};
  for (const char* const name : {"kind", "kernel", "source", "ptx", "thread", "act", "memory", "count", "launch"}) {
    table.columns.push_back({name, name, kAll, true});
  }
  if (json.is_object() && json.contains("check")) {
    for (const Json& finding : json["check"]["findings"]) {
      Row row;
      for (const Column& column : table.columns) {
        const Json& value = finding[column.name];
        row.cells.emplace_back(value, value.is_string() ? value.get<std::string>() : value.dump());
      }
      table.rows.push_back(std::move(row));
    }
  }
  deliver({{}, {std::move(table)}, true}, output);
}

}  // namespace

int check(const CheckCommand& command) {
  const std::vector<std::string> known{"memory", "initialized", "races"};
  RunCommand run_command = command;
  run_command.show = [&](const Point& point) { show(point, command.output); };
  for (const std::string& tool : names_in("--tools", command.tools, known, [&](const std::string& name) {
         if (std::find(known.begin(), known.end(), name) != known.end()) return;
         user_error("--tools {}: no such tool; {}", name, suggestion(name, known));
       })) {
    run_command.sets.push_back("check." + tool + "=true");
  }
  run_command.sets.push_back("check.stray_reads=" + command.stray_reads);
  if (command.independent_threads) run_command.sets.emplace_back("check.independent_threads=true");
  return run(run_command);
}

}  // namespace warpfold::sim
