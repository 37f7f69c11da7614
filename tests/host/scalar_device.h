// SPDX-License-Identifier: Apache-2.0
// A device without time for tests of the host side: each warp runs the lanes with the lowest pc, block after block.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpfold/host/devices/device.h"

namespace warpfold::host {

class ScalarDevice : public Device {
 public:
  ScalarDevice();
  DeviceMemory& memory() override { return memory_; }
  const DeviceFigures& figures() const override { return figures_; }
  void launch(const isa::Launch& launch) override;
  unsigned blocks_per_core(const isa::Kernel& kernel, unsigned block_threads, std::uint64_t shared_bytes) override;
  double simulated_seconds() const override { return static_cast<double>(launches_) * 1e-3; }  // a launch takes 1 ms
  void launch_refused(const std::string& why) override { refused_.push_back(why); }
  void finish() override { finished_ = true; }

  void set_launch_latency_seconds(double seconds) { figures_.launch_latency_seconds = seconds; }
  void set_shared_bytes_per_core(std::uint64_t bytes) { figures_.shared_bytes_per_core = bytes; }
  void fail_next(std::function<void()> failure) { failure_ = std::move(failure); }  // throws in the next launch
  const std::vector<std::string>& refused() const { return refused_; }

  unsigned launches() const { return launches_; }
  bool finished() const { return finished_; }

 private:
  void run_block(const isa::Launch& launch, std::uint64_t id);

  DeviceMemory memory_;
  DeviceFigures figures_;
  unsigned launches_ = 0;
  bool finished_ = false;
  std::function<void()> failure_;
  std::vector<std::string> refused_;
};

// The device that the runtime under test has made.
ScalarDevice& runtime_device();

}  // namespace warpfold::host
