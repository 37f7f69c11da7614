// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/parts/meeting_points.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold::divergence {

unsigned MeetingPoints::begin(Pc pc, unsigned outer, LaneMask threads, Cycle now) {
  const auto free = std::find_if(points_.begin(), points_.end(), [](const Point& p) { return p.pc == isa::kNoPc; });
  const auto at = static_cast<unsigned>(free - points_.begin());
  if (free == points_.end()) points_.emplace_back();
  points_[at] = {pc, outer, threads, threads, ++begun_, now};
  ++in_use_;
  return at;
}

void MeetingPoints::arrive(unsigned at, LaneMask threads, Cycle now) {
  Point& point = points_[at];
  check((threads & ~point.pending) == 0, "threads come once to where they meet");
  point.pending &= ~threads;
  point.heard = now;
}

void MeetingPoints::exit(LaneMask threads) {
  for (Point& point : points_) {
    if (point.pc == isa::kNoPc) continue;
    point.threads &= ~threads;
    point.pending &= ~threads;
    if (point.threads != 0) continue;
    point = {};
    --in_use_;
  }
}

void MeetingPoints::let_go(unsigned at, Cycle now) {
  points_[at].threads = points_[at].pending;
  points_[at].heard = now;
}

MeetingPoints::Point MeetingPoints::end(unsigned at) {
  const Point ended = points_[at];
  points_[at] = {};
  --in_use_;
  for (Point& point : points_) {
    if (point.outer == at) point.outer = ended.outer;
  }
  return ended;
}

LaneMask MeetingPoints::arrived() const {
  LaneMask threads = 0;
  for (const Point& point : points_) threads |= point.arrived();
  return threads;
}

LaneMask MeetingPoints::kept_back_by(LaneMask threads) const {
  LaneMask kept = 0;
  for (const Point& point : points_) {
    if ((point.pending & threads) != 0) kept |= point.arrived();
  }
  return kept;
}

}  // namespace warpfold::divergence
