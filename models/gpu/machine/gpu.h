// SPDX-License-Identifier: Apache-2.0
// The modelled GPU: clocks, cores, block dispatcher and memory system, and the running of one kernel at a time. A
// module like any other: who calls sc_start() is up to the program.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/common/results/stats.h"
#include "warpfold/core/simt_core.h"
#include "warpfold/gpu/machine/block_dispatcher.h"
#include "warpfold/gpu/machine/core_islands.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/gpu/record/cycle_breakdown.h"
#include "warpfold/gpu/record/gpu_trace.h"
#include "warpfold/gpu/record/time_trace.h"
#include "warpfold/gpu/run/launch_watch.h"
#include "warpfold/memory/memory_system.h"

namespace warpfold {

class Gpu;

struct GpuOptions {
  TraceSink* trace = nullptr;
  bool reverse_construction = false;           // cores are made last to first: results must not notice
  std::shared_ptr<StandInSource> stand_ins{};  // null: the model's own
  PcProfile* profile = nullptr;                // counts what happens at each pc of the kernels, if there is one
  std::shared_ptr<LaunchWatch> watch{};        // is told how far launches are; null: nobody asks
  TimeTrace* time_trace = nullptr;             // shows what happens over time; is told of `trace`'s records, too
  unsigned threads = 1;  // of the host, for the cores; results do not depend on it. Who listens to cores wants one
  Pace::Rule pace = Pace::Rule::kAsItPays;  // of several threads
  // Binds the sockets of what is external (BindMemory). Called by a Simulator for each machine that it makes; a program
  // that makes its Gpu itself binds them itself.
  std::function<void(Gpu&, std::shared_ptr<void>&)> bind{};
};

class Gpu : public sc_core::sc_module, private ClockWatch {
 public:
  Gpu(sc_core::sc_module_name name, const MachineConfig& config, const divergence::Configured& mechanism,
      StatRegistry& stats, const GpuOptions& options = {});

  // Begins the launch at this instant, at the next edge of the core clock; from a process or between two sc_start().
  // Throws UserError for what does not fit the machine. Launch and memory must last until the end: the last store is
  // acknowledged and nothing of the launch is under way any more.
  enum class AtEnd { kNotify, kPause };  // kPause: calls sc_pause(), too
  void start(const isa::Launch& launch, DeviceMemory& memory, AtEnd at_end = AtEnd::kNotify);
  bool running() const { return launch_ != nullptr; }
  const sc_core::sc_event& finished() const { return finished_; }
  // After a launch that has failed: throws the UserError that says why (faults; kernels that cannot end: deadlock,
  // spinning, cycle limit; errors of an external memory), after which the machine is of no further use.
  void rethrow() const { clocks_.rethrow(); }

  // Where the machine's memory is external: a socket for each slice of the L2, of the base protocol as MemoryPort has
  // it, and the map that says whose addresses are whose.
  unsigned dram_sockets() const { return memory_.dram_sockets(); }
  tlm::tlm_initiator_socket<>& dram_socket(unsigned slice) { return memory_.dram_socket(slice); }
  const AddressMap& address_map() const { return memory_.map(); }
  // Where its network is external: a socket for each core, likewise (CoreGateway); no others.
  unsigned network_sockets() const { return memory_.network_sockets(); }
  tlm::tlm_initiator_socket<>& network_socket(unsigned core) { return memory_.network_socket(core); }

  // Signals of every core, NAME.core<n>.…, for the trace file; before the simulation begins (see GpuTrace).
  using sc_core::sc_object::trace;
  void trace(sc_core::sc_trace_file& file, const std::string& name);

  // Between launches: the bytes are in the L2, as copies from the host leave them there.
  void fill_l2(Address to, std::uint64_t bytes) { memory_.fill(to, bytes); }
  // What stands still between launches, to be warmed by those that run without time.
  MemorySystem& memory() { return memory_; }

  double simulated_seconds() const;

 private:
  void derive_statistics();
  Address code_of(const isa::Kernel& kernel);
  std::uint64_t limit_of(Cycle start) const;
  std::string limit_reached() const;
  void clocks_rest() override;
  void finish();
  void look() override;
  void look_at_progress();
  void plan_look();
  CounterReading reading(Cycle until) const;
  std::size_t requests_out() const;
  void check_progress();
  void stuck_idle() const;
  void check_spinning();
  [[noreturn]] void stuck(const std::string& why) const;
  bool may_run_apart(const isa::Launch& launch) const;
  void core_takes_part(unsigned core);
  void end_kernel();

  const MachineConfig config_;
  StatRegistry& stats_;
  PcProfile* const profile_;
  const std::shared_ptr<LaunchWatch> watch_;
  TimeTrace* const time_trace_;
  ClockTree clocks_;
  ClockDomain &memory_clock_, &interconnect_clock_, &core_clock_;
  std::unique_ptr<CoreIslands> islands_;  // null: the cores are in the tree's time
  StatGroup& group_;
  Counter &cycles_, &kernels_, &blocks_, &block_slots_, &few_waves_cycles_, &blocks_per_core_, &registers_per_thread_,
      &schedulers_;
  MemorySystem memory_;
  std::vector<StatGroup*> core_groups_;
  CoreUsage usage_;
  BlockDispatcher dispatcher_;
  std::vector<std::unique_ptr<SimtCore>> cores_;
  std::unique_ptr<CycleBreakdown> breakdown_;
  std::unique_ptr<GpuTrace> trace_;  // null: nobody asked for one

  std::map<const isa::Kernel*, Address> code_;  // where each kernel launched so far lies for instruction fetch
  Address code_end_ = isa::kCodeBacking;

  const isa::Launch* launch_ = nullptr;  // null: none is running
  // What its cores are told at their first block of it.
  struct OfLaunch {
    DeviceMemory* memory = nullptr;
    unsigned rows = 0, blocks = 0;  // of a block, at once on a core
    Address code = 0;
  };
  OfLaunch of_launch_;
  std::uint64_t launch_slots_ = 0;  // blocks of it that fit the cores at once
  AtEnd at_end_ = AtEnd::kNotify;
  Cycle start_ = 0;  // of the running launch
  sc_core::sc_event finished_;
  // What the last look at the kernel's progress saw.
  struct Progress {
    std::uint64_t issued = 0, memory_changes = 0, blocks = 0;
  };
  Progress progress_;
  unsigned idle_slices_ = 0, still_slices_ = 0;
  bool watching_ = false;       // the cores' spin watches are on
  std::uint64_t limit_ps_ = 0;  // of the running kernel: where it must have ended; 0: nowhere
  std::uint64_t look_ps_ = 0;   // when its progress is looked at next
};

// As SystemC's own for signals: sc_trace(file, gpu, "gpu").
inline void sc_trace(sc_core::sc_trace_file* file, Gpu& gpu, const std::string& name) { gpu.trace(*file, name); }

}  // namespace warpfold
