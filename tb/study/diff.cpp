// SPDX-License-Identifier: Apache-2.0
// `warpfold study diff`: the same runs in two stores, or of two versions of the simulator in one.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tb/sim/tables/report.h"
#include "tb/study/commands.h"
#include "tb/study/store.h"
#include "tb/study/views.h"
#include "warpfold/common/error.h"

namespace warpfold::study {
namespace {

// What a run is, whatever the version of simulator and program.
constexpr const char* kIdentity =
    "program, arguments, decided_by ->> '$.inputs' AS inputs, machine, mechanism, packing, timing, detail, code, "
    "settings";

using Identity = std::vector<std::string>;
using Runs = std::map<Identity, std::vector<Rows::Cell>>;  // statistics, in the order asked for

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) words.push_back(word);
  if (words.empty()) user_error("--statistics: give at least one");
  return words;
}

// The latest of each; of one version of the simulator where it is named.
Runs runs_of(const std::string& folder, const std::string& simulator, const std::vector<std::string>& statistics) {
  Store store(folder, Store::Access::kRead);
  std::string sql = fmt::format("SELECT {}", kIdentity);
  for (const std::string& name : statistics) sql += fmt::format(", \"{}\"", name);
  sql += " FROM run JOIN statistics ON statistics.run = run.key WHERE state = 'ok'";
  if (!simulator.empty()) sql += " AND simulator LIKE " + quoted(simulator + "%");
  const Rows rows = store.query(sql + " ORDER BY run.rowid", "--statistics");
  if (rows.rows.empty()) {
    user_error("{}: no runs{}{} in this store", folder, simulator.empty() ? "" : " of simulator ", simulator);
  }
  const std::size_t parts = rows.header.size() - statistics.size();
  Runs runs;
  for (const auto& row : rows.rows) {
    Identity identity;
    for (std::size_t i = 0; i < parts; ++i) identity.push_back(row[i].value_or(""));
    runs[identity] = {row.begin() + static_cast<std::ptrdiff_t>(parts), row.end()};
  }
  return runs;
}

std::string said_of(const Identity& identity) {
  std::string text;
  for (const std::string& part : identity) {
    const bool usual =
        part.empty() || part == "{}" || part == "[]" || part == "none" || part == "cycle" || part == "placed";
    if (usual) continue;
    if (!text.empty()) text.push_back(' ');
    text += part;
  }
  return text;
}

// In per cent of the first; nothing where it is none.
std::optional<double> change(const Rows::Cell& first, const Rows::Cell& second) {
  if (first == second) return 0;
  if (!first || !second) return std::nullopt;
  const double before = std::strtod(first->c_str(), nullptr), after = std::strtod(second->c_str(), nullptr);
  if (before == 0) return std::nullopt;
  return 100 * (after - before) / std::abs(before);
}

sim::Cell cell_of(const Rows::Cell& cell) { return cell ? sim::parsed(*cell) : sim::Cell(); }

}  // namespace

int diff(const DiffCommand& command) {
  const std::vector<std::string> statistics = words_in(command.statistics);
  const std::string second = command.second.empty() ? command.first : command.second;
  if (second == command.first && (command.from.empty() || command.to.empty())) {
    user_error("give two stores, or --from and --to: two versions of the simulator in one (column simulator of `run`)");
  }
  const Runs before = runs_of(command.first, command.from, statistics), after = runs_of(second, command.to, statistics);
  sim::ReportTable table{"runs",
                         "",
                         {{"run", "run"},
                          {"statistic", "statistic", sim::kAll, true},
                          {"before", "before"},
                          {"after", "after"},
                          {"change", "change"}},
                         {}};
  std::size_t both = 0, only_before = 0, differ = 0;
  for (const auto& [identity, values] : before) {
    const auto found = after.find(identity);
    if (found == after.end()) {
      ++only_before;
      continue;
    }
    ++both;
    bool same = true;
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      const auto changed = change(values[i], found->second[i]);
      if (changed && std::abs(*changed) <= command.threshold) continue;
      same = false;
      table.rows.push_back({{said_of(identity), statistics[i], cell_of(values[i]), cell_of(found->second[i]),
                             changed ? sim::Cell(*changed / 100, fmt::format("{:+.2f}%", *changed)) : sim::Cell()}});
    }
    differ += same ? 0 : 1;
  }
  sim::Report report;
  report.single = true;
  const std::string summary =
      fmt::format("{} runs in both: {} differ by more than {}%; {} only in the first, {} only in the second", both,
                  differ, command.threshold, only_before, after.size() - both);
  if (table.rows.empty()) table.audience = sim::kPrograms;
  table.footer = summary + "\n";
  report.notes.assign(table.rows.empty() ? 1 : 0, summary);
  report.tables.push_back(std::move(table));
  sim::deliver(report, command.output);
  if (both == 0) user_error("no run is in both: these are results of different studies");
  return differ == 0 ? 0 : 1;
}

}  // namespace warpfold::study
