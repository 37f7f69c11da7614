// SPDX-License-Identifier: Apache-2.0
// What the hardware that mechanisms declare costs on a node: storage by the model, logic by synthesis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tb/sim/area/synthesis.h"
#include "warpfold/area/scaling.h"
#include "warpfold/area/storage.h"
#include "warpfold/divergence/hardware.h"

namespace warpfold::sim {

struct StructureCost {
  divergence::Structure structure;
  area::Cost each;      // of one copy
  double area_mm2 = 0;  // of all copies in a core, less what they replace
  bool registers() const { return structure.replaced.has_value(); }
};

// A block on one library.
struct MappedBlock {
  std::size_t index = 0;  // of the library, among those of the synthesizer
  Synthesis synthesis;    // on the library's node
  area::Library library;  // as measured, and its node
  bool own = false;       // it was given, and the process is its own
  area::Range area_mm2;   // of one copy, on the process asked for
  area::Range path_ns;    // likewise; RAMs inside take the time that the storage model says
};

struct BlockCost {
  divergence::RtlUse use;
  std::vector<MappedBlock> mapped;  // each library that it could be mapped to
  std::string why_missing;          // the logic, where there is none
  area::Range nand2, area_mm2;      // of all copies in a core
  area::Range path_ns;
  bool missing() const { return mapped.empty(); }
};

struct HardwareCost {
  std::vector<StructureCost> structures;
  std::vector<BlockCost> blocks;
  // Logic that is not counted: without RTL, or not synthesised. Sums are lower bounds where there is any.
  std::vector<divergence::UnknownLogic> unknown;

  double tables_mm2() const;     // all storage but the register file
  double registers_mm2() const;  // what the register file grows by
  area::Range logic_mm2() const;
  area::Range total_mm2() const { return tables_mm2() + registers_mm2() + logic_mm2(); }
  area::Range nand2() const;
  bool bound() const { return !unknown.empty(); }
  // Of unknown logic for which there is an estimate; nothing where no block tells what a NAND2 takes.
  area::Range estimated_mm2(const divergence::UnknownLogic& one) const;
  // With all that is estimated, where nothing else is unknown; nothing otherwise.
  std::optional<area::Range> estimated_total_mm2() const;
  std::string unknown_names() const;  // "stack control, lookups"
  // The slowest of the blocks and of the accesses to tables, and its name; 0 and "" when there is none.
  area::Range slowest_ns() const;
  std::string slowest() const;
};

struct CostSettings {
  area::Process process{};
  std::vector<std::string> libraries{};  // Liberty files, names of Debian's; none: Debian's
  std::vector<double>
      library_nodes{};     // of those, in their order; none: found from their names, or else from their NAND2
  double clock_ns = 0;     // what synthesis aims at, on the process; 0: at the shortest path
  unsigned jobs = 0;       // at a time; 0: one for each core
  UsersDesigns designs{};  // in place of blocks of ours
};

// The nearest node that the storage model has. Tables of other nodes are taken from there in proportion: areas to the
// square of the feature size, delays to itself, energies also to the square of the voltage.
double modelled_node(double node_nm);

// Of several at once: each RTL block with its parameters is synthesised once. UserError where a structure is beyond the
// storage model, or synthesis refuses something. `labels` name the hardware in messages.
std::vector<HardwareCost> cost_of(const std::vector<divergence::Hardware>& hardware,
                                  const std::vector<std::string>& labels, const CostSettings& settings);

}  // namespace warpfold::sim
