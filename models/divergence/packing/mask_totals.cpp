// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/packing/mask_totals.h"

#include <bit>

namespace warpfold::divergence {

bool MaskTotals::add(const MaskRecord& record) {
  const LanesOnUnit& lanes = record.lanes;
  // An instruction takes no more cycles than it has lanes: no other sum is larger.
  std::uint64_t added = 0, width = 0;
  if (__builtin_mul_overflow(record.count, std::uint64_t{lanes.width}, &added)) return false;
  if (__builtin_add_overflow(width_, added, &width)) return false;
  width_ = width;
  const auto active = static_cast<unsigned>(std::popcount(lanes.mask));
  instructions_ += record.count;
  active_ += record.count * active;
  const Quads quads = quads_of(lanes);
  for (std::size_t i = 0; i < cycles_.size(); ++i) cycles_[i] += record.count * kPackings[i].cycles(lanes, quads);
  std::vector<std::uint64_t>& by_groups = utilisation_[{lanes.width, lanes.unit_width}];
  by_groups.resize(quads.all + 1);
  by_groups[groups(active, lanes.unit_width)] += record.count;
  return true;
}

double MaskTotals::saving(Packing packing) const {
  return saving_beyond_ivb(static_cast<double>(cycles(packing)), static_cast<double>(cycles(Packing::kIvb)));
}

}  // namespace warpfold::divergence
