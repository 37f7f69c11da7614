// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/block/meeting_of.h"

#include <utility>

#include "warpfold/divergence/parts/block/compaction_scopes.h"
#include "warpfold/divergence/parts/block/selective_compaction.h"

namespace warpfold::divergence {

std::unique_ptr<Mechanism> meets(MeetingOf meeting, BranchOrder order, unsigned stack_entries, const Geometry& geometry,
                                 Core& core, std::unique_ptr<MeetingPolicy> policy) {
  if (meeting == MeetingOf::kWarp) {
    return std::make_unique<CompactionScopes>(order, stack_entries, geometry, core, std::move(policy));
  }
  return std::make_unique<SelectiveCompaction>(order, stack_entries, geometry, core, std::move(policy));
}

}  // namespace warpfold::divergence
