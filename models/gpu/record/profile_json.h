// SPDX-License-Identifier: Apache-2.0
// A profile as profile.json holds it (docs/profiling.md).
#pragma once

#include <string>

#include "warpfold/core/issue/pc_profile.h"

namespace warpfold {

std::string profile_json(const PcProfile& profile);

}  // namespace warpfold
