// SPDX-License-Identifier: Apache-2.0
#include "tb/study/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tb/sim/runs/modules.h"
#include "tb/study/timeline.h"
#include "tb/study/views.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr unsigned kMostTimelines = 12;
constexpr std::size_t kSlicesOfPoints = 20'000;  // of each: 300 KB of the page

// What the table of points and the chart of issue slots show of a run.
constexpr const char* kStatistics[] = {
    "cycles",       "schedulers",   "ipc",          "simd_efficiency", "l1d_hit_rate", "l2_hit_rate", "dram_bytes",
    "stall",        "w0_fetch",     "w0_mem",       "w0_idle",         "issue_w1_4",   "issue_w5_8",  "issue_w9_12",
    "issue_w13_16", "issue_w17_20", "issue_w21_24", "issue_w25_28",    "issue_w29_32",
};

Json cell_json(const Rows::Cell& cell, bool numeric) {
  if (!cell) return nullptr;
  if (!numeric) return *cell;
  const Json number = Json::parse(*cell, nullptr, false);
  return number.is_number() ? number : Json();
}

Json table(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cell_json(row[i], rows.numeric[i]));
    list.push_back(std::move(cells));
  }
  return {{"columns", rows.header}, {"rows", std::move(list)}};
}

class Collector {
 public:
  Collector(const Study& study, Store& store) : study_(study), store_(store), name_(quoted(study.name)) {}

  Rows query(const std::string& sql) const { return store_.query(sql, store_.folder()); }

  std::vector<std::string> list(const std::string& sql) const {
    std::vector<std::string> values;
    for (const auto& row : query(sql).rows) values.push_back(row.at(0).value_or(""));
    return values;
  }

  std::vector<std::string> variants() const {
    return list(fmt::format("SELECT variant FROM point WHERE study = {} GROUP BY variant ORDER BY min(number)", name_));
  }

  std::string baseline() const {
    const auto found = list(fmt::format(
        "SELECT p.variant FROM point p JOIN study t ON t.name = p.study AND t.baseline_mechanism = p.mechanism AND "
        "t.baseline_packing = p.packing WHERE p.study = {} LIMIT 1",
        name_));
    return found.empty() ? study_.baseline_mechanism : found.front();
  }

  Json versions() const {
    return list(fmt::format(
        "SELECT DISTINCT r.warpfold FROM run r JOIN point p ON p.key = r.key WHERE p.study = {} ORDER BY 1", name_));
  }

  Json points() const {
    std::string statistics;
    for (const char* const name : kStatistics) statistics += fmt::format(", r.\"{}\"", name);
    std::string same;
    for (const char* const column :
         {"part", "machine", "workload", "input", "size", "timing", "code", "machine_settings", "settings", "variant"})
      same += fmt::format("{}v.{} = r.{}", same.empty() ? "" : " AND ", column, column);
    return table(query(fmt::format(
        "WITH s AS MATERIALIZED (SELECT number, base_cycles, speedup FROM speedup WHERE study = {0}), "
        "v AS MATERIALIZED (SELECT * FROM verdict WHERE study = {0}) "
        "SELECT r.number, r.part, r.workload, r.input, r.size, r.seed, r.machine, r.variant, r.timing, r.code, "
        "r.settings, r.machine_settings, r.state, r.reason, "
        "coalesce(v.caution, r.caution) AS caution, r.directory{1}, s.base_cycles, s.speedup, "
        "v.verdict, v.low, v.high "
        "FROM result r LEFT JOIN s ON s.number = r.number LEFT JOIN v ON {2} WHERE r.study = {0} ORDER BY r.number",
        name_, statistics, same)));
  }

  Json means() const {
    return table(query(fmt::format(
        "SELECT part, machine, size, timing, code, machine_settings, settings, variant, workloads, n, speedup, low, "
        "high, verdict, caution FROM mean WHERE study = {}",
        name_)));
  }

  // What the slots that a run has more or less than its baseline went to.
  Json causes() const {
    return table(
        query(fmt::format("SELECT part, machine, workload, variant, settings, cause, avg(difference) AS difference "
                          "FROM slots WHERE study = {} GROUP BY 1, 2, 3, 4, 5, 6 HAVING avg(difference) <> 0",
                          name_)));
  }

  Json area() const {
    return table(query(fmt::format("SELECT machine, variant, added_mm2, note FROM area WHERE study = {}", name_)));
  }

  // By the study file as it is now, whatever it was when the store's views were made.
  Json figures() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < study_.figures.size(); ++i) {
      const Figure& figure = study_.figures[i];
      Json one = study_.definition.at("figures").at(i);
      one.erase("sql");
      one["view"] = view_name(study_, figure.name);
      one.update(table(store_.query(figure_query(figure.sql, study_.name), figure.place + ": figure " + figure.name)));
      list.push_back(std::move(one));
    }
    return list;
  }

  // Of each machine all values that its points have.
  Json machines() const {
    const Rows rows = query(
        fmt::format("SELECT r.machine, c.parameters FROM result r JOIN configuration c ON c.digest = r.configuration "
                    "WHERE r.study = {} GROUP BY r.machine, r.configuration ORDER BY min(r.number)",
                    name_));
    Json list = Json::array();
    for (const auto& row : rows.rows) {
      const auto same = [&](const Json& machine) { return machine["name"] == *row[0]; };
      auto at = std::find_if(list.begin(), list.end(), same);
      if (at == list.end()) {
        list.push_back({{"name", *row[0]}, {"parameters", Json::object()}});
        at = std::prev(list.end());
      }
      const Json parameters = Json::parse(*row[1]);
      for (const auto& [path, value] : parameters.items()) {
        if (path.starts_with("mechanism.")) continue;
        Json& values = (*at)["parameters"][path];
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      }
    }
    return list;
  }

  Json timelines() const {
    const Rows rows = query(fmt::format(
        "SELECT number, directory, workload, variant, machine, seed FROM result WHERE study = {} AND state = 'ok' "
        "ORDER BY number",
        name_));
    Json list = Json::array();
    for (const auto& row : rows.rows) {
      if (list.size() == kMostTimelines) break;
      const fs::path file = fs::path(store_.folder()) / *row[1] / "trace.json";
      if (!fs::exists(file)) continue;
      auto timeline = read_timeline(file, kStretches, kSlicesOfPoints);
      if (!timeline) continue;
      (*timeline)["number"] = std::stoul(*row[0]);
      (*timeline)["label"] =
          fmt::format("{} · {} · {}{}", *row[2], *row[3], *row[4], row[5] ? " · seed " + *row[5] : "");
      (*timeline)["directory"] = *row[1];
      list.push_back(std::move(*timeline));
    }
    return list;
  }

 private:
  const Study& study_;
  Store& store_;
  const std::string name_;
};

// Units and meanings of a machine's values.
Json meanings() {
  Json all = Json::object();
  for (const FieldView& field : fields_of(MachineConfig{})) {
    if (!field.section()) all[field.path] = {{"unit", field.unit}, {"help", field.meaning}};
  }
  return all;
}

// SystemC makes one machine in a process: where a page is made again with another one, there are none.
Json boxes(const Json& machines) {
  static std::string made;
  static Json pairs = Json::array();
  const std::vector<std::string> known = config_names("machines");
  std::string machine = machines.empty() ? "" : machines.front()["name"].get<std::string>();
  if (std::find(known.begin(), known.end(), machine) == known.end()) machine = sim::kUsualMachine;
  if (!made.empty()) return made == machine ? pairs : Json::array();
  made = machine;
  for (const sim::Binding& binding : sim::bindings_of(machine)) {
    const Json pair{binding.from, binding.to};
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace

Json report_data(const Study& study, Store& store, const std::string& links) {
  const Collector of(study, store);
  Json points = of.points();
  if (points["rows"].empty()) {
    user_error("{}: nothing of study {} is in this store: warpfold study run", store.folder(), study.name);
  }
  Json machines = of.machines();
  Json modules = boxes(machines);
  return {
      {"name", study.name},
      {"file", fs::path(study.file).filename()},
      {"title", study.title},
      {"question", study.question},
      {"paper", study.definition.value("paper", "")},
      {"quick", study.quick},
      {"baseline", of.baseline()},
      {"variants", of.variants()},
      {"warpfold", WARPFOLD_VERSION},
      {"versions", of.versions()},
      {"links", links},
      {"figures", of.figures()},
      {"points", std::move(points)},
      {"means", of.means()},
      {"causes", of.causes()},
      {"area", of.area()},
      {"machines", std::move(machines)},
      {"parameters", meanings()},
      {"modules", std::move(modules)},
      {"timelines", of.timelines()},
  };
}

Json page_without_points(const std::string& name, const std::string& title, const std::string& text, Json figures) {
  const Json none{{"columns", Json::array()}, {"rows", Json::array()}};
  return {{"name", name},
          {"title", title},
          {"question", text},
          {"paper", ""},
          {"quick", false},
          {"baseline", ""},
          {"variants", Json::array()},
          {"warpfold", WARPFOLD_VERSION},
          {"versions", {WARPFOLD_VERSION}},
          {"links", ""},
          {"figures", std::move(figures)},
          {"points", none},
          {"machines", Json::array()},
          {"parameters", Json::object()}};
}

}  // namespace warpfold::study
