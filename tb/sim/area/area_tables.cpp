// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/area_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tb/sim/area/area_core.h"
#include "tb/sim/tables/figures.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {

void add_range(std::vector<Column>& columns, const std::string& name, const std::string& title) {
  columns.push_back({name, title});
  columns.push_back({name + "_low", title + " low", kPrograms});
  columns.push_back({name + "_high", title + " high", kPrograms});
}

void add_range(std::vector<Cell>& cells, const area::Range& range, int digits, Bound bound) {
  const Cell low = decimal(range.low, digits), high = decimal(range.high, digits);
  Cell middle = decimal(range.middle(), digits);
  if (low.shown != high.shown) middle.shown = fmt::format("{}–{}", low.shown, high.shown);
  for (const Cell& cell : {middle, low, high}) cells.push_back(bounded(cell, bound));
}

namespace {

using area::Range;

Cell square_mm(double mm2) { return decimal(mm2, 5); }
Cell ns(double value) { return value > 0 ? decimal(value, 3) : Cell(); }
Cell gain(double value) { return decimal(value, 3); }

Bound at_least(const HardwareCost& cost) { return cost.bound() ? Bound::kAtLeast : Bound::kExact; }
Bound at_most(const HardwareCost& cost) { return cost.bound() ? Bound::kAtMost : Bound::kExact; }

Column bound_column() { return {"lower_bound", "bound", kPrograms}; }
// People see it where there is any.
Column unknown_column(const std::vector<CostedSubject>& subjects) {
  const bool any = std::any_of(subjects.begin(), subjects.end(), [](const auto& one) { return one.cost.bound(); });
  return {"unknown_logic", "unknown logic", any ? kAll : kPrograms, true};
}

void add_share(std::vector<Cell>& cells, const Range& share, Bound bound) {
  add_range(cells, 100 * share, 2, bound);
  std::size_t at = cells.size() - 3;
  for (const double value : {share.middle(), share.low, share.high}) {
    if (!cells[at].value.is_null()) cells[at].value = value;
    ++at;
  }
}

// Where nothing has a delay there is no range.
void add_delay(std::vector<Cell>& cells, const Range& ns, Bound bound = Bound::kExact) {
  if (ns.high > 0) return add_range(cells, ns, 3, bound);
  cells.resize(cells.size() + 3);
}
void add_clock(std::vector<Cell>& cells, const Range& ns, Bound bound = Bound::kExact) {
  if (ns.high > 0) return add_range(cells, 1000 / ns, 0, bound);
  cells.resize(cells.size() + 3);
}

double core_ns(const AreaSubject& subject) {
  return 1000.0 / static_cast<double>(subject.options.machine.core.clock_mhz);
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
  Range time, area, core;
};

double quotient(double a, double b) { return a / b; }

Range core_mm2(const CostedSubject& one) { return one.core.total_mm2() + one.cost.total_mm2(); }

Bound share_bound(const CostedSubject& one) {
  return both(at_least(one.cost), one.core.bound() ? Bound::kAtMost : Bound::kExact);
}

std::string chip_text(const AreaCommand& command) {
  if (command.rest < 0) return fmt::format("a chip of {} mm² and what all cores add", command.die);
  return fmt::format("a chip of which {} % is not cores, and what all cores add", command.rest);
}

std::vector<Cell> run_cells(const CostedSubject& run, const Baseline& base, const AreaCommand& command) {
  const double cycles = run.subject.total->at("cycles").get<double>(), own = core_ns(run.subject);
  const Range period = run.period_ns(), time = cycles * period, area = chip_mm2(run, command);
  const Bound against = &run == base.run ? Bound::kExact : ratio(run.cost.bound(), base.run->cost.bound());
  const Bound area_bound = &run == base.run ? Bound::kExact : area_gain_bound(run, *base.run);
  const Bound chip_bound = command.rest < 0 ? against : area_bound;
  const Bound chip_known = command.rest < 0 || !run.core.bound() ? at_least(run.cost) : Bound::kAtLeast;
  // A slow process slows both runs down, and a library with large cells makes both chips large.
  const Range faster = together(base.time, time, quotient);
  const auto per_mm2 = [&](const Range& before, const Range& now) {
    const Range larger = together(before, now, quotient);
    return Range(faster.low * larger.low, faster.high * larger.high);
  };
  std::vector<Cell> cells{count(cycles)};
  add_clock(cells, period, at_most(run.cost));
  cells.push_back(period.high > own ? run.cost.slowest() : "machine");
  add_range(cells, 1e-6 * time, 4, at_least(run.cost));
  cells.push_back(gain(base.cycles / cycles));
  add_range(cells, faster, 3, against);
  add_range(cells, area, 2, chip_known);
  add_range(cells, per_mm2(base.area, area), 3, chip_bound);
  const double tables = run.table_energy_mj(), threads = run.subject.total->value("thread_instructions", 0.0);
  const Bound energy_bound = run.logic.all ? Bound::kExact : Bound::kAtLeast;
  cells.push_back(decimal(tables, 4));
  cells.push_back(run.logic.mj ? bounded(decimal(*run.logic.mj, 4), energy_bound) : Cell());
  cells.push_back(run.logic.mj && threads > 0
                      ? bounded(decimal(1e9 * (tables + *run.logic.mj) / threads, 3), energy_bound)
                      : Cell());
  cells.push_back({run.cost.bound(), ""});
  cells.push_back(name_of(chip_bound));
  cells.push_back(run.cost.unknown_names());
  if (command.core) {
    add_range(cells, core_mm2(run), 4, run.core.bound() ? Bound::kAtLeast : at_least(run.cost));
    add_range(cells, per_mm2(base.core, core_mm2(run)), 3, area_bound);
    cells.push_back(name_of(area_bound));
  }
  return cells;
}

std::vector<Cell> block_cells(const divergence::RtlUse& use, const MappedBlock& on) {
  const Synthesis& s = on.synthesis;
  std::vector<Cell> cells{use.module,          parameters_of(use),
                          s.library,           decimal(on.library.node_nm, 0),
                          count(s.cells),      count(s.flip_flops),
                          decimal(s.nand2, 0), decimal(s.area_um2, 0),
                          ns(s.path_ns),       decimal(s.path_ns / s.fo4_ns, 1)};
  add_range(cells, on.area_mm2, 5);
  add_delay(cells, on.path_ns);
  add_clock(cells, on.path_ns);
  for (const std::string& text : {s.start, s.end, s.key}) cells.push_back(text);
  return cells;
}

Baseline baseline_of(const CostedSubject& run, const AreaCommand& command) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!run.subject.trouble.empty()) return {&run, kNone, kNone, kNone, kNone};
  const double cycles = run.subject.total->at("cycles").get<double>();
  return {&run, cycles, cycles * run.period_ns(), chip_mm2(run, command), core_mm2(run)};
}

}  // namespace

std::string shape_of(const StructureCost& cost) {
  const area::Storage& s = cost.structure.storage;
  std::string text = fmt::format("{:.0f} × {:.0f}", s.rows() / s.banks, s.row_bits);
  if (s.kind != area::Kind::kRam) text += fmt::format(", tag {:.0f}", s.tag_bits);
  return text;
}

std::string text_of(const divergence::RtlUse& use) { return use.module + " " + parameters_of(use); }

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
  if (command.core) {
    add_range(table.columns, "with_core_mm2", "core with it mm²");
    add_range(table.columns, "core_share", "% of core");
  }
  for (const CostedSubject& one : subjects) {
    const auto& [subject, cost, core, logic] = one;
    if (!subject.not_applicable.empty()) {
      table.rows.push_back({{subject.label}, "n/a: " + subject.not_applicable});
      continue;
    }
    const Bound least = at_least(cost);
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
    add_clock(cells, cost.slowest_ns(), at_most(cost));
    cells.push_back(cost.slowest().empty() ? Cell() : Cell(cost.slowest()));
    cells.push_back({cost.bound(), ""});
    cells.push_back(cost.unknown_names());
    if (command.core) {
      const Range with = core_mm2(one);
      add_range(cells, with, 5, core.bound() ? Bound::kAtLeast : least);
      // It falls with what else there is in a core.
      add_range(cells, 100 * together(cost.total_mm2(), with, quotient), 2, share_bound(one));
    }
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
    for (const HardwareCost* cost : {&one.cost, &one.core}) {
      for (const BlockCost& block : cost->blocks) {
        const std::string parameters = parameters_of(block.use);
        if (!seen.insert(block.use.module + parameters).second) continue;
        if (block.missing()) table.rows.push_back({{block.use.module}, "not synthesised: " + block.why_missing});
        for (const MappedBlock& on : block.mapped) table.rows.push_back({block_cells(block.use, on)});
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
  for (const auto& [subject, cost, core, logic] : subjects) {
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
      fmt::format(
          "Runs: time = cycles × the slower of the machine's clock and the mechanism; {}; against the first run "
          "that differs in its mechanism alone",
          chip_text(command)),
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
  const bool recorded = std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.logic.mj.has_value(); });
  table.columns.push_back({"logic_mj", "logic mJ", recorded ? kAll : kPrograms});
  table.columns.push_back({"thread_pj", "pJ per thread instruction", recorded ? kAll : kPrograms});
  table.columns.push_back(bound_column());
  table.columns.push_back({"gain_bound", "gain bound", kPrograms});
  table.columns.push_back(unknown_column(runs));
  if (command.core) {
    add_range(table.columns, "core_mm2", "core mm²");
    add_range(table.columns, "gain_per_core_mm2", "per mm² of core");
    table.columns.push_back({"core_gain_bound", "core gain bound", kPrograms});
  }
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
