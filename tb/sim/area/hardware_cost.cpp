// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/hardware_cost.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using Use = std::pair<std::string, std::vector<std::pair<std::string, unsigned>>>;
Use key_of(const divergence::RtlUse& use) { return {use.module, use.parameters}; }

area::Cost cost_at(area::Storage storage, const std::string& what, const CostSettings& settings) {
  storage.node_nm = settings.process.node_nm;
  const std::string reason = area::why_not(storage);
  if (!reason.empty()) user_error("{}: {}", what, reason);
  return area::cost(storage);
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
  return {node, synthesis.fo4_ns, synthesis.nand2_um2};
}

// The clock aimed at on each library: met on the slowest that the process may be.
std::vector<double> clocks_of(const Synthesizer& synthesizer, const CostSettings& settings) {
  std::vector<double> clocks(synthesizer.libraries().size(), 0);
  if (settings.clock_ns <= 0) return clocks;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    const Synthesis measured = synthesizer.measure(i);
    if (!measured.missing.empty()) continue;
    const area::Library library = library_of(measured, i, synthesizer, settings);
    clocks[i] = settings.clock_ns * library.fo4_ns / area::fo4_ns(library, settings.process).high;
  }
  return clocks;
}

// Delay in FO4s is what libraries have in common; RAMs take what the storage model says on the fastest process, and are
// slower where that is slower.
area::Range path_of(const Synthesis& block, const area::Library& library, const CostSettings& settings) {
  const area::Range fo4 = area::fo4_ns(library, settings.process);
  double fo4s = block.path_ns / library.fo4_ns;
  for (const Ram& ram : block.rams) {
    const double ns = cost_at(divergence::table(ram.depth, ram.width), block.library, settings).access_ns;
    fo4s = std::max(fo4s, ram.path_ns / library.fo4_ns + ns / fo4.low);
  }
  return fo4s * fo4;
}

using Mapped = std::map<Use, BlockCost>;

// Every block once on each library, whatever uses it.
Mapped synthesise(const std::vector<divergence::Hardware>& hardware, const CostSettings& settings) {
  const Synthesizer synthesizer(settings.libraries, settings.jobs, settings.designs);
  const std::vector<double> clocks = clocks_of(synthesizer, settings);
  Mapped blocks;
  std::vector<Synthesizer::Request> requests;
  for (const divergence::Hardware& one : hardware) {
    for (const divergence::RtlUse& use : one.logic) {
      if (!blocks.emplace(key_of(use), BlockCost()).second) continue;
      for (std::size_t i = 0; i < clocks.size(); ++i) requests.push_back({use, i, clocks[i]});
    }
  }
  const std::vector<Synthesis> done = synthesizer.run(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    BlockCost& block = blocks[key_of(requests[i].use)];
    if (!done[i].missing.empty()) {
      if (block.why_missing.empty()) block.why_missing = done[i].missing;
      continue;
    }
    MappedBlock mapped{
        requests[i].library, done[i], library_of(done[i], requests[i].library, synthesizer, settings), {}, {}};
    mapped.area_mm2 = 1e-6 * done[i].nand2 * area::nand2_um2(mapped.library, settings.process);
    mapped.path_ns = path_of(done[i], mapped.library, settings);
    block.mapped.push_back(std::move(mapped));
  }
  return blocks;
}

// All copies of it, whichever library it is mapped to.
BlockCost cost_of(const divergence::RtlUse& use, BlockCost cost) {
  cost.use = use;
  for (const MappedBlock& one : cost.mapped) {
    const bool first = &one == &cost.mapped.front();
    const auto join = [&](area::Range& all, const area::Range& own) { all = first ? own : area::either(all, own); };
    join(cost.nand2, use.copies * one.synthesis.nand2);
    join(cost.area_mm2, use.copies * one.area_mm2);
    join(cost.path_ns, one.path_ns);
  }
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
      costs[i].blocks.push_back(cost_of(use, blocks.at(key_of(use))));
      const BlockCost& block = costs[i].blocks.back();
      if (block.missing()) costs[i].unknown.push_back({use.module, block.why_missing});
    }
    for (const divergence::UnknownLogic& one : hardware[i].unknown) costs[i].unknown.push_back(one);
  }
  return costs;
}

}  // namespace warpfold::sim
