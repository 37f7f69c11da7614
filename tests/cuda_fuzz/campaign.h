// SPDX-License-Identifier: Apache-2.0
// Holds the model to the host twin, kernel by kernel and mechanism by mechanism.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda_fuzz/unit.h"
#include "tests/divergence/mechanism_variants.h"

namespace warpfold::cuda_fuzz {

struct CampaignOptions {
  std::uint32_t seed = 1;
  unsigned kernels = 300;
  unsigned units = 10;  // translation units that they are spread over
  unsigned jobs = 1;
  std::string machine = "tbc2011";
  std::vector<std::string> sets;
  std::vector<MechanismVariant> variants;
  bool functional = true;  // also without a pipeline
  GeneratorOptions generator;
  BuildOptions build;
  unsigned shrink_rounds = 40;
  std::string folder = ".";  // where failing kernels are written
};

// Prints what it finds, and a last line "N kernels x M mechanisms: N failures". The number of failures.
unsigned run_campaign(const CampaignOptions& options);

}  // namespace warpfold::cuda_fuzz
