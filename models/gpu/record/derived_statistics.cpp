// SPDX-License-Identifier: Apache-2.0
// The figures of a machine that are computed from what several of its modules count.
#include <cmath>

#include "warpfold/gpu/machine/gpu.h"

namespace warpfold {
namespace {

double sum(const StatValues& values, std::initializer_list<std::string_view> names) {
  double all = 0;
  for (const std::string_view name : names) all += value_of(values, name);
  return all;
}

}  // namespace

void Gpu::derive_statistics() {
  group_.derive("ipc", "thread instructions per cycle", "thread_instructions / cycles, where all of them were timed",
                [](const StatValues& v) {
                  const auto functional = v.find("functional_kernels");  // of an engine that stands beside the machine
                  const bool timed = functional == v.end() || functional->second == 0;
                  return timed ? value_of(v, "thread_instructions") / value_of(v, "cycles") : std::nan("");
                });
  group_.ratio("waves",
               "blocks of a launch over those that fit the cores at once; the total's is the mean over launches",
               "blocks", "block_slots");
  group_.ratio("core_utilisation", "share of the time in which a core holds a block, over all cores",
               "core_busy_cycles", "cycles", config_.cores);
  group_.ratio("few_cores_share", "share of the time in which fewer than half of the cores hold a block",
               "few_cores_cycles", "cycles");
  group_.ratio("few_waves_share", "share of the time in launches with fewer than two waves of blocks",
               "few_waves_cycles", "cycles");
  group_.derive("pipeline_depth_utilisation", "", "cycles of a scheduler that are not idle, of all (HARP eq. 1)",
                [](const StatValues& v) {
                  const double all = value_of(v, "cycles") * value_of(v, "schedulers");
                  return 1 - sum(v, {"stall", "w0_fetch", "w0_mem", "w0_idle"}) / all;
                });
  group_.derive("draining_share", "", "cycles of a scheduler without an issue since warps drain, of all",
                [](const StatValues& v) {
                  return value_of(v, "slot_draining") / (value_of(v, "cycles") * value_of(v, "schedulers"));
                });
  group_.derive("l1d_hit_rate", "", "loads of the L1 data cache that found their line", [](const StatValues& v) {
    return value_of(v, "l1d_hits") / sum(v, {"l1d_hits", "l1d_misses", "l1d_merged"});
  });
  const bool l2 = config_.memory.has_l2();
  if (l2) group_.ratio("l2_hit_rate", "requests to the L2 that found their line", "l2_hits", "l2_accesses");
  group_.derive("core_memory_bytes", "bytes", "traffic between cores and interconnect, both ways (TBC Fig. 16)",
                [](const StatValues& v) {
                  return sum(v, {"core_to_memory_bytes", "memory_to_core_bytes"});
                });
  if (!l2) return;
  group_.derive("dram_bytes", "bytes", "traffic between L2 and DRAM, both ways", [](const StatValues& v) {
    return sum(v, {"dram_read_bytes", "dram_write_bytes"});
  });
}

}  // namespace warpfold
