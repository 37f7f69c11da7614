// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using Row = std::vector<std::string>;

std::string square_mm(double mm2) { return fmt::format("{:.5f}", mm2); }
std::string ns(double value) { return value > 0 ? fmt::format("{:.3f}", value) : "-"; }
std::string mhz(double value) { return value > 0 ? fmt::format("{:.0f}", 1000 / value) : "-"; }

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
  if (std::find(table.rows.begin(), table.rows.end(), row) == table.rows.end()) table.rows.push_back(std::move(row));
}

// The oracle counts what the best regrouping would need: its own cycles mean nothing.
bool is_bound(const nlohmann::json& total) { return total.contains("oracle_lane_activity"); }

// The first run of a group; NaN where that one has no figures, and then nothing is said of the others' gain.
struct Baseline {
  double cycles, time, area;
};

std::string gain(double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", value); }

Row run_cells(const CostedSubject& run, const Baseline& base, const AreaCommand& command) {
  const double cycles = run.subject.total->at("cycles").get<double>(), own = core_ns(run.subject);
  const double time = cycles * run.period_ns(), area = chip_mm2(run, command);
  return {fmt::format("{:.0f}", cycles),
          fmt::format("{:.0f}", 1000 / run.period_ns()),
          run.period_ns() > own ? run.cost.slowest() : "machine",
          fmt::format("{:.4f}", time * 1e-6),
          gain(base.cycles / cycles),
          gain(base.time / time),
          fmt::format("{:.2f}", area),
          gain(base.time / time * base.area / area),
          fmt::format("{:.4f}", run.table_energy_mj())};
}

Baseline baseline_of(const CostedSubject& run, const AreaCommand& command) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!run.subject.trouble.empty()) return {kNone, kNone, kNone};
  const double cycles = run.subject.total->at("cycles").get<double>();
  return {cycles, cycles * run.period_ns(), chip_mm2(run, command)};
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
      {"mechanism", "NAND2", "logic mm²", "tables mm²", "registers mm²", "core mm²", "chip mm²", "% of die",
       "slowest ns", "MHz", "which"},
      {}};
  for (const auto& [subject, cost] : subjects) {
    if (!subject.not_applicable.empty()) {
      add_once(table, {subject.label, "n/a: " + subject.not_applicable});
      continue;
    }
    const bool logic = cost.without_logic.empty();
    const double chip = subject.options.machine.cores * cost.total_mm2();
    add_once(table,
             {subject.label, logic ? fmt::format("{:.0f}", cost.nand2()) : "-",
              logic ? square_mm(cost.logic_mm2()) : "-", square_mm(cost.tables_mm2()), square_mm(cost.registers_mm2()),
              square_mm(cost.total_mm2()), fmt::format("{:.3f}", chip), fmt::format("{:.2f}", 100 * chip / command.die),
              ns(cost.slowest_ns()), mhz(cost.slowest_ns()), cost.slowest().empty() ? "-" : cost.slowest()});
  }
  return table;
}

ReportTable block_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  ReportTable table{"blocks",
                    fmt::format("RTL blocks: as synthesised, and at {} nm", settings.node_nm),
                    {"block", "parameters", "library nm", "cells", "flip-flops", "NAND2", "µm²", "ns", "mm²",
                     "ns there", "MHz there", "from", "to"},
                    {}};
  std::set<std::string> seen;
  for (const CostedSubject& one : subjects) {
    for (const BlockCost& block : one.cost.blocks) {
      const std::string parameters = parameters_of(block.use);
      if (!seen.insert(block.use.module + parameters).second) continue;
      if (block.missing()) {
        table.rows.push_back({block.use.module, "not synthesised: " + block.synthesis.missing});
        continue;
      }
      const Synthesis& s = block.synthesis;
      table.rows.push_back({block.use.module, parameters, fmt::format("{:.0f}", library_node(s, settings)),
                            fmt::format("{:.0f}", s.cells), fmt::format("{:.0f}", s.flip_flops),
                            fmt::format("{:.0f}", s.nand2), fmt::format("{:.0f}", s.area_um2), ns(s.path_ns),
                            square_mm(block.area_mm2 / block.use.copies), ns(block.path_ns), mhz(block.path_ns),
                            s.start, s.end});
    }
  }
  return table;
}

ReportTable structure_table(const std::vector<CostedSubject>& subjects) {
  ReportTable table{
      "structures",
      "Storage: per core; registers by how much they grow",
      {"mechanism", "structure", "kind", "copies", "banks", "entries × bits", "ports", "mm²", "ns", "pJ per access"},
      {}};
  for (const auto& [subject, cost] : subjects) {
    for (const StructureCost& one : cost.structures) {
      const area::Storage& s = one.structure.storage;
      add_once(table,
               {subject.label, one.structure.name, area::kKindNames[static_cast<std::size_t>(s.kind)],
                fmt::format("{}", one.structure.copies), fmt::format("{:.0f}", s.banks), shape_of(one), ports_of(s),
                square_mm(one.area_mm2), ns(one.each.access_ns), fmt::format("{:.3f}", 1000 * one.each.read_nj)});
    }
  }
  return table;
}

ReportTable run_table(const std::vector<CostedSubject>& runs, const AreaCommand& command) {
  ReportTable table{
      "runs",
      fmt::format("Runs: time = cycles × the slower of the machine's clock and the mechanism; a chip of {} "
                  "mm² and what all cores add; against the first run that differs in its mechanism alone",
                  command.die),
      {"program"},
      {}};
  const bool several =
      std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !run.subject.group_label.empty(); });
  if (several) table.header.push_back("run");
  for (const char* name : {"mechanism", "cycles", "MHz", "limited by", "time ms", "speed-up in cycles",
                           "speed-up in time", "chip mm²", "per mm²", "table mJ"}) {
    table.header.push_back(name);
  }
  std::map<std::string, Baseline> bases;  // by group
  for (const CostedSubject& run : runs) {
    Row row{run.subject.program};
    if (several) row.push_back(run.subject.group_label);
    row.push_back(run.subject.run_label);
    const bool bound = run.subject.total && is_bound(*run.subject.total);
    if (!bound) bases.try_emplace(run.subject.group, baseline_of(run, command));
    Row cells{bound ? "-" : run.subject.trouble};
    if (!bound && run.subject.trouble.empty()) cells = run_cells(run, bases.at(run.subject.group), command);
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpfold::sim
