// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/sampling/cache_warmer.h"

#include <algorithm>
#include <bit>

#include "warpfold/isa/address_space.h"

namespace warpfold {
namespace {

using isa::Kind;
using isa::Space;

bool wants_masks(const MachineConfig& config) {
  const L1Params* const caches[] = {&config.l1d, &config.texture_cache, &config.constant_cache};
  return config.memory.l2.byte_masks() ||
         std::any_of(std::begin(caches), std::end(caches), [](const L1Params* cache) { return cache->byte_masks(); });
}

std::size_t lines_of_all_cores(const MachineConfig& config) {
  return std::bit_floor(config.l1d.size_bytes / config.l1d.line_bytes * config.cores);
}

}  // namespace

CacheWarmer::CacheWarmer(const MachineConfig& config, MemorySystem& memory)
    : config_(config),
      memory_(memory),
      masks_(wants_masks(config)),
      local_stays_(config.l1d.write_policy == WritePolicy::kLocalWriteBack),
      sector_bytes_(config.memory.l2.sector_bytes != 0 ? config.memory.l2.sector_bytes
                                                       : std::min(config.memory.l2.line_bytes, kMaskedLineBytes)),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.l1d.line_bytes))),
      recent_(lines_of_all_cores(config)) {}

void CacheWarmer::launch_started() {
  std::fill(recent_.begin(), recent_.end(), Recent());
  counts_ = {};
}

const L1Params& CacheWarmer::cache_of(Space space) const {
  if (space == Space::kTexture && config_.core.lsu.texture == TexturePath::kOwn) return config_.texture_cache;
  return space == Space::kConst ? config_.constant_cache : config_.l1d;
}

void CacheWarmer::coalesce_for(const isa::MicroOp& op, const isa::Outcome& outcome) {
  const L1Params& cache = cache_of(outcome.space);
  const bool whole_lines =
      op.kind == Kind::kLoad && op.image.dimensions == 0 && outcome.space != Space::kConst && cache.sector_bytes == 0;
  coalesce_access(op, outcome, cache.line_bytes, config_.core.warp_size, masks_ && !whole_lines, accesses_);
  if (!masks_ || !whole_lines) return;
  for (LineAccess& access : accesses_) access.mask = byte_range(0, cache.line_bytes);
}

void CacheWarmer::accessed(const isa::MicroOp& op, const isa::Outcome& outcome) {
  const Space space = outcome.space;
  if (outcome.executed == 0 || space == Space::kShared || space == Space::kParam) return;
  if (space == Space::kLocal && local_stays_) return;
  coalesce_for(op, outcome);
  counts_.lines += accesses_.size();
  const CacheAccess::Kind kind = op.kind == Kind::kLoad    ? CacheAccess::Kind::kLoad
                                 : op.kind == Kind::kStore ? CacheAccess::Kind::kStore
                                                           : CacheAccess::Kind::kAtomic;
  for (const LineAccess& access : accesses_) touch(access, kind, op.cache);
}

void CacheWarmer::touch(const LineAccess& access, CacheAccess::Kind kind, const CacheUse& use) {
  Recent& recent = recent_[(access.line >> line_shift_) & (recent_.size() - 1)];
  if (recent.line != access.line) recent = {access.line};
  const auto in_line = static_cast<std::uint32_t>(access.line % config_.memory.l2.line_bytes);
  const SectorMask sectors =
      masks_ ? touched_sectors(access.mask << in_line, config_.memory.l2.line_bytes, sector_bytes_) : 1;
  SectorMask& known = kind == CacheAccess::Kind::kLoad ? recent.loaded : recent.stored;
  if ((sectors & ~known) == 0) return;
  known |= sectors;
  ++counts_.touched;
  if (memory_.warm(access.line, access.bytes, access.mask, kind, use)) ++counts_.fetched;
}

}  // namespace warpfold
