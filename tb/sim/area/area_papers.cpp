// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/area_papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warpfold/area/terms.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

using divergence::Hardware;
using divergence::HardwareGeometry;
using divergence::Structure;

constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

struct PaperFigure {
  std::string table;  // of the paper
  std::string what, unit;
  std::string paper;  // as printed there
  std::string cacti;  // the same structure by CACTI 7.0, "-" where nobody ran it
  double ours;
  std::string remark;  // where and why we differ
};

constexpr double kHarpNode = 40, kDie = 529, kCores = 16;  // HARP §8: GF100
constexpr double kTbcNode = 65, kIntraWarpNode = 32;

area::Storage at(area::Storage storage, double node_nm) {
  storage.node_nm = node_nm;
  return storage;
}
double mm2(const area::Storage& storage, double node_nm) { return area::cost(at(storage, node_nm)).area_mm2; }

const Structure& structure(const Hardware& hardware, const std::string& name) {
  for (const Structure& one : hardware.storage) {
    if (one.name == name) return one;
  }
  throw InternalError("no structure " + name);
}

Hardware hardware_on(const char* machine, const char* mechanism, unsigned block_warps = 0) {
  const RunOptions options = RunOptions::resolve(machine, mechanism, {});
  HardwareGeometry sizes = options.machine.core.hardware_geometry();
  if (block_warps != 0) sizes.block_warps = block_warps;
  return divergence::find_mechanism(mechanism).configure(options.mechanism_parameters).hardware(sizes);
}

struct Table7 {
  const char* structure;
  double copies;  // per scheduler
  const char *paper_tags, *paper_data, *cacti_tags, *cacti_data;
};

void add_table7(std::vector<PaperFigure>& figures) {
  const std::string table = "HARP Table 7, 40 nm, per scheduler";
  const Hardware harp = hardware_on("harp2013", "harp");
  for (const Table7& row : {Table7{"barrier lanes", 16, ".017", ".058", ".0227", ".0299"},
                            Table7{"barrier pcs", 1, ".010", ".010", ".0084", ".0106"}}) {
    const area::Storage storage = at(structure(harp, row.structure).storage, kHarpNode);
    const area::Areas parts = area::areas(storage, area::fitted());
    const double scale = row.copies * area::cost(storage).area_mm2 / parts.all;
    figures.push_back(
        {table, std::string(row.structure) + ", tags", "mm²", row.paper_tags, row.cacti_tags, scale * parts.tags, ""});
    figures.push_back({table, std::string(row.structure) + ", data", "mm²", row.paper_data, row.cacti_data,
                       scale * parts.data,
                       row.copies > 1 ? "the paper's is twice CACTI's for 128 entries of 7 bits in 16 banks" : ""});
  }
  figures.push_back(
      {table, "second level", "mm²", ".024", ".0219", mm2(structure(harp, "second level").storage, kHarpNode), ""});
  // The paper's compare all of an entry; ours keep in a table what its RTL does not (rtl/ready_lookup.sv).
  const double entries = structure(harp, "ready lookup").storage.rows();
  const auto bits = static_cast<unsigned>(structure(harp, "ready lookup").storage.row_bits) + divergence::kPcBits;
  const area::Storage lookup = divergence::searched_table(static_cast<unsigned>(entries), bits, bits);
  figures.push_back({table, "one lookup", "mm²", ".004 + .018", ".0192", mm2(lookup, kHarpNode), ""});
  double scheduler = 2 * mm2(lookup, kHarpNode);
  for (const char* name : {"barrier lanes", "barrier pcs", "second level"}) {
    const Structure& one = structure(harp, name);
    scheduler += one.copies / 2.0 * mm2(one.storage, kHarpNode);
  }
  figures.push_back(
      {table, "all", "mm²", ".1622", ".132", scheduler, "less for the data of the barrier lanes, as CACTI here"});
  figures.push_back({table, "two schedulers", "mm²", ".3244", ".264", 2 * scheduler, ""});
  figures.push_back({table, "16 cores of 529 mm²", "%", "1", "0.80", 100 * kCores * 2 * scheduler / kDie, ""});
  const Structure& file = structure(harp, "registers by lane");
  const double grown =
      file.copies * mm2(file.storage, kHarpNode) - file.replaced_copies * mm2(*file.replaced, kHarpNode);
  figures.push_back({table, "registers by lane, 16 cores of 529 mm²", "%", "2.5", "-", 100 * kCores * grown / kDie,
                     "the paper's comes from earlier work; here each lane has decoders and address wires of its own"});
  const char* const beyond = "tags and rows are beyond the grid that the model was fitted to";
  figures.push_back({table, "barrier lookup", "ns", ".63", ".25 to .40",
                     area::cost(at(structure(harp, "barrier lanes").storage, kHarpNode)).access_ns, beyond});
  figures.push_back({table, "lookup table", "ns", ".38", ".52", area::cost(at(lookup, kHarpNode)).access_ns, beyond});
}

// The table of HARP Fig. 8 has a port for every thread of a warp, that of Fig. 9 a bank of one port for every lane.
// Both have the same bits.
void add_barrier_tables(std::vector<PaperFigure>& figures) {
  const std::string table = "HARP Fig. 8 and 9, 40 nm, barriers of a scheduler";
  const Hardware harp = hardware_on("harp2013", "harp");
  const area::Storage lane = at(structure(harp, "barrier lanes").storage, kHarpNode);
  const area::Storage pcs = at(structure(harp, "barrier pcs").storage, kHarpNode);
  const double lanes = structure(harp, "barrier lanes").copies / structure(harp, "barrier pcs").copies;
  area::Storage ported = pcs;
  ported.bytes += lanes * lane.bytes;
  ported.row_bits += lanes * lane.row_bits;
  ported.tag_bits += lanes * lane.tag_bits;
  ported.read_write_ports = lanes;
  const area::Cost each = area::cost(lane), points = area::cost(pcs), all = area::cost(ported);
  const char* const reads = "a warp's threads read";
  const char* const beyond = "its ports and rows are beyond the model's grid";
  figures.push_back({table, "banked (Fig. 9)", "mm²", "-", "-", lanes * each.area_mm2 + points.area_mm2,
                     "the tables of Table 7, tags and data beside each other"});
  figures.push_back({table, "banked, access", "ns", "-", "-", std::max(each.access_ns, points.access_ns), ""});
  figures.push_back({table, "banked, lookup", "nJ", "-", "-", lanes * each.read_nj + points.read_nj, reads});
  figures.push_back({table, "multi-ported (Fig. 8)", "mm²", "-", "-", all.area_mm2, beyond});
  figures.push_back({table, "multi-ported, access", "ns", "-", "-", all.access_ns, beyond});
  figures.push_back({table, "multi-ported, lookup", "nJ", "-", "-", lanes * all.read_nj, beyond});
}

void add_compaction(std::vector<PaperFigure>& figures, const CostSettings& settings) {
  const Hardware tstbc = hardware_on("tstbc2016", "tstbc", 8);
  const Structure& counts = structure(tstbc, "arrival counts");
  const std::string second = "TSTBC §4.2.5, a core of 8 blocks of 8 warps";
  figures.push_back({second, "arrival counts", "bytes", "128", "-", counts.storage.bytes * counts.copies, ""});
  figures.push_back({second, "arrival counts, 40 nm", "mm²", "-", ".0005",
                     counts.copies * mm2(counts.storage, kHarpNode), "CACTI's has one port, ours two"});
  const std::string first = "TBC §7, 65 nm";
  const divergence::RtlUse compactor{"thread_compactor", {{"Lanes", 32}, {"Rows", 32}}, 1};
  CostSettings at_65 = settings;
  at_65.process.node_nm = kTbcNode;
  Hardware logic;
  logic.logic.push_back(compactor);
  const BlockCost block = cost_of({logic}, {"tbc"}, at_65).front().blocks.front();
  figures.push_back({first, "32 priority encoders of 32 bits", "mm²", "≪ 1", "-",
                     block.missing() ? kNoFigure : block.area_mm2.middle(),
                     block.missing() ? block.why_missing : "all of rtl/thread_compactor, with the mask of its block"});
  const Hardware tbc = hardware_on("tbc2011", "tbc");
  const Structure& masks = structure(tbc, "active masks");
  figures.push_back({first, "active masks of 1024 threads, 40 nm", "mm²", "-", ".0405",
                     masks.copies * mm2(masks.storage, kHarpNode), "the paper: no more bits than the warps' stacks"});
}

// Ivy Bridge's register file, 128 × 256 bits for each of 6 threads (Intra-warp §2), against one row of 256 bits.
void add_register_files(std::vector<PaperFigure>& figures) {
  const std::string table = "Intra-warp §4.3, 32 nm, register file against 256-bit rows";
  const HardwareGeometry unit{{16, 4, 96, 6, 8, 1}, 6, 32, 6 * 128 * 8};
  const auto grown = [&](const area::Storage& now, const area::Storage& before) {
    return 100 * (mm2(now, kIntraWarpNode) / mm2(before, kIntraWarpNode) - 1);
  };
  const Hardware bcc = divergence::BccPacking::hardware(unit);
  const Hardware scc = divergence::SccPacking::hardware(unit);
  const area::Storage base = *bcc.storage[0].replaced;
  figures.push_back({table, "baseline", "mm²", "-", "-", mm2(base, kIntraWarpNode), ""});
  figures.push_back(
      {table, "BCC, two 128-bit banks", "%", "+10", "+8 to +22", grown(bcc.storage[0].storage, base), ""});
  figures.push_back(
      {table, "SCC, 512-bit rows", "%", "wider but shorter", "+12 to +22", grown(scc.storage[0].storage, base), ""});
  area::Storage by_lane = base;
  by_lane.addresses = 8;
  figures.push_back({table, "per lane, eight 32-bit banks", "%", "more than +40", "+4 to +21", grown(by_lane, base),
                     "the paper's banks must be wider"});
  area::Storage wide = base;
  wide.row_bits = 128;
  wide.banks = 8;
  figures.push_back({table, "per lane, eight banks of 128 bits", "%", "more than +40", "about +84", grown(wide, base),
                     "each bank keeps a quad's port"});
}

Cell cell_of(double value, const std::string& unit) {
  if (unit == "bytes") return count(value);
  return decimal(value, unit == "%" ? 2 : 4);
}

}  // namespace

std::vector<ReportTable> paper_tables(const CostSettings& settings) {
  std::vector<PaperFigure> figures;
  add_table7(figures);
  add_barrier_tables(figures);
  add_compaction(figures, settings);
  add_register_files(figures);
  std::vector<ReportTable> tables;
  for (const PaperFigure& figure : figures) {
    if (tables.empty() || tables.back().title != figure.table) {
      const std::string name = figure.table.substr(0, figure.table.find(','));
      tables.push_back({name,
                        figure.table,
                        {{"figure", "figure"},
                         {"unit", "unit"},
                         {"paper", "paper"},
                         {"cacti", "CACTI 7.0"},
                         {"ours", "ours"},
                         {"remark", "where we differ"}},
                        {}});
    }
    tables.back().rows.push_back(
        {{figure.what, figure.unit, figure.paper, figure.cacti, cell_of(figure.ours, figure.unit), figure.remark}});
  }
  return tables;
}

}  // namespace warpfold::sim
