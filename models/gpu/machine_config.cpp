// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/machine_config.h"

#include <algorithm>

#include "models/common/device_memory.h"
#include "models/common/error.h"

namespace warpfold {
namespace {

template <class CacheParams>
void check_cache(const std::string& place, const char* key, const CacheParams& cache) {
  if (cache.size_bytes % (std::uint64_t{cache.line_bytes} * cache.ways) == 0) return;
  user_error("{}: {}.size_bytes = {}: not a multiple of {} ways of {} bytes", place, key, cache.size_bytes, cache.ways,
             cache.line_bytes);
}

}  // namespace

void check_consistency(const MachineConfig& config, const std::string& place) {
  const CoreParams& core = config.core;
  if (core.simd_width > core.warp_size) {
    user_error("{}: core.simd_width = {}: more lanes than a warp has (core.warp_size = {})", place, core.simd_width,
               core.warp_size);
  }
  if (core.max_threads % core.warp_size != 0) {
    user_error("{}: core.max_threads = {}: not a multiple of core.warp_size = {}", place, core.max_threads,
               core.warp_size);
  }
  if (core.schedulers > core.rows()) {
    user_error("{}: core.schedulers = {}: more than the {} warps of a core", place, core.schedulers, core.rows());
  }
  if (core.issue_interval_cycles > core.alu_latency_cycles) {
    user_error("{}: core.issue_interval_cycles = {}: longer than the pipeline (core.alu_latency_cycles = {})", place,
               core.issue_interval_cycles, core.alu_latency_cycles);
  }
  if (core.address_bits == AddressBits::k32 && config.device_memory_bytes > DeviceMemory::kMostBytes32) {
    user_error(
        "{}: device_memory_bytes = {}: more than the {} that addresses of 32 bits reach (core.address_bits = 32)",
        place, config.device_memory_bytes, DeviceMemory::kMostBytes32);
  }
  check_cache(place, "l1d", config.l1d);
  check_cache(place, "texture_cache", config.texture_cache);
  check_cache(place, "constant_cache", config.constant_cache);
  check_cache(place, "memory.l2", config.memory.l2);
  try {
    check_geometry(config.memory, std::max({config.l1d.line_bytes, config.texture_cache.line_bytes,
                                            config.constant_cache.line_bytes}));
  } catch (const UserError& error) {
    user_error("{}: memory.{}", place, error.what());
  }
}

}  // namespace warpfold
