// SPDX-License-Identifier: Apache-2.0
// The ways in which a program can be run on the model, as generated kernels are drawn to them: a mode, a machine, a
// width of warps, a scoreboard and a lane map, under a mechanism with its settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/divergence/mechanism_variants.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::cuda_fuzz {

// Where the choice is empty, the machine's own stands.
struct Cell {
  MechanismVariant variant;
  std::string mode, machine, warp, scoreboard, lane_map;
  std::string name() const;
};

// Launches of a kernel: several where some of them run otherwise than others.
unsigned launches_of(const Cell& cell);

// UserError where the machine or the mechanism refuses the cell.
RunOptions options_of(const Cell& cell, const std::vector<std::string>& sets);

// What is fixed for all cells, and what is left to chance.
struct CellChoice {
  std::vector<MechanismVariant> variants;
  std::string machine;            // empty: any
  std::vector<std::string> sets;  // over those of the cells
};

// A drawn cell, or one that is refused.
struct DrawnCell {
  Cell cell;
  std::string refused;     // empty: it runs
  std::string run_file;    // of one that runs
  unsigned warp_size = 0;  // likewise
};

// Each mechanism meets every value of every dimension in one cell, whose other dimensions are drawn until the machine
// and the mechanism take them; each of its settings and extremes has one such cell. `draw` gives other others.
std::vector<DrawnCell> draw_cells(const CellChoice& choice, std::uint32_t draw);

}  // namespace warpfold::cuda_fuzz
