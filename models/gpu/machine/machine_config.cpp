// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/machine/machine_config.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "warpfold/common/config/config.h"
#include "warpfold/common/error.h"
#include "warpfold/common/memory/device_memory.h"
#include "warpfold/memory/l1/byte_mask.h"

namespace warpfold {
namespace {

template <class CacheParams>
void check_cache(const std::string& place, const char* key, const CacheParams& cache) {
  const std::uint64_t set_bytes = std::uint64_t{cache.line_bytes} * cache.ways;
  if (cache.size_bytes % set_bytes != 0) {
    user_error("{}: {}.size_bytes = {}: not a multiple of {} ways of {} bytes", place, key, cache.size_bytes,
               cache.ways, cache.line_bytes);
  }
  if (cache.sector_bytes != 0 && cache.line_bytes % cache.sector_bytes != 0) {
    user_error("{}: {}.sector_bytes = {}: does not divide the line ({}.line_bytes = {})", place, key,
               cache.sector_bytes, key, cache.line_bytes);
  }
  if (cache.byte_masks() && cache.line_bytes > kMaskedLineBytes) {
    user_error("{}: {}.line_bytes = {}: sectors and lazy_fetch are for lines of up to {} bytes", place, key,
               cache.line_bytes, kMaskedLineBytes);
  }
  const std::uint64_t sets = cache.size_bytes / set_bytes;
  const std::string misfit = IndexHasher::misfit(cache.set_hash, sets, cache.line_bytes);
  if (!misfit.empty()) {
    user_error("{}: {}.set_hash: {} sets of lines of {} bytes: {}", place, key, sets, cache.line_bytes, misfit);
  }
}

void check_l1(const std::string& place, const char* key, const L1Params& cache) {
  check_cache(place, key, cache);
  const bool allocates =
      cache.write_policy == WritePolicy::kLocalWriteBack || cache.write_miss == L1WriteMiss::kLazyFetch;
  if (cache.read_only && (allocates || cache.write_policy != WritePolicy::kWriteThrough)) {
    user_error("{}: {}.read_only = true: stores never come here; make it write_through and no_allocate", place, key);
  }
  if (cache.write_policy == WritePolicy::kWriteEvict && cache.write_miss == L1WriteMiss::kLazyFetch) {
    user_error("{}: {}.write_miss = lazy_fetch: write_evict keeps no stores; make it no_allocate", place, key);
  }
  if (cache.write_policy == WritePolicy::kLocalWriteBack && cache.miss_queue_entries < 2) {
    user_error("{}: {}.miss_queue_entries = 1: a miss may write a line back besides; make it 2 or more", place, key);
  }
  // A line that came and found only modified ones in its set would have to wait for the way out, which may wait for it.
  if (allocates && cache.allocation != WayTaken::kOnMiss) {
    user_error("{}: {}.allocation = {}: local_write_back and lazy_fetch take a line's way at once; make it on_miss",
               place, key, Choices<WayTaken>::names[static_cast<std::size_t>(cache.allocation)]);
  }
}

// Execution units: dealt out evenly, and with pipes of their own kind nothing that only unified ones have.
void check_units(const std::string& place, const CoreParams& core) {
  for (const unsigned count : {core.units.integer, core.units.sfu, core.units.fp64, core.units.memory}) {
    if (count == 0 || core.schedulers % count == 0) continue;
    user_error("{}: core.units: {} units cannot be shared evenly by core.schedulers = {}", place, count,
               core.schedulers);
  }
  if (core.pipes == PipeLayout::kUnified) return;
  std::vector<FieldView> fields = fields_of(core.units, "core.units.");
  for (FieldView& field : fields_of(core.operations, "core.operations.")) {
    if (field.path.ends_with(".unit")) fields.push_back(std::move(field));
  }
  for (const FieldView& field : fields) {
    if (field.value == "0" || field.value == "own") continue;
    user_error("{}: {} = {}: excludes core.pipes = fpu_em, which has no units besides its pipes", place, field.path,
               field.value);
  }
  if (core.issue_width != 0) {
    user_error("{}: core.issue_width = {}: excludes core.pipes = fpu_em, where it is the pipes that take lanes", place,
               core.issue_width);
  }
}

// A warp must not issue again before the port is free.
void check_latencies(const std::string& place, const CoreParams& core) {
  const auto check_latency = [&](const char* key, unsigned latency) {
    if (core.issue_interval_cycles <= latency) return;
    user_error("{}: core.issue_interval_cycles = {}: longer than the pipeline ({} = {})", place,
               core.issue_interval_cycles, key, latency);
  };
  check_latency("core.alu_latency_cycles", core.alu_latency_cycles);
  for (unsigned operation = 0; operation < isa::kOperations; ++operation) {
    const unsigned latency = core.operations.of(static_cast<isa::Operation>(operation)).latency_cycles;
    if (latency != 0) check_latency("a latency of core.operations", latency);
  }
  if (core.operations.custom.latency_cycles != 0) return;
  for (const isa::CustomUnitOf& of : isa::custom_units()) check_latency(of.opcode.c_str(), of.unit.latency_cycles);
}

void check_fetch(const std::string& place, const MachineConfig& config) {
  const FetchParams& fetch = config.core.fetch;
  if (!fetch.cached) return;
  check_l1(place, "instruction_cache", config.instruction_cache);
  if (fetch.instruction_bytes > config.instruction_cache.line_bytes) {
    user_error("{}: core.fetch.instruction_bytes = {}: more than a line of instruction_cache.line_bytes = {}", place,
               fetch.instruction_bytes, config.instruction_cache.line_bytes);
  }
  if (config.core.pipes != PipeLayout::kUnified) {
    user_error("{}: core.fetch.cached = true: excludes core.pipes = fpu_em, whose fetch is not modelled", place);
  }
}

void check_boundary(const std::string& place, const MachineConfig& config) {
  const MemoryParams& memory = config.memory;
  if (config.host.empties_l2 && memory.external()) {
    user_error("{}: host.empties_l2 = true: excludes memory.boundary.memory = {}, {}", place, memory.boundary_name(),
               memory.has_l2() ? "which keeps values" : "where there is no L2");
  }
  if (memory.has_l2()) return;
  // Each request says which bytes it is for.
  const std::pair<const char*, const L1Params*> caches[]{{"l1d", &config.l1d},
                                                         {"texture_cache", &config.texture_cache},
                                                         {"constant_cache", &config.constant_cache},
                                                         {"instruction_cache", &config.instruction_cache}};
  for (const auto& [key, cache] : caches) {
    if (cache->line_bytes <= kMaskedLineBytes) continue;
    user_error("{}: {}.line_bytes = {}: memory.boundary.memory = external_network is for lines of up to {} bytes",
               place, key, cache->line_bytes, kMaskedLineBytes);
  }
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
  check_units(place, core);
  check_latencies(place, core);
  if (core.address_bits == AddressBits::k32 && config.device_memory_bytes > DeviceMemory::kMostBytes32) {
    user_error(
        "{}: device_memory_bytes = {}: more than the {} that addresses of 32 bits reach (core.address_bits = 32)",
        place, config.device_memory_bytes, DeviceMemory::kMostBytes32);
  }
  check_l1(place, "l1d", config.l1d);
  if (core.lsu.shared_memory == SharedPlace::kL1d && core.shared_bytes >= config.l1d.size_bytes) {
    user_error("{}: core.lsu.shared_memory = l1d: core.shared_bytes = {} leave nothing of l1d.size_bytes = {}", place,
               core.shared_bytes, config.l1d.size_bytes);
  }
  check_l1(place, "texture_cache", config.texture_cache);
  check_l1(place, "constant_cache", config.constant_cache);
  check_fetch(place, config);
  check_boundary(place, config);
  check_cache(place, "memory.l2", config.memory.l2);
  try {
    const unsigned fetched = config.core.fetch.cached ? config.instruction_cache.line_bytes : 0;
    check_geometry(config.memory, std::max({config.l1d.line_bytes, config.texture_cache.line_bytes,
                                            config.constant_cache.line_bytes, fetched}));
  } catch (const UserError& error) {
    user_error("{}: memory.{}", place, error.what());
  }
}

}  // namespace warpfold
