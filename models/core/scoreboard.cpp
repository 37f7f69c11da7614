// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/scoreboard.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold {

using divergence::WarpId;

Scoreboard::Scoreboard(ScoreboardKind kind, unsigned slots) : kind_(kind), warps_(slots) {}

void Scoreboard::kernel_started(unsigned words) {
  for (Entry& entry : warps_) {
    check(entry.in_flight == 0, "a kernel starts on an empty pipeline");
    if (kind_ == ScoreboardKind::kPerRegister) entry.pending.assign(words, 0);
  }
}

bool Scoreboard::allows(WarpId warp, const isa::MicroOp& op) const {
  const Entry& entry = warps_[warp];
  if (entry.in_flight == 0) return true;
  if (kind_ == ScoreboardKind::kSimple) return false;
  const auto free = [&](isa::Word word) { return entry.pending[word] == 0; };
  return std::all_of(op.reads.begin(), op.reads.end(), free) && std::all_of(op.writes.begin(), op.writes.end(), free);
}

void Scoreboard::issued(WarpId warp, const isa::MicroOp& op) {
  Entry& entry = warps_[warp];
  ++entry.in_flight;
  if (kind_ == ScoreboardKind::kSimple) return;
  for (isa::Word word : op.writes) ++entry.pending[word];
}

void Scoreboard::released(WarpId warp, const isa::MicroOp& op) {
  Entry& entry = warps_[warp];
  check(entry.in_flight > 0, "an instruction is released that is not in flight");
  --entry.in_flight;
  if (kind_ == ScoreboardKind::kSimple) return;
  for (isa::Word word : op.writes) --entry.pending[word];
}

}  // namespace warpfold
