// SPDX-License-Identifier: Apache-2.0
// Holds the model to the host twin: each kernel in one of the ways in which programs can be run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda_fuzz/cells.h"
#include "tests/cuda_fuzz/unit.h"

namespace warpfold::cuda_fuzz {

struct CampaignOptions {
  std::uint32_t seed = 1;
  unsigned share = 1;  // cells that a kernel runs in
  // Kernel n of seed + n runs in cells n * share and following, and from the first on again; 0: so many that each cell
  // has one.
  unsigned kernels = 0;
  unsigned units = 10;  // translation units that they are spread over
  unsigned jobs = 1;
  CellChoice cells;
  std::uint32_t draw = 0;
  unsigned part = 0, parts = 1;  // every so-manieth cell, from this one on
  GeneratorOptions generator;
  BuildOptions build;
  unsigned shrink_rounds = 40;
  std::string folder = ".";  // where failing kernels are written
};

// Prints what it finds, and a last line "N kernels in M cells: N failures". The number of failures.
unsigned run_campaign(const CampaignOptions& options);

// Prints each cell: drawn, or refused and why.
void list_cells(const CampaignOptions& options);

}  // namespace warpfold::cuda_fuzz
