// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda_fuzz/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "warpfold/common/error.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/isa/kernel.h"

namespace warpfold::cuda_fuzz {
namespace {

struct Dimension {
  std::string Cell::*place;
  std::vector<std::string> values;
};

template <class Choice>
std::vector<std::string> names_of() {
  return {Choices<Choice>::names.begin(), Choices<Choice>::names.end()};
}

std::vector<Dimension> dimensions(const std::string& machine) {
  return {{&Cell::mode, {"cycle", "functional", "sampled", "detail", "check", "threads"}},
          {&Cell::machine, machine.empty() ? config_names("machines") : std::vector<std::string>{machine}},
          {&Cell::warp, {"4", "8", "16", "32", "64"}},
          {&Cell::scoreboard, names_of<ScoreboardKind>()},
          {&Cell::lane_map, names_of<isa::LaneMap>()}};
}

constexpr unsigned kLaunches = 6;  // of which sampling leaves some out
constexpr unsigned kDraws = 12;    // of the other dimensions, before a value counts as refused
// A deep walk by 128 pairs of lanes takes 9 million where the stack of a block runs one pair after the other, and a
// kernel may have several. What does not end takes the host half a minute.
constexpr unsigned kCyclesAtMost = 100'000'000;

void set_mode(const std::string& mode, RunOptions& options) {
  if (mode == "functional") options.timing = Timing::kFunctional;
  if (mode == "sampled") options.sample = SampleChoice::parse("10%", "mode");
  if (mode == "detail")
    options.detail = Detail::parse(fmt::format("{}-{}", kLaunches / 3, kLaunches / 2), "mode", "detail");
  if (mode == "check") options.machine.check.memory = options.machine.check.races = true;
  if (mode == "threads") options.threads = 2, options.pace = Pace::Rule::kApart;
}

DrawnCell tried(const Cell& cell, const std::vector<std::string>& sets) {
  try {
    const RunOptions options = options_of(cell, sets);
    return {cell, "", options.run_file(), options.machine.core.warp_size};
  } catch (const UserError& error) {
    return {cell, error.what(), "", 0};
  }
}

// docs/warp-synchronous.md, "Members on the other side of a branch".
void refuse_orders_of_each_warp(const MechanismVariant& variant, unsigned warp_size) {
  if (warp_size >= isa::kArchitecturalWarp ||
      std::ranges::count(variant.sets, "mechanism.branch_order=fewest_first") == 0)
    return;
  throw UserError(
      fmt::format("{}: warps of {} that share a warp's collectives may run the sides of one branch in different "
                  "orders, and wait for "
                  "each other",
                  variant.name(), warp_size));
}

// The cell with one dimension as it is, or none, and the others drawn.
DrawnCell drawn(Cell cell, const Dimension* fixed, const CellChoice& choice, std::mt19937& random) {
  DrawnCell first;
  for (unsigned draws = 0; draws < kDraws; ++draws) {
    for (const Dimension& dimension : dimensions(choice.machine)) {
      if (fixed != nullptr && fixed->place == dimension.place) continue;
      // A machine as it comes refuses least.
      const bool as_it_comes = dimension.place != &Cell::mode && dimension.place != &Cell::machine && random() % 2 == 0;
      cell.*dimension.place = as_it_comes ? "" : dimension.values[random() % dimension.values.size()];
    }
    const DrawnCell found = tried(cell, choice.sets);
    if (found.refused.empty()) return found;
    if (draws == 0) first = found;
  }
  return first;
}

}  // namespace

std::string Cell::name() const {
  std::string text = variant.name() + " " + mode + " " + machine;
  for (const auto& [key, value] : {std::pair{"warps of ", warp}, {"", scoreboard}, {"", lane_map}}) {
    if (!value.empty()) text += std::string(" ") + key + value;
  }
  return text;
}

unsigned launches_of(const Cell& cell) { return cell.mode == "sampled" || cell.mode == "detail" ? kLaunches : 1; }

RunOptions options_of(const Cell& cell, const std::vector<std::string>& sets) {
  std::vector<std::string> all{"cores=2", fmt::format("cycle_limit={}", kCyclesAtMost)};
  const CoreParams own = RunOptions::resolve(cell.machine, "pdom", {}).machine.core;
  // Generated blocks have up to 1024 threads.
  all.push_back(fmt::format("core.max_threads={}", std::max(own.max_threads, 1024U)));
  all.push_back(fmt::format("core.registers={}", std::max(own.registers, 65536U)));
  const unsigned warp_size = cell.warp.empty() ? own.warp_size : static_cast<unsigned>(std::stoul(cell.warp));
  refuse_orders_of_each_warp(cell.variant, warp_size);
  if (!cell.warp.empty()) {
    all.push_back("core.warp_size=" + cell.warp);
    all.push_back(fmt::format("core.simd_width={}", std::min(own.simd_width, warp_size)));
  }
  if (!cell.scoreboard.empty()) all.push_back("core.scoreboard=" + cell.scoreboard);
  if (!cell.lane_map.empty()) all.push_back("core.lane_map=" + cell.lane_map);
  const std::vector<std::string> taken_with = sets_on(cell.machine, cell.variant.mechanism, warp_size);
  all.insert(all.end(), taken_with.begin(), taken_with.end());
  all.insert(all.end(), cell.variant.sets.begin(), cell.variant.sets.end());
  all.insert(all.end(), sets.begin(), sets.end());
  RunOptions options = RunOptions::resolve(cell.machine, cell.variant.mechanism, all);
  set_mode(cell.mode, options);
  const GpuSetup taken(options);
  return options;
}

std::vector<DrawnCell> draw_cells(const CellChoice& choice, std::uint32_t draw) {
  std::mt19937 random(draw);
  std::vector<DrawnCell> cells;
  for (const MechanismVariant& variant : choice.variants) {
    if (!variant.sets.empty()) {
      cells.push_back(drawn({variant, "", "", "", "", ""}, nullptr, choice, random));
      continue;
    }
    for (const Dimension& dimension : dimensions(choice.machine)) {
      for (const std::string& value : dimension.values) {
        Cell cell{variant, "", "", "", "", ""};
        cell.*dimension.place = value;
        cells.push_back(drawn(cell, &dimension, choice, random));
      }
    }
  }
  return cells;
}

}  // namespace warpfold::cuda_fuzz
