// SPDX-License-Identifier: Apache-2.0
// What the hardware that mechanisms declare costs on a node: storage by the model, logic by synthesis.
#pragma once

#include <string>
#include <vector>

#include "tb/sim/synthesis.h"
#include "warpfold/area/storage.h"
#include "warpfold/divergence/hardware.h"

namespace warpfold::sim {

struct StructureCost {
  divergence::Structure structure;
  area::Cost each;      // of one copy
  double area_mm2 = 0;  // of all copies in a core, less what they replace
  bool registers() const { return structure.replaced.has_value(); }
};

struct BlockCost {
  divergence::RtlUse use;
  Synthesis synthesis;  // on the library's node
  double area_mm2 = 0;  // of all copies in a core, on the node asked for
  double path_ns = 0;   // likewise; RAMs inside take the time that the storage model says
  bool missing() const { return !synthesis.missing.empty(); }
};

struct HardwareCost {
  std::vector<StructureCost> structures;
  std::vector<BlockCost> blocks;
  // Logic that is not counted: without RTL, or not synthesised. Sums are lower bounds where there is any.
  std::vector<divergence::UnknownLogic> unknown;

  double tables_mm2() const;     // all storage but the register file
  double registers_mm2() const;  // what the register file grows by
  double logic_mm2() const;
  double total_mm2() const { return tables_mm2() + registers_mm2() + logic_mm2(); }
  double nand2() const;
  bool bound() const { return !unknown.empty(); }
  std::string unknown_names() const;  // "stack control, lookups"
  // The slowest of the blocks and of the accesses to tables, and its name; 0 and "" when there is none.
  double slowest_ns() const;
  std::string slowest() const;
};

struct CostSettings {
  double node_nm = 40;
  std::string lib;         // a Liberty file; empty: scripts/rtl-synth's default
  double lib_node_nm = 0;  // of that file; 0: found from its name, or else from its NAND2
};

// Of several at once: each RTL block with its parameters is synthesised once. UserError where a structure is beyond the
// storage model, or synthesis refuses something. `labels` name the hardware in messages.
std::vector<HardwareCost> cost_of(const std::vector<divergence::Hardware>& hardware,
                                  const std::vector<std::string>& labels, const CostSettings& settings);

// The node of the library that a block was mapped to.
double library_node(const Synthesis& synthesis, const CostSettings& settings);

}  // namespace warpfold::sim
