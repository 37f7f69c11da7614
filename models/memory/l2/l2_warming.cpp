// SPDX-License-Identifier: Apache-2.0
// What accesses leave in a slice of the L2, without the time that they take.
#include "warpfold/memory/l2/l2_slice.h"

namespace warpfold {

L2Slice::Warmed L2Slice::warm(Address at, std::uint32_t bytes, const ByteMask& mask, CacheAccess::Kind kind,
                              const CacheUse& use) {
  const std::uint64_t local = map_.local(at), line = local >> line_shift_;
  const bool store = kind == CacheAccess::Kind::kStore;
  const ByteMask in_line = masks_ ? mask << local % params_.line_bytes : ByteMask();
  Warmed warmed;
  TagArray::Slot slot = tags_.find(line);
  const bool held = slot != TagArray::kNone;
  if (held) {
    tags_.touch(slot, use.l2);
  } else {
    slot = tags_.victim(line);
    check(slot != TagArray::kNone, "nothing is on its way to a cache that is warmed");
    if (dirty_[slot] != 0) warmed.written_back = map_.global(tags_.line_of(slot) << line_shift_, slice_);
    take(slot, line, use.l2);
  }
  if (masks_) {
    const SectorMask missing = around(missing_sectors(in_line, store, there_[slot]), use.l2_bytes) & ~there_[slot];
    warmed.fetches = missing != 0;
    there_[slot] |= missing;
  } else {
    warmed.fetches = !held && !(store && bytes == params_.line_bytes);
  }
  if (kind == CacheAccess::Kind::kLoad) return warmed;
  if (const TagArray::Slot cleaned = cleaned_by_write(slot); cleaned != TagArray::kNone) {
    warmed.cleaned = map_.global(tags_.line_of(cleaned) << line_shift_, slice_);
    dirty_[cleaned] = 0;
  }
  if (masks_) {
    note_written(in_line, slot);
  } else {
    dirty_[slot] = 1;
  }
  return warmed;
}

}  // namespace warpfold
