// SPDX-License-Identifier: Apache-2.0
// What a core is made of before a divergence mechanism adds to it, for whoever asks what it costs (`warpfold area`):
// storage and lanes as the machine's parameters have them. What the model does in no time, and is not in RTL, is
// `unknown`.
#pragma once

#include <string>
#include <vector>

#include "warpfold/core/core_params.h"
#include "warpfold/divergence/hardware.h"
#include "warpfold/memory/l1/l1_cache.h"

namespace warpfold {

struct CoreCache {
  std::string name;
  L1Params params;
};

divergence::Hardware core_hardware(const CoreParams& core, const std::vector<CoreCache>& caches);

}  // namespace warpfold
