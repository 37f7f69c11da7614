// SPDX-License-Identifier: Apache-2.0
// `warpfold profile`: where a program diverges, by branch and source line (docs/profiling.md).
#include <fmt/format.h>

#include <filesystem>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/tables/profile_data.h"
#include "tb/sim/tables/profile_tables.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> header_of(const Point& point) {
  const RunOptions& options = point.options;
  std::vector<std::string> lines{fmt::format("{} on {} under {}, results in {}", point.program.name,
                                             options.machine_name, point.name(), point.place)};
  if (point.state != Point::State::kDone) {
    lines.push_back(fmt::format(
        "the run failed ({}): what follows is of the launches that had ended when results were last written",
        point.reason));
    return lines;
  }
  const nlohmann::json& total = point.stats["total"];
  std::string figures;
  if (total.contains("cycles")) figures = fmt::format("{} cycles, ", total["cycles"].get<std::uint64_t>());
  lines.push_back(fmt::format("{}SIMD efficiency {:.1f}%", figures, 100 * total.value("simd_efficiency", 0.0)));
  return lines;
}

Json figures_of(const Point& point, const std::vector<KernelProfile>& kernels) {
  Json json = Json::object();
  json["program"] = point.program.name;
  json["machine"] = point.options.machine_name;
  json["mechanism"] = point.name();
  json["timing"] = Choices<Timing>::names[static_cast<std::size_t>(point.options.timing)];
  json["finished"] = point.state == Point::State::kDone;
  json["results"] = point.place;
  if (point.state == Point::State::kDone) {
    for (const char* figure : {"cycles", "simd_efficiency"}) {
      if (const auto& total = point.stats["total"]; total.contains(figure)) json[figure] = total[figure];
    }
  }
  json["kernels"] = profile_report(kernels);
  return json;
}

void show(const ProfileCommand& command, const Point& point) {
  const fs::path file = fs::path(point.directory()) / "profile.json";
  if (point.state != Point::State::kDone && !fs::exists(file)) return;
  const std::vector<KernelProfile> kernels = read_profile(file);
  if (command.output.json && command.output.table.empty()) {
    fmt::print("{}\n", figures_of(point, kernels).dump(1, ' ', false, Json::error_handler_t::replace));
  } else {
    if (!quiet() && !command.output.asked()) fmt::print("\n");
    deliver({header_of(point), profile_tables(kernels, command.lines), false, "lines"}, command.output);
  }
  if (!command.likely_convergence.empty()) {
    write_whole_file(command.likely_convergence, likely_convergence_file(kernels));
  }
}

// Told before a long run, not after it.
void check_place(const char* option, const std::string& file) {
  if (file.empty()) return;
  const fs::path directory = fs::absolute(file).parent_path();
  if (fs::is_directory(file)) user_error("{} {}: this is a directory; name a file", option, file);
  if (!fs::is_directory(directory)) user_error("{} {}: there is no directory {}", option, file, directory.string());
}

}  // namespace

int profile(const ProfileCommand& command) {
  check_place("--likely-convergence", command.likely_convergence);
  RunCommand run_command = command;
  run_command.profile = true;
  run_command.show = [&](const Point& point) { show(command, point); };
  return run(run_command);
}

}  // namespace warpfold::sim
