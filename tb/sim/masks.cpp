// SPDX-License-Identifier: Apache-2.0
// `warpfold masks`: traces of execution masks, put under each lane packing.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tb/sim/commands.h"
#include "tb/sim/labels.h"
#include "tb/sim/output.h"
#include "tb/sim/table.h"
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

struct Row {
  std::string trace, kernel;
  MaskTotals totals;
};

std::vector<Row> rows_of(const std::string& path, bool by_kernel) {
  std::vector<Row> rows;
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
Json figures_of(const MaskTotals& totals) {
  Json json = {{"warp_instructions", totals.instructions()}};
  if (totals.instructions() == 0) return json;
  json["simd_efficiency"] = totals.simd_efficiency();
  for (std::size_t i = 0; i < divergence::kPackings.size(); ++i) {
    json[fmt::format("simd_cycles_{}", divergence::kPackings[i].name)] = totals.cycles(static_cast<Packing>(i));
  }
  json["bcc_saving"] = totals.saving(Packing::kBcc);
  json["scc_saving"] = totals.saving(Packing::kScc);
  return json;
}

std::string table(const std::vector<Row>& rows) {
  NamedTotals totals;
  for (const Row& row : rows) {
    totals.emplace_back(row.kernel.empty() ? row.trace : fmt::format("{} {}", row.trace, readable_kernel(row.kernel)),
                        figures_of(row.totals));
  }
  return savings_table("mask trace", totals);
}

Json json_row(const Row& row) {
  Json json = {{"trace", row.trace}};
  if (!row.kernel.empty()) json["kernel"] = row.kernel;
  json.update(figures_of(row.totals));
  json["active_lanes"] = row.totals.active_lanes();
  if (row.totals.instructions() != 0) json["divergent"] = row.totals.divergent();
  json["utilisation"] = Json::array();
  for (const auto& [shape, instructions] : row.totals.utilisation()) {
    json["utilisation"].push_back(
        {{"width", shape.first}, {"lanes", shape.second}, {"instructions_by_filled_cycles", instructions}});
  }
  return json;
}

std::string csv(const std::vector<Row>& rows) {
  const auto quoted = [](const std::string& text) {
    std::string out;
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    return fmt::format("\"{}\"", out);
  };
  constexpr std::array kColumns{"warp_instructions", "simd_efficiency", "simd_cycles_none", "simd_cycles_ivb",
                                "simd_cycles_bcc",   "simd_cycles_scc", "bcc_saving",       "scc_saving"};
  std::string text = "trace,kernel";
  for (const char* const column : kColumns) text += fmt::format(",{}", column);
  text += '\n';
  for (const Row& row : rows) {
    text += fmt::format("{},{}", quoted(row.trace), quoted(row.kernel));
    const Json figures = figures_of(row.totals);
    for (const char* const column : kColumns) {
      text += ',';
      if (figures.contains(column)) text += figures[column].dump();
    }
    text += '\n';
  }
  return text;
}

std::string report_of(const MasksCommand& command) {
  if (command.json && command.csv) user_error("--json and --csv: give one of them");
  std::vector<Row> rows;
  for (const std::string& path : command.traces) {
    for (Row& row : rows_of(path, command.kernels)) rows.push_back(std::move(row));
  }
  if (command.csv) return csv(rows);
  if (!command.json) return table(rows);
  Json json = Json::array();
  for (const Row& row : rows) json.push_back(json_row(row));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int masks(const MasksCommand& command) {
  deliver(report_of(command), command.out);
  return 0;
}

}  // namespace warpfold::sim
