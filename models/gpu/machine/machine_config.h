// SPDX-License-Identifier: Apache-2.0
// A machine: everything that configs/machines/*.yaml says. The file must be complete; sources are cited there.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "warpfold/common/config/params.h"
#include "warpfold/core/core_params.h"
#include "warpfold/isa/check/check_params.h"
#include "warpfold/memory/l1/l1_params.h"
#include "warpfold/memory/memory_params.h"

namespace warpfold {

// GPGPU-Sim's: 4 sets of 4 lines, two misses on their way.
constexpr L1Params gtx480_instruction_cache() {
  L1Params params;
  params.size_bytes = 2048;
  params.line_bytes = 128;
  params.ways = 4;
  params.mshr_entries = 2;
  params.mshr_merges = 32;
  params.miss_queue_entries = 4;
  params.hit_latency_cycles = 1;
  params.read_only = true;
  return params;
}

// What is between the host and the device: a PCI Express 3.0 of 16 lanes, as programs find it; launches take no time.
struct HostParams {
  std::uint64_t bus_bytes_per_second = 12'000'000'000;
  unsigned bus_latency_ns = 10'000;
  unsigned launch_latency_ns = 0;
  bool empties_l2 = false;

  static constexpr auto fields() {
    using P = HostParams;
    return std::tuple{
        field("bus_bytes_per_second", "bytes", &P::bus_bytes_per_second, 1'000'000,
              std::uint64_t{1'000'000'000'000'000}, "that a copy moves each way, in a second"),
        field("bus_latency_ns", "ns", &P::bus_latency_ns, 0, 1'000'000'000, "of a copy, before its first byte"),
        field("launch_latency_ns", "ns", &P::launch_latency_ns, 0, 1'000'000'000,
              "from the host's launch of a kernel to its first block, at least"),
        flag("empties_l2", &P::empties_l2,
             "before each kernel, at no cost in time, so that it finds nothing there: as measuring tools do (Nsight "
             "Compute, --cache-control all)")};
  }
};

// What commands take that are not told.
struct DefaultParams {
  std::string mechanism = "pdom";

  static constexpr auto fields() {
    return std::tuple{text("mechanism", &DefaultParams::mechanism, "of a run on this machine that names none")};
  }
};

struct MachineConfig {
  unsigned cores = 30;
  std::uint64_t device_memory_bytes = std::uint64_t{4} << 30;
  std::uint64_t cycle_limit = 0;
  CoreParams core;
  L1Params l1d, texture_cache, constant_cache;
  L1Params instruction_cache = gtx480_instruction_cache();
  MemoryParams memory;
  HostParams host;
  isa::CheckParams check;
  DefaultParams defaults;

  static constexpr auto fields() {
    using P = MachineConfig;
    return std::tuple{field("cores", "cores", &P::cores, 1, 1024, "SIMT cores (streaming multiprocessors)"),
                      field("device_memory_bytes", "bytes", &P::device_memory_bytes, 1u << 20, std::uint64_t{1} << 40,
                            "global memory that programs can allocate"),
                      field("cycle_limit", "core cycles", &P::cycle_limit, 0, ~std::uint64_t{0},
                            "a kernel that runs longer is stopped, within 64 cycles more, with a report (functional "
                            "runs: that issues more than fits); 0: no limit"),
                      section("core", &P::core, "each SIMT core"),
                      section("l1d", &P::l1d, "first-level data cache of a core"),
                      section("texture_cache", &P::texture_cache, "read-only cache of a core: ld.global.nc"),
                      section("constant_cache", &P::constant_cache, "constant cache of a core"),
                      optional_section("instruction_cache", &P::instruction_cache,
                                       "instruction cache of a core, where core.fetch is cached"),
                      section("memory", &P::memory, "interconnect, L2 slices and DRAM channels"),
                      optional_section("host", &P::host, "between the host and the device"),
                      optional_section("check", &P::check, "what is looked for in kernels while they run"),
                      optional_section("defaults", &P::defaults, "of commands on this machine")};
  }
};

// Throws UserError when parts do not fit each other; `place` names the file in the message.
void check_consistency(const MachineConfig& config, const std::string& place);

}  // namespace warpfold
