// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/area_core.h"

#include <fmt/format.h>

#include <set>

#include "warpfold/core/core_hardware.h"

namespace warpfold::sim {
namespace {

Row part(const std::string& machine, const std::string& name, const std::string& shape, unsigned copies,
         const area::Range& mm2, const area::Range& all) {
  Row row{{machine, name, shape, count(copies)}};
  add_range(row.cells, mm2, 5);
  row.cells.push_back(decimal(100 * mm2.middle() / all.middle(), 1));
  return row;
}

struct PublishedCore {
  std::string name, source;
  double node_nm, mm2;
  bool with_rest;  // the figure is that of the die over the number of cores
  divergence::Hardware hardware;
  std::string remark;
};

divergence::Hardware core_of(const char* machine, const std::vector<std::string>& sets) {
  return area_subject(RunOptions::resolve(machine, "pdom", sets), {}).core;
}

// 4 threads of 16 lanes, 32 vector registers each, two L1 caches of 16 KB in 4 ways and lines of 64 B, no double
// precision, no special functions but a reciprocal's first bits (hardware/core/config.svh and defines.svh of its
// repository).
divergence::Hardware nyuzi() {
  CoreParams core;
  core.warp_size = core.simd_width = 16;
  core.max_threads = 4 * 16;
  core.registers = 4 * 32 * 16;
  core.max_registers_per_thread = 32;
  core.scoreboard = ScoreboardKind::kPerRegister;
  core.shared_bytes = 0;
  core.sfu_width = 0;
  core.operations.dp_add.unit = core.operations.dp_mul.unit = core.operations.dp_mad.unit = OperationUnit::kSfu;
  L1Params cache;
  cache.size_bytes = 16 * 1024;
  cache.ways = 4;
  cache.mshr_entries = 4;  // one a thread
  return core_hardware(core, {{"L1 data cache", cache}, {"instruction cache", cache}});
}

// Registers in flip-flops, as a core's sources have them: cells of 6.5 to 7.3 NAND2s (docs/area.md, kits), written
// through a choice of two or a gated clock, and chosen from by fours, for each port.
constexpr double kFlipFlop[] = {6.5, 7.3}, kWritten[] = {0, 2.3}, kReadPerBit[] = {1, 2};

// 40 wavefronts of 64, four units for integers and four for floating point of 16 lanes each, 1024 vector registers of
// each of 64 lanes (three read ports) and 512 scalar ones, all in flip-flops; no caches, no double precision
// (src/verilog/rtl of its repository, vgpr/reg_256x32b_3r_1w.v and common/flop_32b.v).
divergence::Hardware miaow() {
  constexpr unsigned kReadPorts = 3, kVectorWords = 64 * 1024, kScalarWords = 512;
  CoreParams core;
  core.warp_size = 64;
  core.simd_width = 16;
  core.schedulers = 4;
  core.max_threads = 40 * 64;
  core.registers = kVectorWords;
  core.max_registers_per_thread = 128;
  core.scoreboard = ScoreboardKind::kPerRegister;
  core.shared_bytes = 0;
  core.sfu_width = 0;
  core.operations.dp_add.unit = core.operations.dp_mul.unit = core.operations.dp_mad.unit = OperationUnit::kSfu;
  divergence::Hardware hardware = core_hardware(core, {});
  std::erase_if(hardware.storage, [](const auto& one) { return one.name == "register file"; });
  const double bits = 32.0 * (kVectorWords + kScalarWords);
  const auto of = [&](int end) { return bits * (kFlipFlop[end] + kWritten[end] + kReadPorts * kReadPerBit[end]); };
  hardware.unknown.push_back({"registers in flip-flops", "they are no memories", of(0), of(1)});
  return hardware;
}

std::vector<PublishedCore> published() {
  const std::string whole_die =
      "of the die, with its share of L2, memory controllers, raster and texture units: a bound";
  return {{"Nyuzi", "its wiki: Design Compiler, NanGate", 45, 1.84, false, nyuzi(),
           "ours has no TLB, scalar side; two read ports of its register file"},
          {"MIAOW", "32 nm, a compute unit", 32, 9.1, false, miaow(), "ours has no scalar unit, no local memory"},
          {"GF100", "529 mm² / 16 (HARP §8)", 40, 529.0 / 16, true,
           core_of("harp2013", {"core.units.sfu=1", "core.sfu_width=4", "core.units.fp64=1", "core.fp64_width=16"}),
           whole_die},
          {"GT200", "576 mm² / 30 (Tech Report, 16 June 2008)", 65, 576.0 / 30, true, core_of("gt200", {}), whole_die}};
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
      const area::Range estimate = core.estimated_mm2(unknown);
      if (estimate.high > 0) {
        Row row{{machine, unknown.what + ", estimated", "", Cell()}};
        add_range(row.cells, estimate, 5);
        row.cells.emplace_back();
        table.rows.push_back(std::move(row));
      } else {
        table.rows.push_back({{machine, unknown.what, "", Cell(), {nullptr, "?"}, Cell(), Cell(), Cell()}});
      }
    }
    const Bound bound = core.bound() ? Bound::kAtLeast : Bound::kExact;
    Row sum{{machine, "all", "", Cell()}};
    add_range(sum.cells, all, 5, bound);
    sum.cells.emplace_back();
    table.rows.push_back(std::move(sum));
    const auto estimated = core.estimated_total_mm2();
    if (!estimated || !core.bound()) continue;
    // Storage has CACTI's wires in it.
    const double tables = core.tables_mm2();
    const area::Range& grows = area::kPlacedLogic;
    const area::Range placed{tables + grows.low * (estimated->low - tables),
                             tables + grows.high * (estimated->high - tables)};
    const std::pair<const char*, area::Range> sums[] = {{"all, with what is estimated", *estimated},
                                                        {"and placed", placed}};
    for (const auto& [name, mm2] : sums) {
      Row row{{machine, name, "", Cell()}};
      add_range(row.cells, mm2, 5);
      row.cells.emplace_back();
      table.rows.push_back(std::move(row));
    }
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

ReportTable published_cores(const CostSettings& settings) {
  ReportTable table{"cores",
                    "Cores, beside published areas",
                    {{"core", "core"}, {"node_nm", "nm"}, {"source", "published", kAll, true}, {"mm2", "mm²"}},
                    {}};
  add_range(table.columns, "ours", "ours");
  table.columns.insert(table.columns.end(), {{"deviation", "deviation, %"}});
  add_range(table.columns, "estimated", "ours with estimates");
  table.columns.insert(table.columns.end(),
                       {{"estimated_deviation", "deviation, %"}, {"remark", "what we leave out", kAll, true}});
  for (const PublishedCore& one : published()) {
    CostSettings at = settings;
    at.process.node_nm = one.node_nm;
    const HardwareCost cost = cost_of({one.hardware}, {one.name}, at).front();
    const area::Range ours = cost.total_mm2();
    Row row{{one.name, decimal(one.node_nm, 0), one.source,
             bounded(decimal(one.mm2), one.with_rest ? Bound::kAtMost : Bound::kExact)}};
    add_range(row.cells, ours, 2, cost.bound() ? Bound::kAtLeast : Bound::kExact);
    row.cells.push_back(decimal(100 * (ours.middle() / one.mm2 - 1), 0));
    if (const auto estimated = cost.estimated_total_mm2()) {
      add_range(row.cells, *estimated, 2);
      row.cells.push_back(decimal(100 * (estimated->middle() / one.mm2 - 1), 0));
    } else {
      row.cells.resize(row.cells.size() + 4);
    }
    row.cells.emplace_back(one.remark);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace warpfold::sim
