// SPDX-License-Identifier: Apache-2.0
// `warpfold token-stack`: what the loops of a program's kernels would cost on a token stack.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tb/sim/commands.h"
#include "tb/sim/labels.h"
#include "tb/sim/point.h"
#include "tb/sim/table.h"
#include "warpfold/gpu/token_recorder.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array kGenerations{"kepler", "maxwell"};
constexpr std::array kCounts{"depth", "iterations", "sync_pushes", "div_pushes", "deepest", "spills"};

std::string place_of(const Json& loop) {
  if (loop["depth"] == 0) return "outside loops";
  if (!loop.contains("file")) return fmt::format("PTX line {}", loop["ptx_line"].get<unsigned>());
  return fmt::format("{}:{}", fs::path(loop["file"].get<std::string>()).filename().string(),
                     loop["line"].get<unsigned>());
}

void print_loops(const Point& point) {
  std::ifstream file(fs::path(point.directory()) / kTokenFile);
  const Json json = Json::parse(file);
  std::vector<std::vector<std::string>> rows;
  std::array<std::uint64_t, kGenerations.size()> sums{};
  for (const Json& loop : json["loops"]) {
    if (loop["depth"] == 0 && loop["pops"] == 0) continue;
    std::vector<std::string> row{
        fmt::format("{}, {}", readable_kernel(loop["kernel"].get<std::string>()), place_of(loop))};
    for (const char* const count : kCounts) row.push_back(loop[count].dump());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto cycles = loop["cycles"][kGenerations[i]].get<std::uint64_t>();
      row.push_back(std::to_string(cycles));
      sums[i] += cycles;
    }
    rows.push_back(std::move(row));
  }
  rows.push_back({"total", "", "", "", "", "", "", std::to_string(sums[0]), std::to_string(sums[1])});
  fmt::print("\n{}: tokens of each loop, results in {}\n\n{}", point.program.name, point.place,
             format_table(
                 {"loop", "depth", "iterations", "SYNC", "DIV", "deepest", "spills", "Kepler cycles", "Maxwell cycles"},
                 rows));
}

}  // namespace

int token_stack(const TokenStackCommand& command) {
  RunCommand run_command = command;
  run_command.show = [](const Point& point) {
    if (point.state == Point::State::kDone) print_loops(point);
  };
  return run(run_command);
}

}  // namespace warpfold::sim
