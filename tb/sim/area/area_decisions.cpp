// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/area_decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "tb/sim/tables/figures.h"

namespace warpfold::sim {
namespace {

using area::Range;

// What figures hang on, and what settles it.
enum Cause : unsigned { kProcess = 1, kMemories = 2, kWires = 4 };
struct Settled {
  Cause cause;
  const char* by;
};
constexpr std::array<Settled, 3> kSettled{
    {{kProcess, "a library of the process"}, {kMemories, "compiled memories"}, {kWires, "a placement"}}};
constexpr unsigned kAllCauses = kProcess | kMemories | kWires;

// Where the true figures lie: -1 at the low end, 1 at the high end, 0 in the middle. A process, and what wires and
// empty places make of logic, are both cores'; how far the storage model is off is each structure's own, so that two
// mechanisms' tables may be off either way.
struct Assumed {
  int areas = 0, delays = 0;  // of logic
  int own_tables = 0, base_tables = 0;
  int wired_areas = 0, wired_delays = 0;
};

double at(const Range& range, int end) { return end == 0 ? range.middle() : end < 0 ? range.low : range.high; }

// All corners of what is not settled.
std::vector<Assumed> corners(unsigned settled) {
  std::vector<Assumed> all(1);
  const auto at_both_ends = [&](Cause cause, int Assumed::*figure) {
    if ((settled & cause) != 0) return;
    for (std::size_t i = 0, before = all.size(); i < before; ++i) {
      all.push_back(all[i]);
      all[i].*figure = -1;
      all.back().*figure = 1;
    }
  };
  at_both_ends(kProcess, &Assumed::areas);
  at_both_ends(kProcess, &Assumed::delays);
  at_both_ends(kMemories, &Assumed::own_tables);
  at_both_ends(kMemories, &Assumed::base_tables);
  at_both_ends(kWires, &Assumed::wired_areas);
  at_both_ends(kWires, &Assumed::wired_delays);
  return all;
}

template <class Figure>
Range over(unsigned settled, Figure figure) {
  Range all;
  bool first = true;
  for (const Assumed& one : corners(settled)) {
    const Range here = figure(one);
    all = first ? here : either(all, here);
    first = false;
  }
  return all;
}

double placed_mm2(const HardwareCost& cost, const Assumed& is) {
  return at(area::kPlacedLogic, is.wired_areas) * at(cost.logic_mm2(), is.areas);
}
double added_mm2(const HardwareCost& cost, const Assumed& is, int tables) {
  return placed_mm2(cost, is) + (1 + tables * area::kAreaError) * (cost.tables_mm2() + cost.registers_mm2());
}

double period_ns(const CostedSubject& one, const Assumed& is, int tables) {
  double slowest = 1000.0 / static_cast<double>(one.subject.options.machine.core.clock_mhz);
  for (const BlockCost& block : one.cost.blocks) {
    if (!block.missing())
      slowest = std::max(slowest, at(area::kPlacedDelay, is.wired_delays) * at(block.path_ns, is.delays));
  }
  for (const StructureCost& table : one.cost.structures) {
    if (!table.registers()) slowest = std::max(slowest, (1 + tables * area::kAccessError) * table.each.access_ns);
  }
  return slowest;
}

double core_mm2(const CostedSubject& one, const Assumed& is, int tables) {
  return one.core.tables_mm2() + placed_mm2(one.core, is) + added_mm2(one.cost, is, tables);
}

double area_ratio(const CostedSubject& own, const CostedSubject& base, const Assumed& is) {
  return core_mm2(own, is, is.own_tables) / core_mm2(base, is, is.base_tables);
}
double clock_ratio(const CostedSubject& own, const CostedSubject& base, const Assumed& is) {
  return period_ns(base, is, is.base_tables) / period_ns(own, is, is.own_tables);
}

// pJ per thread instruction of what a mechanism adds, as far as it was recorded.
struct Energy {
  double tables = 0, logic = 0;
  bool all = false;
  double at(int end) const { return (1 + end * area::kEnergyError) * tables + logic; }
};
Energy energy_of(const CostedSubject& run) {
  const double threads = run.subject.total->value("thread_instructions", 0.0);
  if (threads <= 0) return {};
  const bool no_logic = run.cost.blocks.empty() && !run.cost.bound();
  return {1e9 * run.table_energy_mj() / threads, 1e9 * run.logic.mj.value_or(0) / threads,
          no_logic || (run.logic.mj && run.logic.all)};
}

// Whether a ratio to the baseline is on one side of 1 whatever is true. What of either is not counted moves it one way.
struct Question {
  const char* name;
  const char *below, *above;
  bool own_unknown = false, base_unknown = false;  // the ratio may be higher, or lower
  std::string unknown{};                           // what says how far

  bool decides(const Range& ratio) const {
    return (ratio.low > 1 && !base_unknown) || (ratio.high < 1 && !own_unknown);
  }
  std::string verdict(const Range& ratio) const {
    if (ratio.low == 1 && ratio.high == 1 && !own_unknown && !base_unknown) return "same";
    if (!decides(ratio)) return "open";
    return ratio.low > 1 ? above : below;
  }
  Bound bound() const { return ratio(base_unknown, own_unknown); }
};

// What decides an open question: any one thing that does so by itself, else all together.
template <class Figure>
std::string what_decides(const Question& question, Figure figure) {
  const auto open = [&](unsigned settled) { return question.verdict(over(settled, figure)) == "open"; };
  if (!open(0)) return "";
  std::string single, all;
  for (const Settled& one : kSettled) {
    if (!open(one.cause)) single += fmt::format("{}{}", single.empty() ? "" : " or ", one.by);
    const bool matters = over(kAllCauses & ~one.cause, figure).low != over(kAllCauses & ~one.cause, figure).high;
    if (matters) all += fmt::format("{}{}", all.empty() ? "" : " and ", one.by);
  }
  if (open(kAllCauses)) {
    single = question.unknown;
  } else if (single.empty()) {
    single = all;
  }
  return fmt::format("{}: {}", question.name, single);
}

struct Decision {
  std::vector<Cell> cells;
  std::string would_decide;
};

template <class Figure>
void decide(Decision& decision, const Question& question, Figure figure) {
  const Range ratio = over(0, figure);
  add_range(decision.cells, ratio, 3, question.bound());
  decision.cells.emplace_back(question.verdict(ratio));
  const std::string by = what_decides(question, figure);
  if (!by.empty()) decision.would_decide += (decision.would_decide.empty() ? "" : "; ") + by;
}

std::string rtl_of(const CostedSubject& own, const CostedSubject& base) {
  const std::string both = own.cost.unknown_names();
  return "RTL of " + (both.empty() ? base.cost.unknown_names() : both);
}

void decide_energy(Decision& decision, const CostedSubject& own, const CostedSubject& base) {
  const Energy mine = energy_of(own), theirs = energy_of(base);
  const Question question{"energy",  "less",      "more",
                          !mine.all, !theirs.all, "waves of all its blocks and the baseline's (run --rtl --waves)"};
  if (theirs.at(0) <= 0 || mine.at(0) <= 0) {
    decision.cells.resize(decision.cells.size() + 3);
    decision.cells.emplace_back("open");
    return;
  }
  decide(decision, question, [&](const Assumed& is) { return mine.at(is.own_tables) / theirs.at(is.base_tables); });
}

Decision decision_of(const CostedSubject& own, const CostedSubject& base, bool runs) {
  Decision decision;
  const bool same = &own == &base;
  const bool own_unknown = !same && own.cost.bound(), base_unknown = !same && base.cost.bound();
  const std::string unknown = rtl_of(own, base);
  const auto areas = [&](const Assumed& is) { return same ? 1 : area_ratio(own, base, is); };
  const auto clocks = [&](const Assumed& is) { return same ? 1 : clock_ratio(own, base, is); };
  // Below what it must stay to be the smaller one all the same.
  double room = std::numeric_limits<double>::infinity();
  for (const Assumed& is : corners(0)) {
    room = std::min(room, core_mm2(base, is, is.base_tables) - core_mm2(own, is, is.own_tables));
  }
  const std::string below = own_unknown && room > 0 ? fmt::format(" (smaller below {:.4f} mm² of it)", room) : "";
  decide(decision, {"area", "smaller", "larger", own_unknown, base_unknown, unknown + below}, areas);
  // Unknown logic can only slow its own core down.
  decide(decision, {"clock", "slower", "faster", base_unknown, own_unknown, unknown}, clocks);
  // What it must gain in cycles to be as good per mm² of core.
  const Range needed = over(0, [&](const Assumed& is) { return areas(is) / clocks(is); });
  add_range(decision.cells, needed, 3, ratio(base_unknown, own_unknown));
  if (!runs) return decision;
  const double gained = base.subject.total->at("cycles").get<double>() / own.subject.total->at("cycles").get<double>();
  decision.cells.push_back(decimal(gained, 3));
  const Question pays{"pays", "no", "yes", base_unknown, own_unknown, unknown};
  const auto margin = [&](const Assumed& is) { return gained * clocks(is) / areas(is); };
  decision.cells.emplace_back(same ? "same" : pays.verdict(over(0, margin)));
  const std::string by = same ? "" : what_decides(pays, margin);
  if (!by.empty()) decision.would_decide += (decision.would_decide.empty() ? "" : "; ") + by;
  if (same) {
    decision.cells.push_back(decimal(energy_of(own).at(0) > 0 ? std::optional(1.0) : std::nullopt, 3));
    decision.cells.resize(decision.cells.size() + 2);
    decision.cells.emplace_back("same");
  } else {
    decide_energy(decision, own, base);
  }
  return decision;
}

// Why nothing can be said of it; empty: something can.
std::string nothing_known(const CostedSubject& one) {
  if (!one.subject.not_applicable.empty()) return "n/a: " + one.subject.not_applicable;
  if (!one.subject.trouble.empty()) return one.subject.trouble;
  if (one.cost.structures.empty() && one.cost.blocks.empty() && one.cost.bound()) {
    return "n/a: " + one.cost.unknown.front().reason;
  }
  return "";
}

}  // namespace

ReportTable decision_table(const std::vector<CostedSubject>& subjects) {
  const bool runs = std::any_of(subjects.begin(), subjects.end(), [](const auto& one) { return one.subject.total; });
  ReportTable table{"decisions",
                    "What the costs decide: a core with each mechanism over one with the first, wherever the true "
                    "figures lie",
                    {},
                    {}};
  if (runs) table.columns.push_back({"program", "program"});
  table.columns.push_back({"mechanism", "mechanism", kAll, true});
  const auto question = [&](const char* name, const char* title) {
    add_range(table.columns, name, title);
    table.columns.push_back({std::string(name) + "_verdict", "is", kAll, true});
  };
  question("area", "area");
  question("clock", "clock");
  add_range(table.columns, "must_gain", "must gain in cycles");
  if (runs) {
    table.columns.push_back({"speed_up_in_cycles", "gains"});
    table.columns.push_back({"pays", "pays", kAll, true});
    question("energy", "energy");
  }
  table.columns.push_back({"would_decide", "what would decide the rest", kAll, true});
  std::map<std::string, const CostedSubject*> bases;  // by group
  for (const CostedSubject& one : subjects) {
    Row row;
    if (runs) row.cells.emplace_back(one.subject.program);
    row.cells.emplace_back(runs ? one.subject.run_label : one.subject.label);
    row.note = nothing_known(one);
    if (row.note.empty()) {
      const CostedSubject& base = *bases.try_emplace(one.subject.group, &one).first->second;
      Decision decision = decision_of(one, base, runs);
      row.cells.insert(row.cells.end(), decision.cells.begin(), decision.cells.end());
      row.cells.emplace_back(decision.would_decide);
    }
    table.rows.push_back(std::move(row));
  }
  table.footer = fmt::format(
      "tables are taken to be off by up to {:.0f} % in area, {:.0f} % in time, {:.0f} % in energy, each its own way; "
      "logic takes {:.2f} to {:.2f} times its cells' area once it is placed, and {:.2f} to {:.2f} times their time",
      100 * area::kAreaError, 100 * area::kAccessError, 100 * area::kEnergyError, area::kPlacedLogic.low,
      area::kPlacedLogic.high, area::kPlacedDelay.low, area::kPlacedDelay.high);
  if (!runs)
    table.footer += "\nenergy is not decided without runs: warpfold compare … --out DIR, and --results DIR here";
  return table;
}

}  // namespace warpfold::sim
