// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "tb/sim/figures.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using area::Range;

Cell square_mm(double mm2) { return decimal(mm2, 5); }
Cell ns(double value) { return value > 0 ? decimal(value, 3) : Cell(); }
Cell gain(double value) { return decimal(value, 3); }

// What a figure says of the true one, where logic is unknown.
enum class Bound : std::uint8_t { kExact, kAtLeast, kAtMost, kNeither };
constexpr std::array kBoundNames{"exact", "at least", "at most", "neither"};
constexpr std::array kBoundSigns{"", "≥ ", "≤ ", "~ "};

Cell bounded(Cell cell, Bound bound) {
  // "At least nothing" is what nobody knows.
  if (bound == Bound::kAtLeast && (cell.value.is_null() || cell.value == 0)) return {nullptr, "?"};
  if (!cell.value.is_null()) cell.shown.insert(0, kBoundSigns[static_cast<std::size_t>(bound)]);
  return cell;
}
Bound at_least(const HardwareCost& cost) { return cost.bound() ? Bound::kAtLeast : Bound::kExact; }
Bound at_most(const HardwareCost& cost) { return cost.bound() ? Bound::kAtMost : Bound::kExact; }
// Of what falls as the run's cost grows, and rises with its baseline's.
Bound ratio(bool run, bool base) {
  if (run && base) return Bound::kNeither;
  return run ? Bound::kAtMost : base ? Bound::kAtLeast : Bound::kExact;
}

Column bound_column() { return {"lower_bound", "bound", kPrograms}; }
// People see it where there is any.
Column unknown_column(const std::vector<CostedSubject>& subjects) {
  const bool any = std::any_of(subjects.begin(), subjects.end(), [](const auto& one) { return one.cost.bound(); });
  return {"unknown_logic", "unknown logic", any ? kAll : kPrograms, true};
}

// What lies between two figures: a column that people see as "0.98–1.37", and for programs its middle and its ends.
void add_range(std::vector<Column>& columns, const std::string& name, const std::string& title) {
  columns.push_back({name, title});
  columns.push_back({name + "_low", title + " low", kPrograms});
  columns.push_back({name + "_high", title + " high", kPrograms});
}

void add_range(std::vector<Cell>& cells, const Range& range, int digits, Bound bound = Bound::kExact) {
  const std::string low = decimal(range.low, digits).shown, high = decimal(range.high, digits).shown;
  Cell middle = decimal(range.middle(), digits);
  if (low != high) middle.shown = fmt::format("{}–{}", low, high);
  cells.push_back(bounded(middle, bound));
  const bool known = !cells.back().value.is_null();
  cells.push_back(known ? decimal(range.low, digits) : Cell());
  cells.push_back(known ? decimal(range.high, digits) : Cell());
}

void add_share(std::vector<Cell>& cells, const Range& share, Bound bound) {
  add_range(cells, 100 * share, 2, bound);
  std::size_t at = cells.size() - 3;
  for (const double value : {share.middle(), share.low, share.high}) {
    if (Cell& cell = cells[at++]; !cell.value.is_null()) cell.value = value;
  }
}

// Where nothing has a delay there is no range.
void add_delay(std::vector<Cell>& cells, const Range& ns, Bound bound = Bound::kExact) {
  if (ns.high > 0 || bound != Bound::kExact) return add_range(cells, ns, 3, bound);
  cells.resize(cells.size() + 3);
}
void add_clock(std::vector<Cell>& cells, const Range& ns, Bound bound = Bound::kExact) {
  if (ns.high > 0) return add_range(cells, 1000 / ns, 0, bound);
  cells.resize(cells.size() + 3);
}

double core_ns(const AreaSubject& subject) {
  return 1000.0 / static_cast<double>(subject.options.machine.core.clock_mhz);
}

Range chip_mm2(const CostedSubject& one, const AreaCommand& command) {
  return command.die + one.subject.options.machine.cores * one.cost.total_mm2();
}

std::string parameters_of(const divergence::RtlUse& use) {
  std::string text;
  for (const auto& [name, value] : use.parameters) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

// "2RW 1R 1W", and S for the port that searches.
std::string ports_of(const area::Storage& s) {
  std::string text;
  const auto add = [&](double ports, const char* name) {
    if (ports > 0) text += fmt::format("{}{}{}", text.empty() ? "" : " ", ports, name);
  };
  add(s.read_write_ports, "RW");
  add(s.read_ports, "R");
  add(s.write_ports, "W");
  if (s.kind == area::Kind::kCam || s.kind == area::Kind::kFullyAssociative) add(1, "S");
  return text;
}

std::string shape_of(const StructureCost& cost) {
  const area::Storage& s = cost.structure.storage;
  std::string text = fmt::format("{:.0f} × {:.0f}", s.rows() / s.banks, s.row_bits);
  if (s.kind != area::Kind::kRam) text += fmt::format(", tag {:.0f}", s.tag_bits);
  return text;
}

// Runs of several programs have the same mechanisms: a row is told once.
void add_once(ReportTable& table, Row row) {
  const auto same = [&](const Row& other) {
    return std::equal(row.cells.begin(), row.cells.end(), other.cells.begin(), other.cells.end(),
                      [](const Cell& a, const Cell& b) { return a.shown == b.shown; });
  };
  if (std::none_of(table.rows.begin(), table.rows.end(), same)) table.rows.push_back(std::move(row));
}

// The first run of a group; NaN where that one has no figures, and then nothing is said of the others' gain.
struct Baseline {
  const CostedSubject* run;
  double cycles;
  Range time, area;
};

double quotient(double a, double b) { return a / b; }
double product(double a, double b) { return a * b; }

std::vector<Cell> run_cells(const CostedSubject& run, const Baseline& base, const AreaCommand& command) {
  const double cycles = run.subject.total->at("cycles").get<double>(), own = core_ns(run.subject);
  const Range period = run.period_ns(), time = cycles * period, area = chip_mm2(run, command);
  // A slow process slows both runs down, and a library with large cells makes both chips large.
  const Range faster = together(base.time, time, quotient), larger = together(base.area, area, quotient);
  const Bound against = &run == base.run ? Bound::kExact : ratio(run.cost.bound(), base.run->cost.bound());
  std::vector<Cell> cells{count(cycles)};
  add_clock(cells, period, at_most(run.cost));
  cells.push_back(period.high > own ? run.cost.slowest() : "machine");
  add_range(cells, 1e-6 * time, 4, at_least(run.cost));
  cells.push_back(gain(base.cycles / cycles));
  add_range(cells, faster, 3, against);
  add_range(cells, area, 2, at_least(run.cost));
  add_range(cells, {product(faster.low, larger.low), product(faster.high, larger.high)}, 3, against);
  cells.push_back(decimal(run.table_energy_mj(), 4));
  cells.push_back({run.cost.bound(), ""});
  cells.push_back(kBoundNames[static_cast<std::size_t>(against)]);
  cells.push_back(run.cost.unknown_names());
  return cells;
}

Baseline baseline_of(const CostedSubject& run, const AreaCommand& command) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!run.subject.trouble.empty()) return {&run, kNone, kNone, kNone};
  const double cycles = run.subject.total->at("cycles").get<double>();
  return {&run, cycles, cycles * run.period_ns(), chip_mm2(run, command)};
}

}  // namespace

Range CostedSubject::period_ns() const { return max(core_ns(subject), cost.slowest_ns()); }

double CostedSubject::table_energy_mj() const {
  double nj = 0;
  for (const StructureCost& one : cost.structures) {
    for (const divergence::Access& access : one.structure.accesses) {
      const auto count = subject.total->find(access.statistic);
      if (count == subject.total->end()) {
        user_error("{} {}: its stats.json has no {}: written by another version? Run it again", subject.program,
                   subject.run_label, access.statistic);
      }
      nj += count->get<double>() * access.per_event * one.each.read_nj;
    }
  }
  return nj * 1e-6;
}

ReportTable mechanism_table(const std::vector<CostedSubject>& subjects, const AreaCommand& command) {
  ReportTable table{
      "mechanisms",
      fmt::format("What a core's mechanism takes at {} nm, and all cores' share of {} mm²", command.node, command.die),
      {{"mechanism", "mechanism"}},
      {}};
  add_range(table.columns, "nand2", "NAND2");
  add_range(table.columns, "logic_mm2", "logic mm²");
  table.columns.push_back({"tables_mm2", "tables mm²"});
  table.columns.push_back({"registers_mm2", "registers mm²"});
  add_range(table.columns, "core_mm2", "core mm²");
  add_range(table.columns, "chip_mm2", "chip mm²");
  add_range(table.columns, "die_share", "% of die");
  add_range(table.columns, "slowest_ns", "slowest ns");
  add_range(table.columns, "mhz", "MHz");
  table.columns.push_back({"slowest", "which"});
  table.columns.push_back(bound_column());
  table.columns.push_back(unknown_column(subjects));
  for (const auto& [subject, cost] : subjects) {
    if (!subject.not_applicable.empty()) {
      table.rows.push_back({{subject.label}, "n/a: " + subject.not_applicable});
      continue;
    }
    const Bound least = at_least(cost), most = at_most(cost);
    const Range chip = subject.options.machine.cores * cost.total_mm2();
    std::vector<Cell> cells{subject.label};
    add_range(cells, cost.nand2(), 0, least);
    add_range(cells, cost.logic_mm2(), 5, least);
    cells.push_back(square_mm(cost.tables_mm2()));
    cells.push_back(square_mm(cost.registers_mm2()));
    add_range(cells, cost.total_mm2(), 5, least);
    add_range(cells, chip, 3, least);
    add_share(cells, 1 / command.die * chip, least);
    add_delay(cells, cost.slowest_ns(), least);
    add_clock(cells, cost.slowest_ns(), most);
    cells.push_back(cost.slowest().empty() ? Cell() : Cell(cost.slowest()));
    cells.push_back({cost.bound(), ""});
    cells.push_back(cost.unknown_names());
    add_once(table, {std::move(cells)});
  }
  return table;
}

ReportTable block_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  ReportTable table{"blocks",
                    fmt::format("RTL blocks: as synthesised, and at {} nm", settings.process.node_nm),
                    {{"block", "block"},
                     {"parameters", "parameters"},
                     {"library", "library"},
                     {"library_nm", "library nm"},
                     {"cells", "cells"},
                     {"flip_flops", "flip-flops"},
                     {"nand2", "NAND2"},
                     {"library_um2", "µm²"},
                     {"library_ns", "ns"},
                     {"fo4", "FO4"}},
                    {}};
  add_range(table.columns, "mm2", "mm²");
  add_range(table.columns, "ns", "ns there");
  add_range(table.columns, "mhz", "MHz there");
  for (const char* name : {"from", "to"}) table.columns.push_back({name, name});
  table.columns.push_back({"key", "key", kPrograms});
  std::set<std::string> seen;
  for (const CostedSubject& one : subjects) {
    for (const BlockCost& block : one.cost.blocks) {
      const std::string parameters = parameters_of(block.use);
      if (!seen.insert(block.use.module + parameters).second) continue;
      if (block.missing()) table.rows.push_back({{block.use.module}, "not synthesised: " + block.why_missing});
      for (const MappedBlock& on : block.mapped) {
        const Synthesis& s = on.synthesis;
        std::vector<Cell> cells{block.use.module,    parameters,
                                s.library,           decimal(on.library.node_nm, 0),
                                count(s.cells),      count(s.flip_flops),
                                decimal(s.nand2, 0), decimal(s.area_um2, 0),
                                ns(s.path_ns),       decimal(s.path_ns / s.fo4_ns, 1)};
        add_range(cells, on.area_mm2, 5);
        add_delay(cells, on.path_ns);
        add_clock(cells, on.path_ns);
        for (const std::string& text : {s.start, s.end, s.key}) cells.push_back(text);
        table.rows.push_back({std::move(cells)});
      }
    }
  }
  return table;
}

ReportTable structure_table(const std::vector<CostedSubject>& subjects) {
  ReportTable table{"structures",
                    "Storage: per core; registers by how much they grow",
                    {{"mechanism", "mechanism"},
                     {"structure", "structure"},
                     {"kind", "kind"},
                     {"copies", "copies"},
                     {"banks", "banks"},
                     {"shape", "entries × bits"},
                     {"ports", "ports"},
                     {"mm2", "mm²"},
                     {"ns", "ns"},
                     {"access_pj", "pJ per access"}},
                    {}};
  for (const auto& [subject, cost] : subjects) {
    for (const StructureCost& one : cost.structures) {
      const area::Storage& s = one.structure.storage;
      add_once(table, {{subject.label, one.structure.name, area::kKindNames[static_cast<std::size_t>(s.kind)],
                        count(one.structure.copies), count(s.banks), shape_of(one), ports_of(s),
                        square_mm(one.area_mm2), decimal(one.each.access_ns, 3), decimal(1000 * one.each.read_nj, 3)}});
    }
  }
  return table;
}

ReportTable run_table(const std::vector<CostedSubject>& runs, const AreaCommand& command) {
  const bool several =
      std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !run.subject.group_label.empty(); });
  ReportTable table{
      "runs",
      fmt::format("Runs: time = cycles × the slower of the machine's clock and the mechanism; a chip of {} "
                  "mm² and what all cores add; against the first run that differs in its mechanism alone",
                  command.die),
      {{"program", "program"},
       {"run", "run", several ? kAll : kPrograms},
       {"mechanism", "mechanism"},
       {"cycles", "cycles"}},
      {}};
  add_range(table.columns, "mhz", "MHz");
  table.columns.push_back({"limited_by", "limited by"});
  add_range(table.columns, "time_ms", "time ms");
  table.columns.push_back({"speed_up_in_cycles", "speed-up in cycles"});
  add_range(table.columns, "speed_up_in_time", "speed-up in time");
  add_range(table.columns, "chip_mm2", "chip mm²");
  add_range(table.columns, "gain_per_mm2", "per mm²");
  table.columns.push_back({"table_mj", "table mJ"});
  table.columns.push_back(bound_column());
  table.columns.push_back({"gain_bound", "gain bound", kPrograms});
  table.columns.push_back(unknown_column(runs));
  std::map<std::string, Baseline> bases;  // by group
  for (const CostedSubject& run : runs) {
    Row row{{run.subject.program, run.subject.group_label, run.subject.run_label}};
    const bool bound = run.subject.total && is_bound(*run.subject.total);
    if (!bound) bases.try_emplace(run.subject.group, baseline_of(run, command));
    if (bound) {
      row.cells.resize(table.columns.size());
    } else if (!run.subject.trouble.empty()) {
      row.note = run.subject.trouble;
    } else {
      for (Cell& cell : run_cells(run, bases.at(run.subject.group), command)) row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpfold::sim
