// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/hardware_cost.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "warpfold/area/terms.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using Use = std::pair<std::string, std::vector<std::pair<std::string, unsigned>>>;
Use key_of(const divergence::RtlUse& use) { return {use.module, use.parameters}; }

area::Cost cost_at(area::Storage storage, const std::string& what, const CostSettings& settings) {
  const double node = settings.process.node_nm;
  storage.node_nm = modelled_node(node);
  const std::string reason = area::why_not(storage);
  if (!reason.empty()) user_error("{}: {}", what, reason);
  area::Cost cost = area::cost(storage);
  const double shrink = node / storage.node_nm;
  const double volts = area::supply_volts(node) / area::supply_volts(storage.node_nm);
  cost.area_mm2 *= shrink * shrink;
  cost.access_ns *= shrink;
  cost.read_nj *= shrink * volts * volts;
  return cost;
}

StructureCost cost_of(const divergence::Structure& structure, const std::string& label, const CostSettings& settings) {
  const std::string what = label + ": " + structure.name;
  StructureCost cost{structure, cost_at(structure.storage, what, settings), 0};
  cost.area_mm2 = structure.copies * cost.each.area_mm2;
  if (structure.replaced) {
    cost.area_mm2 -= structure.replaced_copies * cost_at(*structure.replaced, what, settings).area_mm2;
  }
  return cost;
}

// As measured, with its node.
area::Library library_of(const Synthesis& synthesis, std::size_t which, const Synthesizer& synthesizer,
                         const CostSettings& settings) {
  const std::string file = std::filesystem::path(synthesizer.libraries()[which]).filename();
  const double node = settings.library_nodes.empty()
                          ? area::node_of_library(synthesis.library + " " + file, synthesis.nand2_um2)
                          : settings.library_nodes[which];
  return {node, synthesis.fo4_ns, synthesis.nand2_um2, synthesis.library};
}

// What delays in a library are to be multiplied by on the process.
area::Range slower_by(const area::Library& library, bool own, const area::Paces& paces, const CostSettings& settings) {
  const area::Process& process = settings.process;
  if (process.fo4_ps > 0) return 1e-3 * process.fo4_ps / library.fo4_ns;
  return own ? area::Range(1) : paces.factor(library, area::gate_length_nm(process.node_nm));
}

bool is_own(const area::Library& library, const Synthesizer& synthesizer, const CostSettings& settings) {
  return synthesizer.given() && library.node_nm == settings.process.node_nm;
}

// The clock aimed at on each library: met on the slowest that the process may be.
std::vector<double> clocks_of(const Synthesizer& synthesizer, const area::Paces& paces, const CostSettings& settings) {
  std::vector<double> clocks(synthesizer.libraries().size(), 0);
  if (settings.clock_ns <= 0) return clocks;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const Synthesis measured = synthesizer.measure(i);
    if (!measured.missing.empty()) continue;
    const area::Library library = library_of(measured, i, synthesizer, settings);
    clocks[i] = settings.clock_ns / slower_by(library, is_own(library, synthesizer, settings), paces, settings).high;
  }
  return clocks;
}

// RAMs inside take what the storage model says of the process.
area::Range path_of(const Synthesis& block, const area::Range& slower, const CostSettings& settings) {
  area::Range path = block.path_ns * slower;
  for (const Ram& ram : block.rams) {
    const double ns = cost_at(divergence::table(ram.depth, ram.width), block.library, settings).access_ns;
    path = area::max(path, ram.path_ns * slower + ns);
  }
  return path;
}

using Mapped = std::map<Use, BlockCost>;

// Every block once on each library, whatever uses it; on the process's own also mapped for delay, unless a clock says
// how fast is fast enough: so far apart are results of two scripts.
Mapped synthesise(const std::vector<divergence::Hardware>& hardware, const CostSettings& settings) {
  const Synthesizer synthesizer(settings.libraries, settings.jobs, settings.designs);
  const area::Paces paces = synthesizer.paces();
  const std::vector<double> clocks = clocks_of(synthesizer, paces, settings);
  Mapped blocks;
  std::vector<Synthesizer::Request> requests, for_delay;
  for (const divergence::Hardware& one : hardware) {
    for (const divergence::RtlUse& use : one.logic) {
      if (!blocks.emplace(key_of(use), BlockCost()).second) continue;
      for (std::size_t i = 0; i < clocks.size(); ++i) requests.push_back({use, i, clocks[i]});
    }
  }
  const auto mapped_of = [&](const Synthesizer::Request& request, const Synthesis& done) {
    MappedBlock mapped{request.library, done, library_of(done, request.library, synthesizer, settings), false, {}, {}};
    mapped.own = is_own(mapped.library, synthesizer, settings);
    mapped.area_mm2 = 1e-6 * done.nand2 * area::nand2_um2(mapped.library, settings.process);
    mapped.path_ns = path_of(done, slower_by(mapped.library, mapped.own, paces, settings), settings);
    return mapped;
  };
  const std::vector<Synthesis> done = synthesizer.run(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    BlockCost& block = blocks[key_of(requests[i].use)];
    if (!done[i].missing.empty()) {
      if (block.why_missing.empty()) block.why_missing = done[i].missing;
      continue;
    }
    block.mapped.push_back(mapped_of(requests[i], done[i]));
    if (block.mapped.back().own && settings.clock_ns <= 0)
      for_delay.push_back({requests[i].use, requests[i].library, 0, true});
  }
  const std::vector<Synthesis> faster = synthesizer.run(for_delay);
  for (std::size_t i = 0; i < for_delay.size(); ++i) {
    if (!faster[i].missing.empty()) continue;
    const MappedBlock other = mapped_of(for_delay[i], faster[i]);
    for (MappedBlock& one : blocks[key_of(for_delay[i].use)].mapped) {
      if (one.index != other.index) continue;
      one.area_mm2 = area::either(one.area_mm2, other.area_mm2);
      one.path_ns = area::either(one.path_ns, other.path_ns);
    }
  }
  return blocks;
}

// Between the ranges of libraries, each of which says what a process of another kit may be: the mean of their ends.
area::Range agreed(const std::vector<MappedBlock>& mapped) {
  double low = 0, high = 0;
  for (const MappedBlock& one : mapped) {
    low += std::log(one.path_ns.low) / static_cast<double>(mapped.size());
    high += std::log(one.path_ns.high) / static_cast<double>(mapped.size());
  }
  return {std::exp(low), std::exp(high)};
}

// All copies of it, whichever library it is mapped to: the process's own where there is one.
BlockCost cost_of(const divergence::RtlUse& use, BlockCost cost, bool known) {
  cost.use = use;
  std::vector<MappedBlock> counts;
  std::copy_if(cost.mapped.begin(), cost.mapped.end(), std::back_inserter(counts),
               [](const auto& one) { return one.own; });
  const bool own = !counts.empty();
  if (!own) counts = cost.mapped;
  for (const MappedBlock& one : counts) {
    const bool first = &one == &counts.front();
    const auto join = [&](area::Range& all, const area::Range& more) { all = first ? more : area::either(all, more); };
    join(cost.nand2, use.copies * one.synthesis.nand2);
    join(cost.area_mm2, use.copies * one.area_mm2);
    join(cost.path_ns, one.path_ns);
  }
  const bool timed = cost.path_ns.low > 0;
  if (!own && !known && timed) cost.path_ns = agreed(counts);
  return cost;
}

template <class Items, class Value>
auto sum(const Items& items, Value value) {
  decltype(value(items.front())) total{};
  for (const auto& item : items) total += value(item);
  return total;
}

// With the name of what may be the slowest.
std::pair<area::Range, std::string> slowest_of(const HardwareCost& cost) {
  std::pair<area::Range, std::string> slowest;
  const auto add = [&](const area::Range& ns, const std::string& name) {
    if (ns.high > slowest.first.high) slowest.second = name;
    slowest.first = area::max(slowest.first, ns);
  };
  for (const BlockCost& block : cost.blocks) add(block.path_ns, block.use.module);
  for (const StructureCost& one : cost.structures) {
    if (!one.registers()) add(one.each.access_ns, one.structure.name);
  }
  return slowest;
}

}  // namespace

double modelled_node(double node_nm) { return std::clamp(node_nm, area::kSmallestNode, area::kLargestNode); }

double HardwareCost::tables_mm2() const {
  return sum(structures, [](const StructureCost& s) { return s.registers() ? 0.0 : s.area_mm2; });
}
double HardwareCost::registers_mm2() const {
  return sum(structures, [](const StructureCost& s) { return s.registers() ? s.area_mm2 : 0.0; });
}
area::Range HardwareCost::logic_mm2() const {
  return sum(blocks, [](const BlockCost& block) { return block.area_mm2; });
}
area::Range HardwareCost::nand2() const {
  return sum(blocks, [](const BlockCost& block) { return block.nand2; });
}
area::Range HardwareCost::estimated_mm2(const divergence::UnknownLogic& one) const {
  // Libraries whose NAND2s are large map to as many of them: what a block takes for each is the process's.
  area::Range each;
  for (const BlockCost& block : blocks) {
    if (block.missing()) continue;
    const area::Range here =
        together(block.area_mm2, block.nand2, [](double mm2, double nand2) { return mm2 / nand2; });
    each = each.high > 0 ? either(each, here) : here;
  }
  return {one.nand2_low * each.low, one.nand2_high * each.high};
}
std::optional<area::Range> HardwareCost::estimated_total_mm2() const {
  area::Range all = total_mm2();
  for (const divergence::UnknownLogic& one : unknown) {
    const area::Range more = estimated_mm2(one);
    if (more.high <= 0) return std::nullopt;
    all += more;
  }
  return all;
}
std::string HardwareCost::unknown_names() const {
  std::string names;
  for (const divergence::UnknownLogic& one : unknown) names += (names.empty() ? "" : ", ") + one.what;
  return names;
}
area::Range HardwareCost::slowest_ns() const { return slowest_of(*this).first; }
std::string HardwareCost::slowest() const { return slowest_of(*this).second; }

std::vector<HardwareCost> cost_of(const std::vector<divergence::Hardware>& hardware,
                                  const std::vector<std::string>& labels, const CostSettings& settings) {
  std::vector<HardwareCost> costs;
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    costs.emplace_back();
    for (const divergence::Structure& one : hardware[i].storage) {
      costs.back().structures.push_back(cost_of(one, labels[i], settings));
    }
  }
  const Mapped blocks = synthesise(hardware, settings);
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    for (const divergence::RtlUse& use : hardware[i].logic) {
      costs[i].blocks.push_back(cost_of(use, blocks.at(key_of(use)), settings.process.fo4_ps > 0));
      const BlockCost& block = costs[i].blocks.back();
      if (block.missing()) costs[i].unknown.push_back({use.module, block.why_missing});
    }
    for (const divergence::UnknownLogic& one : hardware[i].unknown) costs[i].unknown.push_back(one);
  }
  return costs;
}

}  // namespace warpfold::sim
