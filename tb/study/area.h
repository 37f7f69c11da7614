// SPDX-License-Identifier: Apache-2.0
// What the variants of a study take of its machines' cores (docs/area.md).
#pragma once

#include <vector>

#include "tb/study/plan.h"
#include "tb/study/store.h"

namespace warpfold::study {

// At 40 nm, a row for each machine, its settings and variant. UserError: logic that cannot be synthesised.
std::vector<AreaRow> areas_of(const std::vector<Planned>& points);

}  // namespace warpfold::study
