// SPDX-License-Identifier: Apache-2.0
#include "tb/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "tb/sim/runs/catalog.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::study {
namespace {

using Json = nlohmann::ordered_json;

// Of a part, in the order of its points: what comes last changes fastest.
const std::vector<std::string> kAxes{"machine", "size",      "workload", "input", "timing",
                                     "code",    "mechanism", "simd",     "seed"};

constexpr const char* kUsual = "default";  // size

double number_in(const ConfigNode& node) {
  char* end = nullptr;
  const double value = std::strtod(node.scalar().c_str(), &end);
  if (node.scalar().empty() || *end != '\0' || !(value > 0) || value > 1e9) node.reject("must be a number above 0");
  return value;
}

bool flag_in(const ConfigNode& table, const char* key) {
  return table.find(key) != nullptr && config_detail::read_flag(table.value(key));
}

std::string text_in(const ConfigNode& table, const char* key, const std::string& otherwise) {
  return table.find(key) == nullptr ? otherwise : table.value(key).scalar();
}

// 5: the seeds 1 to 5; a list: those; 0: the programs' own inputs.
std::vector<std::string> seeds_of(const ConfigNode& node) {
  if (node.is_list()) return values_of(node);
  const std::string& text = node.scalar();
  const auto count = config_detail::read_unsigned(node, 0, 10'000, false, "seeds");
  if (count == 0) return {""};
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= count; ++seed) seeds.push_back(std::to_string(seed));
  return text.empty() ? std::vector<std::string>{""} : seeds;
}

// With the sets in the place of their members.
std::vector<std::string> workloads_in(const ConfigNode& node) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  for (const std::string& text : values_of(node)) {
    if (text == "all") {
      for (const sim::Workload& workload : sim::find_workloads()) add(workload.name);
      continue;
    }
    if (!sim::names_a_set(text)) {
      add(text);
      continue;
    }
    try {
      for (const std::string& name : sim::workloads_of(text)) add(name);
    } catch (const UserError& error) {
      user_error("{}: {}: {}", node.place(), node.path(), error.what());
    }
  }
  return all;
}

// What a study file says for all parts, and what `quick` puts in its place.
class Reader {
 public:
  Reader(const ConfigNode& root, bool quick) : root_(root), quick_(quick ? root.find("quick") : nullptr) {
    if (quick && quick_ == nullptr) {
      user_error("{}: this study has no quick form (a table `quick` with size, seeds, parts or workload)",
                 root.place());
    }
    if (quick_ != nullptr) quick_->only(keys_below(study_keys(), "quick."));
  }

  std::vector<Choice> choices() const {
    root_.list("points");
    std::vector<Choice> all;
    std::vector<std::string> names;
    for (const ConfigNode& part : root_.find("points")->nodes()) {
      if (!part.is_table()) user_error("{}: {}: expected a table of lists", part.place(), part.path());
      const std::string& name = part.value("part").scalar();
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        part.value("part").reject("another part has this name");
      }
      check_part_name(part.value("part"));
      names.push_back(name);
      if (!wanted(name)) continue;
      for (Choice& choice : choices_of(part, name)) all.push_back(std::move(choice));
      if (all.size() > kMostPoints) user_error("{}: more than {} points", part.place(), kMostPoints);
    }
    check_parts(names);
    if (all.empty()) user_error("{}: no point is left of this study", root_.place());
    return all;
  }

 private:
  // It stands in tables, and names a folder.
  static void check_part_name(const ConfigNode& node) {
    constexpr std::size_t kLongest = 100;
    const std::string& name = node.scalar();
    const bool plain = std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < ' ' || c == 127; });
    if (name.empty() || !plain || name.size() > kLongest || name.find('/') != std::string::npos || name == "." ||
        name == "..") {
      node.reject(fmt::format("a part's name has 1 to {} bytes, no '/' and no control characters", kLongest));
    }
  }

  bool wanted(const std::string& part) const {
    const ConfigNode* const parts = quick_ == nullptr ? nullptr : quick_->find("parts");
    if (parts == nullptr) return true;
    const auto names = values_of(*parts);
    return std::find(names.begin(), names.end(), part) != names.end();
  }

  void check_parts(const std::vector<std::string>& known) const {
    const ConfigNode* const parts = quick_ == nullptr ? nullptr : quick_->find("parts");
    if (parts == nullptr) return;
    for (const std::string& name : values_of(*parts)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        user_error("{}: {}: no part '{}'", parts->place(), parts->path(), name);
      }
    }
  }

  // Of the part, else of the whole study; what `quick` says comes before both.
  const ConfigNode* find_in(const ConfigNode& part, const char* key, bool of_quick) const {
    if (of_quick && quick_ != nullptr && quick_->find(key) != nullptr) return quick_->find(key);
    return part.find(key) != nullptr ? part.find(key) : root_.find(key);
  }

  static std::vector<std::string> workloads(const ConfigNode& part) {
    const ConfigNode* const node = part.find("workload");
    if (node == nullptr) user_error("{}: {}: no workload is named", part.place(), part.path());
    return workloads_in(*node);
  }

  // A quick study may leave workloads out.
  bool kept(const Values& values) const {
    const ConfigNode* const few = quick_ == nullptr ? nullptr : quick_->find("workload");
    if (few == nullptr) return true;
    const std::vector<std::string> wanted = workloads_in(*few);
    return std::find(wanted.begin(), wanted.end(), *find(values, "workload")) != wanted.end();
  }

  std::vector<std::string> values(const ConfigNode& part, const std::string& key) const {
    if (key == "workload") return workloads(part);
    if (key == "seed") {
      const ConfigNode* const seeds = find_in(part, "seeds", true);
      return seeds == nullptr ? std::vector<std::string>{""} : seeds_of(*seeds);
    }
    const ConfigNode* const node = find_in(part, key.c_str(), false);
    if (key == "size") return resized(node == nullptr ? std::vector<std::string>{kUsual} : values_of(*node));
    if (node != nullptr) return values_of(*node);
    if (key == "machine" || key == "mechanism") user_error("{}: {}: no {} is named", part.place(), part.path(), key);
    return {key == "timing" ? "cycle" : key == "code" ? "placed" : key == "rtl_check" ? "equal" : ""};
  }

  // The size of `quick` is in the place of the usual one; others were chosen for what they are.
  std::vector<std::string> resized(std::vector<std::string> sizes) const {
    if (quick_ == nullptr || quick_->find("size") == nullptr) return sizes;
    for (std::string& size : sizes) {
      if (size == kUsual) size = quick_->value("size").scalar();
    }
    return sizes;
  }

  std::vector<Axis> axes_of(const ConfigNode& part) const {
    std::vector<Axis> axes;
    const auto add = [&](const std::string& key, const std::vector<std::string>& values) {
      axes.push_back({{key}, {}});
      for (const std::string& value : values) axes.back().rows.push_back({value});
    };
    for (const std::string& key : kAxes) {
      add(key, values(part, key));
      if (key != "machine" || part.find("set") == nullptr) continue;
      for (const auto& [name, node] : part.table("set").children()) add(name, values_of(node));
    }
    if (part.find("zip") != nullptr) axes = zip(std::move(axes), *part.find("zip"));
    if (part.find("design") != nullptr) axes.insert(axes.begin() + 1, design_of(part.table("design")));
    return axes;
  }

  std::vector<Choice> choices_of(const ConfigNode& part, const std::string& name) const {
    part.only(keys_below(study_keys(), "points."));
    if (part.find("design") != nullptr) part.table("design").only(keys_below(study_keys(), "points.design."));
    std::vector<Choice> choices;
    for (const Values& values : product(axes_of(part), part.place())) {
      if (!kept(values) || excluded(part, values)) continue;
      Choice base;
      base.part = name;
      base.place = part.place();
      base.both_orders = flag_in(part, "both_orders");
      base.bound = flag_in(part, "bound");
      choices.push_back(choice_of(std::move(base), values));
    }
    return choices;
  }

  static bool excluded(const ConfigNode& part, const Values& values) {
    const ConfigNode* const rules = part.find("exclude");
    if (rules == nullptr) return false;
    const auto matches = [&](const ConfigNode& rule) {
      return std::all_of(rule.children().begin(), rule.children().end(), [&](const auto& entry) {
        const std::string* const value = find(values, entry.first);
        if (value == nullptr) entry.second.reject("this part has no such list");
        const auto listed = values_of(entry.second);
        return std::find(listed.begin(), listed.end(), *value) != listed.end();
      });
    };
    return std::any_of(rules->nodes().begin(), rules->nodes().end(), matches);
  }

  const ConfigNode& root_;
  const ConfigNode* quick_;
};

bool is_view_name(const std::string& name) {
  return !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0) &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

std::vector<ConfigNode> columns_of(const ConfigNode& chart) {
  const std::string table = "figures.chart.";
  chart.only(keys_below(study_keys(), table));
  const ConfigNode& kind = chart.value("kind");
  const auto is_kind = [&](const FieldView& field) { return field.path == table + "kind"; };
  const auto& kinds = std::find_if(study_keys().begin(), study_keys().end(), is_kind)->choices;
  if (std::find(kinds.begin(), kinds.end(), kind.scalar()) == kinds.end()) {
    kind.reject("no such chart; " + suggestion(kind.scalar(), kinds));
  }
  std::vector<ConfigNode> columns;
  for (const char* key : {"x", "y", "colour", "low", "high", "label", "value", "facet"}) {
    if (chart.find(key) != nullptr) columns.push_back(chart.value(key));
  }
  return columns;
}

std::vector<Figure> figures_of(const ConfigNode& root) {
  std::vector<Figure> figures;
  if (root.find("figures") == nullptr) return figures;
  root.list("figures");
  for (const ConfigNode& node : root.find("figures")->nodes()) {
    node.only(keys_below(study_keys(), "figures."));
    node.value("title");
    const ConfigNode& name = node.value("name");
    if (!is_view_name(name.scalar())) name.reject("a figure's name is of a-z, 0-9 and _, and begins with a letter");
    for (const Figure& other : figures) {
      if (other.name == name.scalar()) name.reject("another figure has this name");
    }
    figures.push_back({name.scalar(), node.value("sql").scalar(), node.value("sql").place(), {}});
    if (node.find("chart") != nullptr) figures.back().columns = columns_of(node.table("chart"));
  }
  return figures;
}

// Of the baseline where the file does not say: the machine's, if it is asked for, else none.
std::string usual_packing(const Study& study) {
  const bool machines = std::any_of(study.choices.begin(), study.choices.end(), [&](const Choice& choice) {
    return choice.mechanism == study.baseline_mechanism && choice.packing.empty();
  });
  return machines ? "" : "none";
}

}  // namespace

// The names are looked up once.
const std::vector<FieldView>& study_keys() {
  static const std::vector<FieldView> keys = [] {
    const std::vector<std::string> machines = config_names("machines"),
                                   charts{"bars", "stacked", "lines", "points", "heatmap", "waterfall", "table"},
                                   sizes{"small", "default", "large", "one-block"}, timings{"cycle", "functional"},
                                   codes{"placed", "as-written"};
    std::vector<std::string> mechanisms, packings;
    for (const auto& info : divergence::mechanisms()) mechanisms.push_back(info.name);
    for (const auto& packing : divergence::kPackings) packings.push_back(packing.name);
    using Kind = FieldKind;
    return std::vector<FieldView>{
        must_have("title", Kind::kText, "what the study is about, for people"),
        may_have("question", Kind::kText, "what it asks, for people"),
        may_have("paper", Kind::kText, "whose figures are made again"),
        may_have("baseline", Kind::kTable, "what speed-ups are against"),
        may_have("baseline.mechanism", Kind::kText, "(pdom)", mechanisms),
        may_have("baseline.simd", Kind::kText, "its lane packing (the machine's own, if a point has it; else none)",
                 packings),
        may_have("limits", Kind::kTable, "of a run: one that goes beyond has failed"),
        may_have("limits.minutes", Kind::kReal, "of processor time").within("0"),
        may_have("limits.memory_mb", Kind::kReal, "of memory, in MB").within("0"),
        may_have("seeds", Kind::kValues, "of all parts that do not say otherwise"),
        may_have("size", Kind::kValues, "of all parts that do not say otherwise", sizes),
        may_have("machine", Kind::kValues, "of all parts that do not say otherwise", machines),
        may_have("mechanism", Kind::kValues, "of all parts that do not say otherwise", mechanisms),
        may_have("timing", Kind::kValues, "of all parts that do not say otherwise", timings),
        may_have("code", Kind::kValues, "of all parts that do not say otherwise", codes),
        must_have("points", Kind::kTables, "parts; each is the product of its lists"),
        must_have("points.part", Kind::kText, "its name"),
        may_have("points.machine", Kind::kValues, "names or paths", machines),
        may_have("points.mechanism", Kind::kValues, "how diverged warps are handled", mechanisms),
        may_have("points.simd", Kind::kValues, "lane packings (the machine's own)", packings),
        may_have("points.workload", Kind::kValues, "bundled programs, sets of them, all, or commands"),
        may_have("points.input", Kind::kValues, "texts for {input} in commands"),
        may_have("points.seeds", Kind::kValues, "5: the seeds 1 to 5; a list: those; 0: each program's own input"),
        may_have("points.size", Kind::kValues, "of bundled programs", sizes),
        may_have("points.timing", Kind::kValues, "cycle, or functional: values only", timings),
        may_have("points.code", Kind::kValues,
                 "placed: blocks as an assembler would lay them; as-written: as in the PTX", codes),
        may_have("points.set", Kind::kNamed, "values of parameters: core.warp_size: [16, 32]"),
        may_have("points.zip", Kind::kAnything, "groups of lists that go together: [[machine, core.warp_size]]"),
        may_have("points.exclude", Kind::kTables, "points to leave out: those that match all of a rule"),
        may_have("points.both_orders", Kind::kFlag,
                 "a mechanism is also run in the baseline's order of warps, and the baseline in its own"),
        may_have("points.bound", Kind::kFlag,
                 "beside mechanisms that regroup threads the oracle is run in their scope"),
        may_have("points.design", Kind::kTable, "a design of experiments in the place of a product"),
        must_have("points.design.kind", Kind::kChoice, "how many runs it makes of the factors", designs()),
        must_have("points.design.factors", Kind::kNamed, "parameters with a low and a high value"),
        may_have("points.design.generators", Kind::kList, "of fractional-factorial: C=AB"),
        may_have("points.design.row", Kind::kText, "of plackett-burman: another first row, in + and -"),
        may_have("quick", Kind::kTable, "the study's quick form"),
        may_have("quick.size", Kind::kText, "in the place of size default", sizes),
        may_have("quick.seeds", Kind::kValues, "as in parts"),
        may_have("quick.parts", Kind::kValues, "only these"),
        may_have("quick.workload", Kind::kValues, "only these"),
        may_have("quick.area", Kind::kFlag, "its areas are wanted, too"),
        may_have("area", Kind::kFlag, "what each variant takes of a core gets into the store"),
        may_have("figures", Kind::kTables, "views over the results and how they are drawn"),
        must_have("figures.name", Kind::kText, "of the view: a-z, 0-9, _"),
        must_have("figures.title", Kind::kText, "what stands above it"),
        may_have("figures.where", Kind::kText, "in a paper"),
        may_have("figures.notes", Kind::kText, "what differs from it, and why"),
        must_have("figures.sql", Kind::kText, "one query that begins with SELECT or WITH"),
        may_have("figures.chart", Kind::kTable, "how its rows are drawn; most keys name columns"),
        must_have("figures.chart.kind", Kind::kChoice, "the form", charts),
        may_have("figures.chart.x", Kind::kText, "column along x"),
        may_have("figures.chart.y", Kind::kText, "column along y"),
        may_have("figures.chart.colour", Kind::kText, "column that tells series apart"),
        may_have("figures.chart.low", Kind::kText, "column of the interval's lower end"),
        may_have("figures.chart.high", Kind::kText, "column of the interval's upper end"),
        may_have("figures.chart.label", Kind::kText, "column of words beside points"),
        may_have("figures.chart.value", Kind::kText, "column that a heat map shows"),
        may_have("figures.chart.facet", Kind::kText, "column: a plot for each of its values"),
        may_have("figures.chart.diagonal", Kind::kFlag, "draws where both axes are the same"),
        may_have("figures.chart.format", Kind::kText, "of numbers, as d3-format has it"),
        may_have("figures.chart.reference", Kind::kReal, "a line at that y"),
        may_have("figures.chart.x_title", Kind::kText, "title of the axis"),
        may_have("figures.chart.y_title", Kind::kText, "title of the axis"),
        may_have("figures.chart.log", Kind::kFlag, "y is logarithmic"),
        may_have("figures.printed", Kind::kTables, "values of the paper: columns of the chart, value, where")};
  }();
  return keys;
}

Json scalar_json(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

Json json_of(const ConfigNode& node) {
  if (node.is_list()) {
    Json list = Json::array();
    for (const ConfigNode& item : node.nodes()) list.push_back(json_of(item));
    return list;
  }
  if (!node.is_table()) return scalar_json(node.scalar());
  Json table = Json::object();
  for (const auto& [key, child] : node.children()) table[key] = json_of(child);
  return table;
}

Choice choice_of(Choice base, const Values& values) {
  const std::map<std::string, std::string*> fields{
      {"machine", &base.machine},     {"size", &base.size},     {"workload", &base.workload},
      {"input", &base.input},         {"timing", &base.timing}, {"detail", &base.detail},
      {"code", &base.code},           {"rtl", &base.rtl},       {"rtl_check", &base.rtl_check},
      {"mechanism", &base.mechanism}, {"simd", &base.packing},  {"seed", &base.seed}};
  for (const auto& [key, value] : values) {
    const auto field = fields.find(key);
    if (field == fields.end()) {
      base.settings.emplace_back(key, value);
    } else {
      *field->second = value;
    }
  }
  return base;
}

Axis sweep_of(const std::string& text) {
  const auto equals = text.find('=');
  Axis axis;
  std::istringstream values(equals == std::string::npos ? "" : text.substr(equals + 1));
  for (std::string value; std::getline(values, value, ',');) axis.rows.push_back({value});
  if (equals == 0 || axis.rows.empty())
    user_error("--sweep {}: expected KEY=VALUE,VALUE,…, such as core.warp_size=8,16", text);
  axis.keys = {text.substr(0, equals)};
  return axis;
}

Study load_study(const std::string& name_or_path, bool quick) {
  Study study;
  study.file = find_config("studies", name_or_path);
  study.quick = quick;
  const ConfigNode root = ConfigNode::from_file(study.file, ConfigNode::Lists::kOfAnything);
  root.only(keys_below(study_keys(), ""));
  study.name = std::filesystem::path(study.file).stem().string() + (quick ? "-quick" : "");
  study.title = root.value("title").scalar();
  study.question = text_in(root, "question", "");
  study.definition = json_of(root);
  if (root.find("baseline") != nullptr) {
    const ConfigNode& baseline = root.table("baseline");
    baseline.only(keys_below(study_keys(), "baseline."));
    study.baseline_mechanism = text_in(baseline, "mechanism", study.baseline_mechanism);
    study.baseline_packing = text_in(baseline, "simd", "");
  }
  if (root.find("limits") != nullptr) {
    const ConfigNode& limits = root.table("limits");
    limits.only(keys_below(study_keys(), "limits."));
    if (limits.find("minutes") != nullptr) study.limits.seconds = 60 * number_in(limits.value("minutes"));
    if (limits.find("memory_mb") != nullptr) {
      study.limits.memory_bytes = static_cast<std::uint64_t>(1e6 * number_in(limits.value("memory_mb")));
    }
  }
  study.choices = Reader(root, quick).choices();
  if (study.baseline_packing.empty()) study.baseline_packing = usual_packing(study);
  study.area = flag_in(quick ? root.table("quick") : root, "area");  // minutes of synthesis, where nothing is known yet
  study.figures = figures_of(root);
  return study;
}

}  // namespace warpfold::study
