// SPDX-License-Identifier: Apache-2.0
// The modelled GPU: clocks, cores, block dispatcher and memory system, and the running of one kernel at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "warpfold/common/clock.h"
#include "warpfold/common/stats.h"
#include "warpfold/core/simt_core.h"
#include "warpfold/gpu/block_dispatcher.h"
#include "warpfold/gpu/machine_config.h"
#include "warpfold/memory/memory_system.h"
#include "warpfold/memory/payload_pool.h"

namespace warpfold {

struct GpuOptions {
  TraceSink* trace = nullptr;
  bool reverse_construction = false;                // cores are made last to first: results must not notice
  std::shared_ptr<StandInSource> stand_ins{};  // null: the model's own
};

class Gpu : public sc_core::sc_module {
 public:
  Gpu(sc_core::sc_module_name name, const MachineConfig& config, const divergence::Configured& mechanism,
      StatRegistry& stats, GpuOptions options = {});

  // Runs the launch to its end: the last store acknowledged. Throws UserError for what does not fit the machine,
  // faults, and kernels that cannot end (deadlock, spinning, cycle limit), after which the machine is of no further
  // use.
  void run(const isa::Launch& launch, DeviceMemory& memory);

  // Between launches: the bytes are in the L2, as copies from the host leave them there.
  void fill_l2(Address to, std::uint64_t bytes) { memory_.fill(to, bytes); }

  double simulated_seconds() const;

 private:
  Address code_of(const isa::Kernel& kernel);
  void simulate();
  std::uint64_t limit_of(Cycle start) const;
  std::string limit_reached() const;
  void check_progress();
  void check_spinning();
  [[noreturn]] void stuck(const std::string& why) const;
  void end_kernel(Cycle start);
  void check_breakdown() const;

  const MachineConfig config_;
  StatRegistry& stats_;
  ClockTree clocks_;
  ClockDomain &memory_clock_, &interconnect_clock_, &core_clock_;
  PayloadPool pool_;
  StatGroup& group_;
  Counter &cycles_, &kernels_, &blocks_, &block_slots_, &blocks_per_core_, &registers_per_thread_, &schedulers_;
  MemorySystem memory_;
  std::vector<StatGroup*> core_groups_;
  CoreUsage usage_;
  BlockDispatcher dispatcher_;
  std::vector<std::unique_ptr<SimtCore>> cores_;

  std::map<const isa::Kernel*, Address> code_;  // where each kernel launched so far lies for instruction fetch
  Address code_end_ = isa::kCodeBacking;

  const isa::Launch* launch_ = nullptr;
  // What the last look at the kernel's progress saw.
  struct Progress {
    std::uint64_t issued = 0, memory_changes = 0, blocks = 0;
  };
  Progress progress_;
  unsigned idle_slices_ = 0, still_slices_ = 0;
  bool watching_ = false;       // the cores' spin watches are on
  std::uint64_t limit_ps_ = 0;  // of the running kernel: where simulation stops; 0: nowhere
};

// The figures that are computed from counters: ipc, simd_efficiency, hit rates …
void derive_statistics(StatRegistry& stats, const MachineConfig& config);

}  // namespace warpfold
