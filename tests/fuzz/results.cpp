// SPDX-License-Identifier: Apache-2.0
// Result files as `compare`, `run` and `area --results` read them. An input holds the three files, each behind a line
// "=== NAME"; what comes before the first is none of them.
#include <sstream>

#include "tb/sim/area/area_subject.h"
#include "tb/sim/area/area_tables.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/tables/table.h"
#include "tests/fuzz/harness.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

void write_parts(const fuzz::Folder& folder, const std::string& directory, const std::string& text) {
  std::string name, part;
  const auto put = [&] {
    if (name == "stats.json" || name == "run.json" || name == "config.effective.yaml") {
      folder.write(directory + "/" + name, part);
    }
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("=== ")) {
      part += line + "\n";
      continue;
    }
    put();
    name = line.substr(4);
    part.clear();
  }
  put();
}

void read_as_compare(const std::filesystem::path& directory) {
  Point point;
  point.program.name = "program";
  point.options = RunOptions::resolve("tbc2011", "pdom", {});
  point.options.out = directory;
  collect(point);
  if (point.state != Point::State::kDone) return;
  resource_table(point.stats);
  kernel_table(point.stats, 32);
  comparison_table({&point});
  filling_warning({&point});
  speedup_table({{&point}});
  savings_tables({{&point}});
}

// Without the RTL blocks, which tools outside of this process synthesise.
void read_as_area(const std::filesystem::path& directory) {
  AreaCommand command;
  command.results = {directory};
  std::vector<CostedSubject> runs;
  for (AreaSubject& subject : area_subjects(command)) {
    subject.hardware.logic.clear();
    const HardwareCost cost = cost_of({subject.hardware}, {subject.label}, CostSettings{}).at(0);
    runs.push_back({std::move(subject), cost});
  }
  OutputOptions json;
  json.json = true;
  text_of({{}, {run_table(runs, command), mechanism_table(runs, command), structure_table(runs)}}, json, 0);
}

}  // namespace
}  // namespace warpfold::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpfold;
  static const fuzz::Folder folder;
  const std::filesystem::path run = folder.path() / "program" / "pdom";
  std::filesystem::remove_all(run);
  std::filesystem::create_directories(run);
  sim::write_parts(folder, "program/pdom", fuzz::text_of(data, size));
  fuzz::accepted([&] { sim::read_as_compare(run); });
  fuzz::accepted([&] { sim::read_as_area(run); });
  return 0;
}
