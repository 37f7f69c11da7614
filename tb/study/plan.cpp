// SPDX-License-Identifier: Apache-2.0
#include "tb/study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "tb/sim/runs/bundled.h"
#include "tb/sim/runs/catalog.h"
#include "tb/sim/runs/setup.h"
#include "warpfold/common/error.h"
#include "warpfold/common/results/results.h"
#include "warpfold/divergence/registry.h"

namespace warpfold::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInput = "{input}";
constexpr const char* kSeed = "{seed}";
constexpr std::string_view kOfCommandLine = "--set: ";  // where a setting is from, as far as its reader knows

std::string settings_json(const Values& settings, bool machine_only) {
  std::map<std::string, Json> sorted;
  for (const auto& [key, value] : settings) {
    if (!machine_only || !of_mechanism(key)) sorted[key] = scalar_json(value);
  }
  return Json(sorted).dump();
}

std::string parameters_json(const RunOptions& options) {
  Json values = Json::object();
  for (const FieldView& field : fields_of(options.machine)) {
    if (!field.section()) values[field.path] = scalar_json(field.value);
  }
  const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
  for (const FieldView& field : mechanism.parameters) {
    if (!field.section()) values["mechanism." + field.path] = scalar_json(field.value);
  }
  return values.dump();
}

// Puts `value` in the place of `mark`. False: there is none.
bool replace(std::string& text, const std::string& mark, const std::string& value) {
  bool any = false;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
    text.replace(at, mark.size(), value);
    any = true;
  }
  return any;
}

// Many points share machines and programs.
class Planner {
 public:
  Planner(const Study& study, std::string store, const std::vector<std::string>& sets)
      : store_(std::move(store)), sets_(sets) {
    several_machines_ = std::any_of(study.choices.begin(), study.choices.end(), [&](const Choice& choice) {
      return choice.machine != study.choices.front().machine;
    });
  }

  // Tells what is wrong with a choice before anything is compiled.
  void check(const Choice& choice) {
    in_place(choice, [&] {
      static_cast<void>(machine_of(with_links(choice)));
      static_cast<void>(program_of(choice));
    });
  }

  // The bundled ones among the programs that were checked.
  void compile() {
    std::map<std::string, sim::Workload> bundled;
    for (const auto& [known, program] : programs_) {
      if (program.bundled) bundled.emplace(program.name, *program.bundled);
    }
    const std::map<std::string, std::string> paths = sim::compiled(bundled);
    for (auto& [known, program] : programs_) {
      if (program.bundled) program.command[0] = paths.at(program.name);
    }
  }

  Planned resolve(const Choice& choice) {
    Planned planned;
    in_place(choice, [&] { planned = resolved(with_links(choice)); });
    return planned;
  }

 private:
  struct Machine {
    RunOptions options;
    std::string parameters, why_not;
  };

  // With the place of the choice before what the act complains of.
  static void in_place(const Choice& choice, const std::function<void()>& act) {
    try {
      act();
    } catch (const UserError& error) {
      if (choice.place.empty()) throw;
      std::string what = error.what();
      if (what.starts_with(kOfCommandLine)) what.erase(0, kOfCommandLine.size());
      user_error("{}: part {}: {}", choice.place, choice.part, what);
    }
  }

  Choice with_links(Choice choice) {
    for (std::size_t i = 0; i < choice.settings.size(); ++i) resolve_link(choice, i);
    return choice;
  }

  Planned resolved(const Choice& choice) {
    const Machine& machine = machine_of(choice);
    Planned planned;
    planned.choice = choice;
    planned.settings = settings_json(choice.settings, false);
    planned.machine_settings = settings_json(choice.settings, true);
    planned.parameters = machine.parameters;
    sim::Point& point = planned.point;
    point.program = program_of(choice);
    point.packing = choice.packing;
    point.options = machine.options;
    point.among = among(choice);
    sim::file_under_key(point, store_);
    point.reason = machine.why_not;
    if (!point.reason.empty()) {
      point.state = sim::Point::State::kNotApplicable;
    } else {
      planned.key = result_key(point.options.decided_by);
    }
    return planned;
  }

  std::string among(const Choice& choice) const {
    std::string text = several_machines_ ? choice.machine : "";
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
    if (!choice.input.empty()) add(choice.input);
    if (!choice.seed.empty()) add("seed " + choice.seed);
    for (const auto& [key, value] : choice.settings) add(fmt::format("{}={}", key, value));
    return text;
  }

  // To another setting of the point's or, where it has none of that name, to the value in the machine as it is.
  void resolve_link(Choice& choice, std::size_t i, unsigned depth = 0) {
    std::string& value = choice.settings[i].second;
    if (!is_link(value)) return;
    if (depth > choice.settings.size()) user_error("{}: it is linked to itself", choice.settings[i].first);
    value = linked_value(value, [&](const std::string& key) {
      for (std::size_t k = 0; k < choice.settings.size(); ++k) {
        if (choice.settings[k].first != key) continue;
        resolve_link(choice, k, depth + 1);
        return choice.settings[k].second;
      }
      Choice plain = choice;
      plain.packing.clear();
      plain.settings.clear();
      const auto values = Json::parse(machine_of(plain).parameters);
      if (!values.contains(key)) user_error("{}: no such parameter (warpfold list parameters)", key);
      return values[key].is_string() ? values[key].get<std::string>() : values[key].dump();
    });
  }

  const Machine& machine_of(const Choice& choice) {
    std::string known =
        fmt::format("{}\n{}\n{}\n{}\n{}", choice.machine, choice.mechanism, choice.packing, choice.timing, choice.code);
    for (const auto& [key, value] : choice.settings) known += fmt::format("\n{}={}", key, value);
    const auto found = machines_.find(known);
    if (found != machines_.end()) return found->second;
    std::vector<std::string> sets = sets_;
    // The oracle has parameters of its own.
    if (choice.part == kBounds) std::erase_if(sets, [](const std::string& set) { return of_mechanism(set); });
    for (const auto& [key, value] : choice.settings) sets.push_back(fmt::format("{}={}", key, value));
    if (!choice.packing.empty()) static_cast<void>(sim::packings_in(choice.packing));
    Machine machine;
    machine.options =
        RunOptions::resolve(choice.machine, choice.mechanism, sim::with_packing(std::move(sets), choice.packing));
    sim::apply_timing(machine.options, choice.timing, choice.detail);
    sim::apply_code(machine.options, choice.code);
    sim::apply_rtl(machine.options, choice.rtl, choice.rtl_check);
    sim::apply_sample(machine.options, choice.sample);
    machine.why_not = sim::why_not(machine.options);
    machine.parameters = parameters_json(machine.options);
    return machines_.emplace(known, std::move(machine)).first->second;
  }

  sim::Program program_of(const Choice& choice) {
    const auto known = std::tuple(choice.workload, choice.input, choice.size, choice.seed);
    const auto found = programs_.find(known);
    if (found != programs_.end()) return found->second;
    std::string text = choice.workload;
    const bool filled = replace(text, kInput, choice.input);
    if (filled && choice.input.empty()) user_error("{}: no list `input` says what {{input}} is", choice.workload);
    if (!filled && !choice.input.empty()) user_error("{}: put {{input}} where the input belongs", choice.workload);
    const bool placed = replace(text, kSeed, choice.seed);
    if (placed && choice.seed.empty()) user_error("{}: no `seeds` say what {{seed}} is", choice.workload);
    sim::Program program = sim::find_program(text, choice.size);
    if (!choice.seed.empty() && !placed) {
      if (!program.bundled || program.bundled->original) {
        user_error("{}: put {{seed}} where its seed belongs", choice.workload);
      }
      program.command.insert(program.command.end(), {"--seed", choice.seed});
    }
    program.title = name_of(choice, program);
    return programs_.emplace(known, std::move(program)).first->second;
  }

  // What changes from point to point is not part of it.
  static std::string name_of(const Choice& choice, const sim::Program& program) {
    const bool pattern =
        choice.workload.find(kInput) != std::string::npos || choice.workload.find(kSeed) != std::string::npos;
    return pattern ? program.name : choice.workload;
  }

  std::string store_;
  const std::vector<std::string>& sets_;
  bool several_machines_ = false;
  std::map<std::string, Machine> machines_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, sim::Program> programs_;
};

// What the best regrouping of threads would save, beside each mechanism that regroups them: a run without time of the
// oracle in the mechanism's scope and width.
void add_bounds(Planner& planner, std::vector<Planned>& points) {
  std::map<std::string, std::size_t> known;
  const std::size_t asked = points.size();
  for (std::size_t i = 0; i < asked; ++i) {
    const RunOptions& options = points[i].point.options;
    if (!points[i].choice.bound || points[i].choice.part == kOtherOrders) continue;
    if (points[i].key.empty() || options.timing != Timing::kCycle) continue;
    const auto mechanism = divergence::find_mechanism(options.mechanism).configure(options.mechanism_parameters);
    if (mechanism.regroups == divergence::Regroups::kNobody) continue;
    Choice choice = points[i].choice;
    choice.part = kBounds;
    choice.mechanism = "oracle";
    choice.timing = "functional";
    choice.packing = choice.detail = choice.sample = choice.rtl = "";
    std::erase_if(choice.settings, [](const auto& setting) { return of_mechanism(setting.first); });
    if (mechanism.regroups == divergence::Regroups::kCore) choice.settings.emplace_back("mechanism.scope", "core");
    const unsigned width = options.machine.core.shaped_by(mechanism).warp_size;
    if (width != options.machine.core.warp_size) {
      choice.settings.emplace_back("mechanism.width", std::to_string(width));
    }
    Planned bound = planner.resolve(choice);
    if (bound.key.empty()) continue;  // its SIMD units are wider than that
    const auto [found, fresh] = known.try_emplace(bound.key, points.size());
    if (fresh) points.push_back(std::move(bound));
    points[i].bound = found->second;
  }
}

// Different commands have different names: results are matched by them.
void tell_apart(std::vector<Planned>& points) {
  std::map<std::string, std::set<std::string>> commands;  // by name
  for (const Planned& planned : points) commands[planned.point.program.shown()].insert(planned.choice.workload);
  for (Planned& planned : points) {
    sim::Program& program = planned.point.program;
    if (commands.at(program.shown()).size() > 1) program.title = planned.choice.workload;
  }
}

// Mechanisms and their baselines may issue warps in different orders.
class Orders {
 public:
  Orders(const Study& study, std::vector<Planned>& points) : points_(points), asked_(points.size()) {
    for (std::size_t i = 0; i < asked_; ++i) {
      const Choice& choice = points_[i].choice;
      places_.emplace(place(choice, policy(points_[i])), i);
      if (choice.mechanism == study.baseline_mechanism && choice.packing == study.baseline_packing) {
        baselines_.emplace(group(points_[i]), i);
      }
    }
  }

  // A point in an order that its baseline is not run in is compared with the baseline in the machine's.
  void pair() {
    for (std::size_t i = 0; i < asked_; ++i) {
      if (baselines_.contains(group(points_[i]))) continue;
      Values others = points_[i].choice.settings;
      std::erase_if(others, is_policy);
      points_[i].machine_settings = settings_json(others, true);
    }
  }

  // What tells an order from a mechanism: each in the other's order.
  void add_others(Planner& planner) {
    for (std::size_t i = 0; i < asked_; ++i) {
      if (!points_[i].choice.both_orders) continue;
      const auto baseline = baselines_.find(group(points_[i]));
      if (baseline == baselines_.end() || !has_cycles(points_[i]) || !has_cycles(points_[baseline->second])) continue;
      const std::string own = policy(points_[i]), of_baseline = policy(points_[baseline->second]);
      if (own == of_baseline) continue;
      const Planned::OtherOrders others{in_order(planner, points_[baseline->second].choice, own),
                                        in_order(planner, points_[i].choice, of_baseline)};
      if (others.own >= asked_) points_[others.own].machine_settings = points_[i].machine_settings;
      if (has_cycles(points_[others.baseline]) && has_cycles(points_[others.own])) points_[i].others = others;
    }
  }

 private:
  static bool is_policy(const std::pair<std::string, std::string>& setting) { return setting.first == sim::kPolicyKey; }

  // Of a whole run.
  static bool has_cycles(const Planned& point) {
    const RunOptions& options = point.point.options;
    return !point.key.empty() && options.timing == Timing::kCycle && options.detail.text().empty() &&
           !options.sample.on();
  }
  static std::string policy(const Planned& point) { return sim::policy_of(point.point.options); }
  static std::string group(const Planned& point) {
    const Choice& c = point.choice;
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", c.machine, point.machine_settings, c.workload, c.input, c.size,
                       c.seed, c.timing, c.code);
  }
  static std::string place(Choice c, const std::string& policy) {
    std::erase_if(c.settings, is_policy);
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", c.machine, c.mechanism, c.packing, c.workload,
                       c.input, c.size, c.seed, c.timing, c.code, policy, settings_json(c.settings, false));
  }

  // The place of the point in this order, which is made where there is none.
  std::size_t in_order(Planner& planner, Choice choice, const std::string& policy) {
    const auto [found, fresh] = places_.try_emplace(place(choice, policy), points_.size());
    if (!fresh) return found->second;
    choice.part = kOtherOrders;
    set(choice.settings, sim::kPolicyKey, policy);
    points_.push_back(planner.resolve(choice));
    return found->second;
  }

  std::vector<Planned>& points_;
  const std::size_t asked_;
  std::map<std::string, std::size_t> places_, baselines_;
};

}  // namespace

std::vector<Planned> plan(const Study& study, const std::string& store, const std::vector<std::string>& sets) {
  Planner planner(study, store, sets);
  for (const Choice& choice : study.choices) planner.check(choice);
  planner.compile();
  std::vector<Planned> points;
  points.reserve(study.choices.size());
  for (const Choice& choice : study.choices) points.push_back(planner.resolve(choice));
  Orders orders(study, points);
  orders.pair();
  orders.add_others(planner);
  add_bounds(planner, points);
  tell_apart(points);
  return points;
}

std::string variant(const std::string& mechanism, const std::string& packing) {
  return packing.empty() || packing == "none" ? mechanism : mechanism + "+" + packing;
}

}  // namespace warpfold::study
