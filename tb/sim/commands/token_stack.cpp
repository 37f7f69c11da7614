// SPDX-License-Identifier: Apache-2.0
// `warpfold token-stack`: what the loops of a program's kernels would cost on a token stack.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/labels.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/point.h"
#include "tb/sim/tables/report.h"
#include "warpfold/gpu/record/token_recorder.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

using Named = std::pair<const char*, const char*>;  // in the file, and for people
constexpr std::array kGenerations{Named{"kepler", "Kepler"}, Named{"maxwell", "Maxwell"}};
constexpr std::array kCounts{Named{"depth", "depth"},      Named{"iterations", "iterations"},
                             Named{"sync_pushes", "SYNC"}, Named{"div_pushes", "DIV"},
                             Named{"deepest", "deepest"},  Named{"spills", "spills"}};

std::string place_of(const Json& loop) {
  if (loop["depth"] == 0) return "outside loops";
  if (!loop.contains("file")) return fmt::format("PTX line {}", loop["ptx_line"].get<unsigned>());
  return fmt::format("{}:{}", fs::path(loop["file"].get<std::string>()).filename().string(),
                     loop["line"].get<unsigned>());
}

Report report_of(const Point& point) {
  std::ifstream file(fs::path(point.directory()) / kTokenFile);
  const Json json = Json::parse(file);
  ReportTable table{"loops", "", {{"loop", "loop"}, {"kernel", "", kPrograms}, {"place", "", kPrograms}}, {}};
  for (const auto& [name, title] : kCounts) table.columns.push_back({name, title});
  for (const auto& [name, title] : kGenerations) {
    table.columns.push_back({fmt::format("{}_cycles", name), fmt::format("{} cycles", title)});
  }
  std::array<double, kGenerations.size()> sums{};
  for (const Json& loop : json["loops"]) {
    if (loop["depth"] == 0 && loop["pops"] == 0) continue;
    const std::string kernel = loop["kernel"].get<std::string>(), place = place_of(loop);
    Row row{{fmt::format("{}, {}", readable_kernel(kernel), place), kernel, place}};
    for (const auto& [name, unused] : kCounts) row.cells.push_back(count(loop[name].get<double>()));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto cycles = loop["cycles"][kGenerations[i].first].get<double>();
      row.cells.push_back(count(cycles));
      sums[i] += cycles;
    }
    table.rows.push_back(std::move(row));
  }
  Row total{std::vector<Cell>(table.columns.size() - sums.size(), Cell("")), "", true};
  total.cells.front() = "total";
  for (const double sum : sums) total.cells.push_back(count(sum));
  table.rows.push_back(std::move(total));
  return {{fmt::format("{}: tokens of each loop, results in {}", point.program.name, point.place)},
          {std::move(table)},
          true};
}

}  // namespace

int token_stack(const TokenStackCommand& command) {
  RunCommand run_command = command;
  run_command.show = [&](const Point& point) {
    if (point.state != Point::State::kDone) return;
    if (!quiet() && !command.output.asked()) fmt::print("\n");
    deliver(report_of(point), command.output);
  };
  return run(run_command);
}

}  // namespace warpfold::sim
