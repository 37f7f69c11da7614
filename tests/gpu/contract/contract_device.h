// SPDX-License-Identifier: Apache-2.0
// A device that runs every launch twice, on the scalar reference and on the machine, and compares.
#pragma once

#include <cstdint>
#include <string>

#include "tests/gpu/sequence_recorder.h"
#include "warpfold/gpu/run/simulator.h"

namespace warpfold {

// After each launch all allocations must hold the same bytes and each thread must have executed the same instructions;
// otherwise launch() throws a UserError that says where they part.
class ContractDevice final : public host::Device {
 public:
  explicit ContractDevice(RunOptions options);

  DeviceMemory& memory() override { return simulator_.memory(); }
  const host::DeviceFigures& figures() const override { return simulator_.figures(); }
  void launch(const isa::Launch& launch) override;
  unsigned blocks_per_core(const isa::Kernel& kernel, unsigned block_threads, std::uint64_t shared_bytes) override {
    return simulator_.blocks_per_core(kernel, block_threads, shared_bytes);
  }
  void launch_refused(const std::string& why) override { simulator_.launch_refused(why); }
  void reset() override { simulator_.reset(); }
  double simulated_seconds() const override { return simulator_.simulated_seconds(); }
  void finish() override { simulator_.finish(); }

  std::uint64_t launches() const { return launches_; }
  std::uint64_t instructions() const { return instructions_; }  // of threads, compared

 private:
  std::string mechanism_;
  SequenceRecorder recorder_;
  Simulator simulator_;
  std::uint64_t launches_ = 0, instructions_ = 0;
};

}  // namespace warpfold
