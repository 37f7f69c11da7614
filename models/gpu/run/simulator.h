// SPDX-License-Identifier: Apache-2.0
// The device behind the CUDA runtime: the modelled GPU as a run's options describe it, with its memory and its results.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "warpfold/common/results/results.h"
#include "warpfold/gpu/machine/gpu.h"
#include "warpfold/gpu/machine/gpu_setup.h"
#include "warpfold/gpu/run/functional_engine.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/gpu/run/run_recorder.h"
#include "warpfold/gpu/sampling/sampled_run.h"
#include "warpfold/host/devices/device.h"
#include "warpfold/isa/check/memory_checker.h"

namespace warpfold {

class Simulator final : public host::Device {
 public:
  explicit Simulator(RunOptions options, GpuOptions gpu_options = {});
  ~Simulator() override;

  DeviceMemory& memory() override { return memory_; }
  const host::DeviceFigures& figures() const override { return figures_; }
  isa::DecodeOptions decode_options() const override;
  void launch(const isa::Launch& launch) override;
  void launch_refused(const std::string& why) override;
  void reset() override;
  void copied_in(Address to, std::uint64_t bytes) override;
  unsigned blocks_per_core(const isa::Kernel& kernel, unsigned block_threads, std::uint64_t shared_bytes) override;
  double simulated_seconds() const override;
  void finish() override;

  isa::MemoryChecker* checker() { return checker_.get(); }  // null: nothing is looked for
  StatRegistry& statistics() { return *stats_; }
  ResultWriter& results() { return *results_; }

 private:
  void elaborate();
  void make_machine();
  void make_engines();
  void make_sampled();
  void make_recorders();
  void run_timed(const isa::Launch& launch);
  void run_sampled(const isa::Launch& launch);
  void run(const isa::Launch& launch);
  void run_checked(const isa::Launch& launch);
  std::string memory_for(const isa::Launch& launch) const;
  void check_detail() const;

  RunOptions options_;
  GpuOptions gpu_options_;
  PcProfile profile_;  // if the options ask for one
  GpuSetup setup_;
  host::DeviceFigures figures_;
  DeviceMemory memory_;
  std::unique_ptr<isa::MemoryChecker> checker_;  // null: nothing is looked for
  bool summed_up_ = false;                       // what it has found
  std::unique_ptr<StatRegistry> stats_ = std::make_unique<StatRegistry>();
  std::unique_ptr<Gpu> gpu_;                               // what times launches, if any are timed
  std::shared_ptr<void> bound_;                            // to what of it is external
  std::unique_ptr<FunctionalEngine> functional_;           // what runs the others, if there can be others
  std::unique_ptr<SampledRun> sampled_;                    // instead of both: times some
  bool faulty_ = false;                                    // a kernel has failed; reset() makes another machine
  double seconds_before_ = 0;                              // simulated by the machines before this one
  std::vector<std::string> refused_;                       // before there were results to note it in
  std::vector<std::pair<Address, std::uint64_t>> copies_;  // since the last timed launch, if the L2 is to have them
  std::size_t launches_ = 0, detailed_ = 0;                // the second: those that the pipeline timed
  std::string last_kernel_;                                // launched
  std::unique_ptr<ResultWriter> results_;
  RunRecorders recorders_;
  TimeTrace* time_trace_ = nullptr;  // of those; null: none
};

}  // namespace warpfold
