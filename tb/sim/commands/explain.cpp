// SPDX-License-Identifier: Apache-2.0
// `warpfold explain`: what of the difference between two runs of a program has which cause (docs/explain.md).
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tb/sim/commands/commands.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/runner.h"
#include "tb/sim/runs/setup.h"
#include "tb/sim/tables/explanation.h"
#include "tb/sim/tables/figures.h"
#include "tb/study/plan.h"
#include "tb/study/report_data.h"
#include "tb/study/report_libraries.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Side {
  std::string text, mechanism, packing;
  study::Values settings;
};

// "tbc,core.warp_policy=GTO", "pdom+scc".
Side side_of(const std::string& text) {
  Side side{text, "", "", {}};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size()), equals = text.find('=', at);
    const std::string part = text.substr(at, end - at);
    if (at == 0) {
      const std::size_t plus = std::min(part.find('+'), part.size());
      side.mechanism = part.substr(0, plus);
      if (plus < part.size()) side.packing = packings_in(part.substr(plus + 1)).at(0);
    } else if (equals < end) {
      side.settings.emplace_back(text.substr(at, equals - at), text.substr(equals + 1, end - equals - 1));
    } else {
      user_error("{}: '{}' is no KEY=VALUE; a side is MECHANISM,KEY=VALUE,…", text, part);
    }
    at = end + 1;
  }
  divergence::find_mechanism(side.mechanism);
  return side;
}

// What the runs differ by must be one thing, else nobody knows whose the difference is.
void check_one_thing(const study::Planned& a, const study::Planned& b) {
  std::vector<std::string> things;
  const bool mechanisms = a.choice.mechanism != b.choice.mechanism;
  if (mechanisms) things.emplace_back("the mechanism");
  if (a.choice.packing != b.choice.packing) things.emplace_back("the lane packing");
  const auto in_a = nlohmann::json::parse(a.parameters), in_b = nlohmann::json::parse(b.parameters);
  std::set<std::string> named;
  for (const study::Planned* side : {&a, &b}) {
    for (const auto& [key, value] : side->choice.settings) named.insert(key);
  }
  for (const std::string& key : named) {
    if (mechanisms && study::of_mechanism(key)) continue;  // a mechanism's settings are part of it
    if (in_a.value(key, nlohmann::json()) != in_b.value(key, nlohmann::json())) things.push_back(key);
  }
  if (things.empty()) user_error("explain: both sides are one and the same run: nothing is to be explained");
  if (things.size() == 1) return;
  user_error("explain: the sides differ in {} things: {}; give both the same values of all but one", things.size(),
             fmt::join(things, ", "));
}

double value(const study::Planned& of, const char* name) { return figure(of.point.stats["total"], name).value_or(0); }

bool either(const std::vector<study::Planned>& sides, const char* name) {
  return value(sides[0], name) > 0 || value(sides[1], name) > 0;
}

std::string setting(const study::Planned& of, const std::string& key) {
  const auto all = nlohmann::json::parse(of.parameters);
  if (!all.contains(key)) return "";
  return all[key].is_string() ? all[key].get<std::string>() : all[key].dump();
}

// Something that is taken away on both sides. `take`: from a side's choice; `why_not`: nothing of it is there.
struct Knob {
  std::string name, what, why_not;
  bool of_memory;
  std::function<void(study::Choice&, const study::Planned& of)> take;
};

// So many that none is ever waited for, as far as the parameter goes.
constexpr std::pair<const char*, const char*> kUnlimited[] = {
    {"core.lsu_queue_entries", "64"}, {"core.register_file.collectors", "0"}, {"l1d.mshr_entries", "4096"},
    {"l1d.mshr_merges", "4096"},      {"l1d.miss_queue_entries", "4096"},     {"l1d.fill_queue_entries", "4096"},
};

// The blocks that a core holds of the kernel that takes most of the cycles.
unsigned resident_blocks(const study::Planned& of) {
  double most = -1, blocks = 0;
  const auto launches = of.point.stats.find("kernels");
  if (launches == of.point.stats.end()) return 0;
  for (const auto& [name, kernel] : launches->items()) {
    const double cycles = figure(kernel, "cycles").value_or(0);
    if (cycles <= most) continue;
    most = cycles;
    blocks = figure(kernel, "blocks_per_core").value_or(0);
  }
  return static_cast<unsigned>(blocks);
}

std::vector<Knob> knobs(const std::vector<study::Planned>& sides) {
  std::vector<Knob> all;
  const std::string order = policy_of(sides[0].point.options);
  all.push_back(
      {"the same order of warps: " + order, "the order of warps",
       policy_of(sides[1].point.options) == order ? "it is the same" : "", false,
       [order](study::Choice& choice, const study::Planned&) { study::set(choice.settings, kPolicyKey, order); }});
  all.push_back({"nothing drains", "draining", either(sides, "slot_draining") ? "" : "nothing does", false,
                 [](study::Choice& choice, const study::Planned&) {
                   study::set(choice.settings, "core.scoreboard", "per_thread");
                 }});
  all.push_back({"a compactor without time", "the compactor",
                 either(sides, "compactions") ? "" : "nothing is compacted", false,
                 [](study::Choice& choice, const study::Planned&) {
                   study::set(choice.settings, "core.compactor.latency_cycles", "0");
                 }});
  all.push_back({"no spills of stacks", "spills of the mechanism's stack",
                 either(sides, "spilled_bytes") ? "" : "nothing is spilled", false,
                 [](study::Choice& choice, const study::Planned& of) {
                   if (!setting(of, "mechanism.stack_entries").empty())
                     study::set(choice.settings, "mechanism.stack_entries", "4096");
                 }});
  all.push_back({"queues without limits", "full queues of the load/store unit and the L1", "", true,
                 [](study::Choice& choice, const study::Planned&) {
                   for (const auto& [key, entries] : kUnlimited) study::set(choice.settings, key, entries);
                 }});
  all.push_back({"all loads hit in the L1", "L1 misses", "", true, [](study::Choice& choice, const study::Planned& of) {
                   for (const char* cache : {"l1d", "texture_cache", "constant_cache"})
                     study::set(choice.settings, std::string(cache) + ".allocation", "perfect");
                   // These take a line's way at once.
                   if (setting(of, "l1d.write_policy") == "local_write_back") {
                     study::set(choice.settings, "l1d.write_policy", "write_evict");
                   }
                   if (setting(of, "l1d.write_miss") == "lazy_fetch")
                     study::set(choice.settings, "l1d.write_miss", "no_allocate");
                 }});
  all.push_back({"one block more on a core", "too few blocks on a core", "", false,
                 [](study::Choice& choice, const study::Planned& of) {
                   const unsigned blocks = resident_blocks(of) + 1;
                   study::set(choice.settings, "core.max_blocks", std::to_string(std::min(blocks, 64U)));
                   for (const auto& [key, most] : {std::pair{"core.max_threads", 4096UL},
                                                   {"core.registers", 1'048'576UL},
                                                   {"core.shared_bytes", 1'048'576UL}}) {
                     const unsigned long now = std::stoul(setting(of, key));
                     study::set(choice.settings, key, std::to_string(std::max(now, std::min(2 * now, most))));
                   }
                 }});
  return all;
}

class Explainer {
 public:
  explicit Explainer(const ExplainCommand& command) : command_(command) {
    const Side a = side_of(command.a), b = side_of(command.b);
    study_.name = "explain";
    study_.baseline_mechanism = a.mechanism;
    for (const Side& side : {a, b}) {
      study::Choice& choice = choices_.emplace_back();
      choice.machine = command.machine;
      choice.workload = text_of(command.program);
      choice.size = command.size;
      choice.code = command.code;
      choice.mechanism = side.mechanism;
      choice.packing = side.packing;
      choice.settings = side.settings;
    }
  }

  Report report() {
    std::vector<study::Planned>& sides = planned_.emplace_back(plan(choices_));
    for (const study::Planned& side : sides) {
      if (side.key.empty()) user_error("{} on {}: {}", side.choice.mechanism, command_.machine, side.point.reason);
    }
    check_one_thing(sides[0], sides[1]);
    for (study::Planned& side : sides) side.point.options.profile = true;
    run(sides, Finished::kRunAgain);
    for (const study::Planned& side : sides) {
      if (!is_bound(side.point.stats["total"])) continue;
      user_error("{} takes no cycles that could be explained; warpfold compare has what it counts",
                 side.choice.mechanism);
    }
    explanation_.program = sides[0].point.program.shown();
    explanation_.machine = command_.machine;
    explanation_.a = command_.a;
    explanation_.b = command_.b;
    explanation_.runs = {&sides[0].point, &sides[1].point};
    explanation_.profile_a = read_profile(fs::path(sides[0].point.directory()) / "profile.json");
    explanation_.profile_b = read_profile(fs::path(sides[1].point.directory()) / "profile.json");
    if (!command_.slots_only) take_steps();
    Report report = report_of(explanation_, command_.lines);
    if (!command_.slots_only) add_commands(report);
    return report;
  }

 private:
  std::vector<study::Planned> plan(const std::vector<study::Choice>& choices) {
    study_.choices = choices;
    return study::plan(study_, command_.out, command_.sets);
  }

  void run(std::vector<study::Planned>& points, Finished finished) {
    std::vector<Point*> runs;
    for (study::Planned& planned : points) runs.push_back(&planned.point);
    run_each_once(runs, command_.jobs, finished);
    for (const Point* point : runs) {
      if (point->state == Point::State::kDone) continue;
      user_error("{}: {}", point->label(), point->reason.empty() ? "not finished" : point->reason);
    }
  }

  // The points; empty, with the reason, where one of them cannot be run.
  std::vector<study::Planned> plan_all(const std::vector<study::Choice>& choices, std::string& why_not) {
    try {
      std::vector<study::Planned> points = plan(choices);
      for (const study::Planned& point : points) {
        if (point.key.empty()) why_not = point.point.reason;
      }
      if (why_not.empty()) return points;
    } catch (const UserError& error) {
      why_not = error.what();
    }
    return {};
  }

  // All runs of all steps at once: chained and alone, both sides.
  void take_steps() {
    const std::vector<study::Planned>& sides = planned_.front();
    std::vector<study::Planned>& points = planned_.emplace_back();
    std::vector<study::Choice> chain = choices_;
    for (const Knob& knob : knobs(sides)) {
      Step& step = explanation_.steps.emplace_back(Step{knob.name, knob.what, knob.of_memory, knob.why_not, {}, {}});
      if (!step.why_not.empty()) continue;
      std::vector<study::Choice> alone = choices_, chained = chain;
      for (std::size_t k = 0; k < 2; ++k) {
        knob.take(alone[k], sides[k]);
        knob.take(chained[k], sides[k]);
      }
      const bool first = points.empty();
      std::vector<study::Planned> four = plan_all({chained[0], chained[1], alone[0], alone[1]}, step.why_not);
      if (four.empty()) continue;
      chain = chained;
      for (std::size_t i = 0; i < four.size(); ++i) {  // all settings would fill the screen
        four[i].point.among = i < 2 && !first ? "all up to: " + knob.name : knob.name;
        points.push_back(std::move(four[i]));
      }
    }
    run(points, Finished::kTake);
    std::size_t at = 0;
    for (Step& step : explanation_.steps) {
      if (!step.why_not.empty()) continue;
      step.chained = {&points[at].point, &points[at + 1].point};
      step.alone = {&points[at + 2].point, &points[at + 3].point};
      at += 4;
    }
  }

  // Of the last step, which has all of their settings.
  void add_commands(Report& report) {
    const auto& points = planned_.back();
    if (points.size() < 4) return;
    std::string text;
    for (const std::size_t side : {points.size() - 4, points.size() - 3}) {
      const study::Choice& choice = points[side].choice;
      text += fmt::format("  warpfold run --machine {} --mechanism {}", choice.machine, choice.mechanism);
      for (const std::string& set : command_.sets) text += " --set " + set;
      for (const auto& [key, value] : choice.settings) text += fmt::format(" --set {}={}", key, value);
      text += fmt::format(" --size {} -- {}\n", choice.size, choice.workload);
    }
    ReportTable& causes = report.tables[1];
    causes.footer = "All steps taken:\n" + text;
  }

  const ExplainCommand& command_;
  study::Study study_;
  std::vector<study::Choice> choices_;
  std::deque<std::vector<study::Planned>> planned_;  // whose points the explanation points to
  Explanation explanation_;
};

// From A to B: where A is, what each row adds to that or takes from it, and where that leads.
Json waterfall(const ReportTable& table, const std::string& title, const std::string& part, const std::string& unit,
               const std::string& format, const std::vector<std::pair<std::string, double>>& ends) {
  const auto at = [&](const auto& column) { return column.name == part; };
  const auto place = std::find_if(table.columns.begin(), table.columns.end(), at) - table.columns.begin();
  Json rows = Json::array({{ends[0].first, ends[0].second}});
  for (const Row& row : table.rows) {
    const auto i = static_cast<std::size_t>(place);
    if (!row.summary && i < row.cells.size()) rows.push_back({row.cells[0].value, row.cells[i].value});
  }
  rows.push_back({ends[1].first, ends[1].second});
  return {{"name", table.name + "_waterfall"},
          {"title", title},
          {"chart", {{"kind", "waterfall"}, {"x", table.columns[0].title}, {"y", unit}, {"format", format}}},
          {"columns", {table.columns[0].title, unit}},
          {"rows", std::move(rows)}};
}

Json explanation_page(const Report& report, const ExplainCommand& command) {
  Json figures = Json::array();
  for (ReportTable table : report.tables) {
    const std::string title = table.title;
    const Json values = page_figure(table, title);
    const auto number = [&](std::size_t row, std::size_t cell) {
      return table.rows[row].cells[cell].value.get<double>();
    };
    if (table.name == "slots") {
      const std::size_t all = table.rows.size() - 1;
      figures.push_back(waterfall(table, "What the slots of schedulers go to: symptoms", "difference",
                                  "slots, of those of " + command.a, ".1%",
                                  {{command.a, number(all, 1)}, {command.b, number(all, 2)}}));
    } else if (table.name == "causes") {
      const std::pair<std::string, double> a{command.a, number(0, 1)}, b{command.b, number(0, 2)};
      table.rows.erase(table.rows.begin());
      figures.push_back(waterfall(table, "What the cycles come from: causes, by what is taken away on both sides",
                                  "of_difference", "cycles", ",d", {a, b}));
    }
    figures.push_back(values);
  }
  return study::page_without_points("explain", fmt::format("From {} to {}", command.a, command.b), report.notes.front(),
                                    std::move(figures));
}

}  // namespace

int explain(const ExplainCommand& command) {
  command.output.format();  // before anything runs
  if (command.program.empty()) user_error("no program given: warpfold explain [options] A B -- PROGRAM");
  if (command.page.asked()) study::report_libraries();  // brought before long runs, not after them
  stop_on_signals();
  Explainer explainer(command);
  const Report report = explainer.report();
  deliver(report, command.output);
  if (command.page.asked()) study::write_page(explanation_page(report, command), command.page);
  return 0;
}

}  // namespace warpfold::sim
