// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/machine_config.h"

#include <algorithm>

#include "models/common/error.h"

namespace warpfold {

void check_consistency(const MachineConfig& config, const std::string& place) {
  const CoreParams& core = config.core;
  if (core.simd_width > core.warp_size) {
    user_error("{}: core.simd_width = {}: more lanes than a warp has (core.warp_size = {})", place, core.simd_width,
               core.warp_size);
  }
  if (core.max_threads % core.warp_size != 0) {
    user_error("{}: core.max_threads = {}: not a multiple of core.warp_size = {}", place, core.max_threads, core.warp_size);
  }
  if (core.schedulers > core.rows()) {
    user_error("{}: core.schedulers = {}: more than the {} warps of a core", place, core.schedulers, core.rows());
  }
  for (const auto& [key, cache] : {std::pair<const char*, const L1Params*>{"l1d", &config.l1d},
                                   {"texture_cache", &config.texture_cache},
                                   {"constant_cache", &config.constant_cache}}) {
    if (cache->size_bytes % (std::uint64_t{cache->line_bytes} * cache->ways) != 0) {
      user_error("{}: {}.size_bytes = {}: not a multiple of {} ways of {} bytes", place, key, cache->size_bytes, cache->ways,
                 cache->line_bytes);
    }
  }
  check_geometry(config.memory, std::max({config.l1d.line_bytes, config.texture_cache.line_bytes,
                                          config.constant_cache.line_bytes}));
}

}  // namespace warpfold
