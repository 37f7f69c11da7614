// SPDX-License-Identifier: Apache-2.0
// `warpfold masks`: traces of execution masks, put under each lane packing.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/labels.h"
#include "tb/sim/tables/figures.h"
#include "tb/sim/tables/table.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/packing/mask_trace.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using divergence::MaskRecord;
using divergence::MaskTotals;
using divergence::Packing;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostKernels = 100'000;  // of a trace

struct Traced {
  std::string trace, kernel;
  MaskTotals totals;
};

std::vector<Traced> traced_in(const std::string& path, bool by_kernel) {
  std::vector<Traced> rows;
  std::map<std::string, std::size_t> places;
  const std::string name = path == "-" ? "standard input" : fs::path(path).stem().string();
  if (!by_kernel) rows.push_back({name, "", {}});
  std::size_t place = 0;
  divergence::read_mask_trace(
      path == "-" ? "/dev/stdin" : path, [&](const std::string& kernel, const MaskRecord& record) {
        if (by_kernel && (rows.empty() || rows[place].kernel != kernel)) {
          const auto [at, fresh] = places.try_emplace(kernel, rows.size());
          if (fresh && rows.size() == kMostKernels) return fmt::format("more than {} kernels", kMostKernels);
          if (fresh) rows.push_back({name, kernel, {}});
          place = at->second;
        }
        return rows[place].totals.add(record) ? std::string() : "the trace's instructions no longer fit 64 bits";
      });
  return rows;
}

// Named as in stats.json.
nlohmann::json figures_of(const MaskTotals& totals) {
  nlohmann::json json = {{"warp_instructions", totals.instructions()}};
  if (totals.instructions() == 0) return json;
  json["simd_efficiency"] = totals.simd_efficiency();
  for (std::size_t i = 0; i < divergence::kPackings.size(); ++i) {
    json[fmt::format("simd_cycles_{}", divergence::kPackings[i].name)] = totals.cycles(static_cast<Packing>(i));
  }
  json["bcc_saving"] = totals.saving(Packing::kBcc);
  json["scc_saving"] = totals.saving(Packing::kScc);
  return json;
}

Json utilisation_of(const MaskTotals& totals) {
  Json all = Json::array();
  for (const auto& [shape, instructions] : totals.utilisation()) {
    all.push_back({{"width", shape.first}, {"lanes", shape.second}, {"instructions_by_filled_cycles", instructions}});
  }
  return all;
}

Report report_of(const MasksCommand& command) {
  std::vector<Traced> traced;
  for (const std::string& path : command.traces) {
    for (Traced& one : traced_in(path, command.kernels)) traced.push_back(std::move(one));
  }
  std::vector<nlohmann::json> totals;
  for (const Traced& one : traced) totals.push_back(figures_of(one.totals));
  ReportTable table{"traces", "", {{"trace", "mask trace"}, {"kernel", "", kPrograms}}, {}};
  const std::vector<Column> figures = figure_columns(nlohmann::json::object(), 0);
  const auto has = [](const Column& column) { return column.audience == kAll; };  // others are of cycles
  std::copy_if(figures.begin(), figures.end(), std::back_inserter(table.columns), has);
  for (const char* name : {"active_lanes", "divergent"}) table.columns.push_back({name, "", kPrograms});
  table.columns.push_back({"utilisation", "", kJson});
  for (std::size_t i = 0; i < traced.size(); ++i) {
    const auto& [trace, kernel, lanes] = traced[i];
    Row row{{{trace, kernel.empty() ? trace : fmt::format("{} {}", trace, readable_kernel(kernel))}}};
    row.cells.push_back(kernel.empty() ? Cell() : Cell(kernel));
    const std::vector<Cell> cells = figure_cells(totals[i]);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (has(figures[k])) row.cells.push_back(cells[k]);
    }
    row.cells.push_back(count(static_cast<double>(lanes.active_lanes())));
    row.cells.push_back(lanes.instructions() == 0 ? Cell() : Cell(lanes.divergent(), ""));
    row.cells.emplace_back(utilisation_of(lanes), "");
    table.rows.push_back(std::move(row));
  }
  if (!traced.empty()) add_savings_of_all(table, totals);
  return {{}, {std::move(table)}, true};
}

}  // namespace

int masks(const MasksCommand& command) {
  command.output.format();  // before files are read
  deliver(report_of(command), command.output, command.out);
  return 0;
}

}  // namespace warpfold::sim
