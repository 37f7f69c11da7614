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

Cell square_mm(double mm2) { return decimal(mm2, 5); }
Cell ns(double value) { return value > 0 ? decimal(value, 3) : Cell(); }
Cell mhz(double ns) { return ns > 0 ? decimal(1000 / ns, 0) : Cell(); }
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

double core_ns(const AreaSubject& subject) {
  return 1000.0 / static_cast<double>(subject.options.machine.core.clock_mhz);
}

double chip_mm2(const CostedSubject& one, const AreaCommand& command) {
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
  double cycles, time, area;
};

std::vector<Cell> run_cells(const CostedSubject& run, const Baseline& base, const AreaCommand& command) {
  const double cycles = run.subject.total->at("cycles").get<double>(), own = core_ns(run.subject);
  const double time = cycles * run.period_ns(), area = chip_mm2(run, command);
  const Bound against = &run == base.run ? Bound::kExact : ratio(run.cost.bound(), base.run->cost.bound());
  return {count(cycles),
          bounded(decimal(1000 / run.period_ns(), 0), at_most(run.cost)),
          run.period_ns() > own ? run.cost.slowest() : "machine",
          bounded(decimal(time * 1e-6, 4), at_least(run.cost)),
          gain(base.cycles / cycles),
          bounded(gain(base.time / time), against),
          bounded(decimal(area), at_least(run.cost)),
          bounded(gain(base.time / time * base.area / area), against),
          decimal(run.table_energy_mj(), 4),
          {run.cost.bound(), ""},
          kBoundNames[static_cast<std::size_t>(against)],
          run.cost.unknown_names()};
}

Baseline baseline_of(const CostedSubject& run, const AreaCommand& command) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!run.subject.trouble.empty()) return {&run, kNone, kNone, kNone};
  const double cycles = run.subject.total->at("cycles").get<double>();
  return {&run, cycles, cycles * run.period_ns(), chip_mm2(run, command)};
}

}  // namespace

double CostedSubject::period_ns() const { return std::max(core_ns(subject), cost.slowest_ns()); }

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
      {{"mechanism", "mechanism"},
       {"nand2", "NAND2"},
       {"logic_mm2", "logic mm²"},
       {"tables_mm2", "tables mm²"},
       {"registers_mm2", "registers mm²"},
       {"core_mm2", "core mm²"},
       {"chip_mm2", "chip mm²"},
       {"die_share", "% of die"},
       {"slowest_ns", "slowest ns"},
       {"mhz", "MHz"},
       {"slowest", "which"},
       bound_column(),
       unknown_column(subjects)},
      {}};
  for (const auto& [subject, cost] : subjects) {
    if (!subject.not_applicable.empty()) {
      table.rows.push_back({{subject.label}, "n/a: " + subject.not_applicable});
      continue;
    }
    const Bound least = at_least(cost);
    const double chip = subject.options.machine.cores * cost.total_mm2(), of_die = chip / command.die;
    add_once(
        table,
        {{subject.label, bounded(decimal(cost.nand2(), 0), least), bounded(square_mm(cost.logic_mm2()), least),
          square_mm(cost.tables_mm2()), square_mm(cost.registers_mm2()), bounded(square_mm(cost.total_mm2()), least),
          bounded(decimal(chip, 3), least), bounded(Cell(of_die, fmt::format("{:.2f}", 100 * of_die)), least),
          bounded(ns(cost.slowest_ns()), least), bounded(mhz(cost.slowest_ns()), at_most(cost)),
          cost.slowest().empty() ? Cell() : Cell(cost.slowest()), Cell(cost.bound(), ""), cost.unknown_names()}});
  }
  return table;
}

ReportTable block_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  ReportTable table{"blocks",
                    fmt::format("RTL blocks: as synthesised, and at {} nm", settings.node_nm),
                    {{"block", "block"},
                     {"parameters", "parameters"},
                     {"library_nm", "library nm"},
                     {"cells", "cells"},
                     {"flip_flops", "flip-flops"},
                     {"nand2", "NAND2"},
                     {"library_um2", "µm²"},
                     {"library_ns", "ns"},
                     {"mm2", "mm²"},
                     {"ns", "ns there"},
                     {"mhz", "MHz there"},
                     {"from", "from"},
                     {"to", "to"}},
                    {}};
  std::set<std::string> seen;
  for (const CostedSubject& one : subjects) {
    for (const BlockCost& block : one.cost.blocks) {
      const std::string parameters = parameters_of(block.use);
      if (!seen.insert(block.use.module + parameters).second) continue;
      if (block.missing()) {
        table.rows.push_back({{block.use.module}, "not synthesised: " + block.synthesis.missing});
        continue;
      }
      const Synthesis& s = block.synthesis;
      table.rows.push_back(
          {{block.use.module, parameters, decimal(library_node(s, settings), 0), count(s.cells), count(s.flip_flops),
            decimal(s.nand2, 0), decimal(s.area_um2, 0), ns(s.path_ns), square_mm(block.area_mm2 / block.use.copies),
            ns(block.path_ns), mhz(block.path_ns), s.start, s.end}});
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
       {"cycles", "cycles"},
       {"mhz", "MHz"},
       {"limited_by", "limited by"},
       {"time_ms", "time ms"},
       {"speed_up_in_cycles", "speed-up in cycles"},
       {"speed_up_in_time", "speed-up in time"},
       {"chip_mm2", "chip mm²"},
       {"gain_per_mm2", "per mm²"},
       {"table_mj", "table mJ"},
       bound_column(),
       {"gain_bound", "gain bound", kPrograms},
       unknown_column(runs)},
      {}};
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
