// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area_core.h"

#include <fmt/format.h>

#include <set>

namespace warpfold::sim {
namespace {

Row part(const std::string& machine, const std::string& name, const std::string& shape, unsigned copies,
         const area::Range& mm2, const area::Range& all) {
  Row row{{machine, name, shape, count(copies)}};
  add_range(row.cells, mm2, 5);
  row.cells.push_back(decimal(100 * mm2.middle() / all.middle(), 1));
  return row;
}

}  // namespace

area::Range chip_mm2(const CostedSubject& one, const AreaCommand& command) {
  const double cores = one.subject.options.machine.cores;
  const area::Range added = cores * one.cost.total_mm2();
  if (command.rest < 0) return command.die + added;
  return cores / (1 - command.rest / 100) * one.core.total_mm2() + added;
}

ReportTable core_table(const std::vector<CostedSubject>& subjects, const CostSettings& settings) {
  ReportTable table{
      "core",
      fmt::format("The core without a mechanism, at {} nm", settings.process.node_nm),
      {{"machine", "machine"}, {"part", "part", kAll, true}, {"shape", "entries × bits"}, {"copies", "copies"}},
      {}};
  add_range(table.columns, "mm2", "mm²");
  table.columns.push_back({"share", "% of the sum"});
  std::set<std::string> seen;
  for (const CostedSubject& one : subjects) {
    const HardwareCost& core = one.core;
    std::string signature = one.subject.options.machine_name;
    for (const StructureCost& part : core.structures) signature += fmt::format(" {}", part.area_mm2);
    for (const BlockCost& part : core.blocks) signature += fmt::format(" {} {}", part.area_mm2.low, part.area_mm2.high);
    if (!one.subject.not_applicable.empty() || !seen.insert(signature).second) continue;
    const std::string& machine = one.subject.options.machine_name;
    const area::Range all = core.total_mm2();
    for (const StructureCost& s : core.structures) {
      table.rows.push_back(part(machine, s.structure.name, shape_of(s), s.structure.copies, s.area_mm2, all));
    }
    for (const BlockCost& block : core.blocks) {
      if (block.missing()) continue;
      table.rows.push_back(part(machine, text_of(block.use), "", block.use.copies, block.area_mm2, all));
    }
    for (const divergence::UnknownLogic& unknown : core.unknown) {
      table.rows.push_back({{machine, unknown.what, "", Cell(), {nullptr, "?"}, Cell(), Cell(), Cell()}});
    }
    const Bound bound = core.bound() ? Bound::kAtLeast : Bound::kExact;
    Row sum{{machine, "all", "", Cell()}};
    add_range(sum.cells, all, 5, bound);
    sum.cells.emplace_back();
    table.rows.push_back(std::move(sum));
  }
  return table;
}

// What both cores have but nobody knows brings the areas closer to each other.
Bound area_gain_bound(const CostedSubject& run, const CostedSubject& base) {
  const Bound own = ratio(run.cost.bound(), base.cost.bound());
  const double more = run.cost.total_mm2().middle() - base.cost.total_mm2().middle();
  if (!run.core.bound() || more == 0) return own;
  return both(own, more > 0 ? Bound::kAtLeast : Bound::kAtMost);
}

}  // namespace warpfold::sim
