// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "warpfold/gpu/gpu.h"

namespace warpfold {
namespace {

double at(const StatValues& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

// 0/0 is left as NaN: a figure that does not exist is not written.
void derive_statistics(StatRegistry& stats, const MachineConfig& config) {
  const auto ratio = [&](const char* name, const char* unit, const char* meaning, const char* of, const char* by,
                         double scale = 1) {
    stats.derive(name, unit, meaning, [=](const StatValues& v) { return at(v, of) / (at(v, by) * scale); });
  };
  stats.derive("ipc", "thread instructions per cycle", "thread_instructions / cycles, where all of them were timed",
               [](const StatValues& v) {
                 const bool timed = at(v, "functional_kernels") == 0;
                 return timed ? at(v, "thread_instructions") / at(v, "cycles") : std::nan("");
               });
  ratio("waves", "", "blocks of a launch over those that fit the cores at once; the total's is the mean over launches",
        "blocks", "block_slots");
  ratio("core_utilisation", "", "share of the time in which a core holds a block, over all cores", "core_busy_cycles",
        "cycles", config.cores);
  ratio("few_cores_share", "", "share of the time in which fewer than half of the cores hold a block",
        "few_cores_cycles", "cycles");
  ratio("simd_efficiency", "", "active lanes per issued warp instruction, of the warp's width (TBC §1)",
        "thread_instructions", "warp_instructions", config.core.warp_size);
  ratio("lane_activity", "", "active lanes per SIMD cycle that has one, of the SIMD width (HARP eq. 2)",
        "thread_instructions", "simd_active_cycles", config.core.simd_width);
  for (const auto& [name, meaning, packed] :
       {std::tuple{"bcc_saving", "SIMD cycles that bcc saves beyond ivb, of those with ivb (Intra-warp Fig. 10)",
                   "simd_cycles_bcc"},
        {"scc_saving", "SIMD cycles that scc saves beyond ivb, of those with ivb (Intra-warp Fig. 10)",
         "simd_cycles_scc"}}) {
    stats.derive(name, "", meaning,
                 [packed = packed](const StatValues& v) { return 1 - at(v, packed) / at(v, "simd_cycles_ivb"); });
  }
  const unsigned width = config.core.warp_size;
  stats.derive("oracle_lane_activity", "", "active lanes per warp instruction of the best regrouping (HARP §3.2)",
               [width](const StatValues& v) {
                 const double issues = at(v, "oracle_warp_instructions");
                 return issues == 0 ? std::nan("") : at(v, "thread_instructions") / (issues * width);
               });
  stats.derive("pipeline_depth_utilisation", "", "cycles of a scheduler that are not idle, of all (HARP eq. 1)",
               [](const StatValues& v) {
                 const double slots = at(v, "cycles") * at(v, "schedulers");
                 return 1 - (at(v, "stall") + at(v, "w0_fetch") + at(v, "w0_mem") + at(v, "w0_idle")) / slots;
               });
  stats.derive("l1d_hit_rate", "", "loads of the L1 data cache that found their line", [](const StatValues& v) {
    return at(v, "l1d_hits") / (at(v, "l1d_hits") + at(v, "l1d_misses") + at(v, "l1d_merged"));
  });
  ratio("l2_hit_rate", "", "requests to the L2 that found their line", "l2_hits", "l2_accesses");
  stats.derive(
      "dram_row_hit_rate", "", "DRAM requests that needed no activation of their own",
      [](const StatValues& v) { return at(v, "dram_row_hits") / (at(v, "dram_row_hits") + at(v, "dram_row_misses")); });
  stats.derive("core_memory_bytes", "bytes", "traffic between cores and interconnect, both ways (TBC Fig. 16)",
               [](const StatValues& v) { return at(v, "core_to_memory_bytes") + at(v, "memory_to_core_bytes"); });
  stats.derive("validity_accuracy", "", "branches at which it was right to compact, or not to (TSTBC Fig. 7)",
               [](const StatValues& v) {
                 const double right = at(v, "validity_stall_stall") + at(v, "validity_bypass_bypass");
                 return right / (right + at(v, "validity_stall_bypass") + at(v, "validity_bypass_stall"));
               });
  ratio("capri_accuracy", "", "of the predictions, those that turned out right", "capri_predictions_correct",
        "capri_predictions");
  stats.derive("dram_bytes", "bytes", "traffic between L2 and DRAM, both ways",
               [](const StatValues& v) { return at(v, "dram_read_bytes") + at(v, "dram_write_bytes"); });
}

}  // namespace warpfold
