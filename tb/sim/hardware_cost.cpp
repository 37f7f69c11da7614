// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/hardware_cost.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "warpfold/area/scaling.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {
namespace {

using Use = std::pair<std::string, std::vector<std::pair<std::string, unsigned>>>;
Use key_of(const divergence::RtlUse& use) { return {use.module, use.parameters}; }

area::Cost cost_at(area::Storage storage, const std::string& what, const CostSettings& settings) {
  storage.node_nm = settings.node_nm;
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

// Synthesises every block once, and a second time with the access times of its RAMs where it has any.
std::map<Use, Synthesis> synthesise(const std::vector<divergence::Hardware>& hardware, const CostSettings& settings) {
  const Synthesizer synthesizer(settings.lib);
  std::map<Use, Synthesis> results;
  std::vector<Synthesizer::Request> requests;
  for (const divergence::Hardware& one : hardware) {
    for (const divergence::RtlUse& use : one.logic) {
      if (results.emplace(key_of(use), Synthesis()).second) requests.push_back({use, {}});
    }
  }
  const auto run = [&] {
    const std::vector<Synthesis> done = synthesizer.run(requests);
    for (std::size_t i = 0; i < requests.size(); ++i) results[key_of(requests[i].use)] = done[i];
  };
  run();
  for (Synthesizer::Request& request : requests) {
    const Synthesis& result = results[key_of(request.use)];
    for (const Ram& ram : result.rams) {
      const double ns = cost_at(divergence::table(ram.depth, ram.width), request.use.module, settings).access_ns;
      const double back = area::delay_factor(settings.node_nm, library_node(result, settings));
      request.ram_ns.emplace(ram, ns * back);
    }
  }
  std::erase_if(requests, [](const Synthesizer::Request& request) { return request.ram_ns.empty(); });
  run();
  return results;
}

BlockCost cost_of(const divergence::RtlUse& use, const Synthesis& synthesis, const CostSettings& settings) {
  BlockCost cost{use, synthesis, 0, 0};
  if (cost.missing()) return cost;
  const double from = library_node(synthesis, settings);
  cost.area_mm2 = use.copies * synthesis.area_um2 * 1e-6 * area::area_factor(from, settings.node_nm);
  cost.path_ns = synthesis.path_ns * area::delay_factor(from, settings.node_nm);
  return cost;
}

template <class Items, class Value>
double sum(const Items& items, Value value) {
  double total = 0;
  for (const auto& item : items) total += value(item);
  return total;
}

std::pair<double, std::string> slowest_of(const HardwareCost& cost) {
  std::pair<double, std::string> slowest{0, ""};
  for (const BlockCost& block : cost.blocks) slowest = std::max(slowest, {block.path_ns, block.use.module});
  for (const StructureCost& one : cost.structures) {
    if (!one.registers()) slowest = std::max(slowest, {one.each.access_ns, one.structure.name});
  }
  return slowest;
}

}  // namespace

double library_node(const Synthesis& synthesis, const CostSettings& settings) {
  if (settings.lib_node_nm > 0) return settings.lib_node_nm;
  const std::string file = std::filesystem::path(settings.lib).filename();
  return area::node_of_library(synthesis.library + " " + file, synthesis.nand2_um2);
}

double HardwareCost::tables_mm2() const {
  return sum(structures, [](const StructureCost& s) { return s.registers() ? 0 : s.area_mm2; });
}
double HardwareCost::registers_mm2() const {
  return sum(structures, [](const StructureCost& s) { return s.registers() ? s.area_mm2 : 0; });
}
double HardwareCost::logic_mm2() const {
  return sum(blocks, [](const BlockCost& block) { return block.area_mm2; });
}
double HardwareCost::nand2() const {
  return sum(blocks, [](const BlockCost& block) { return block.use.copies * block.synthesis.nand2; });
}
std::string HardwareCost::unknown_names() const {
  std::string names;
  for (const divergence::UnknownLogic& one : unknown) names += (names.empty() ? "" : ", ") + one.what;
  return names;
}
double HardwareCost::slowest_ns() const { return slowest_of(*this).first; }
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
  const std::map<Use, Synthesis> blocks = synthesise(hardware, settings);
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    for (const divergence::RtlUse& use : hardware[i].logic) {
      costs[i].blocks.push_back(cost_of(use, blocks.at(key_of(use)), settings));
      const BlockCost& block = costs[i].blocks.back();
      if (block.missing()) costs[i].unknown.push_back({use.module, block.synthesis.missing});
    }
    for (const divergence::UnknownLogic& one : hardware[i].unknown) costs[i].unknown.push_back(one);
  }
  return costs;
}

}  // namespace warpfold::sim
