// SPDX-License-Identifier: Apache-2.0
// A device that runs nothing: memory and figures for calls that end at the launch.
#pragma once

#include "warpfold/host/devices/device.h"

namespace warpfold::fuzz {

class IdleDevice : public host::Device {
 public:
  DeviceMemory& memory() override { return memory_; }
  const host::DeviceFigures& figures() const override { return figures_; }
  void launch(const isa::Launch&) override {}
  unsigned blocks_per_core(const isa::Kernel&, unsigned, std::uint64_t) override { return 1; }
  double simulated_seconds() const override { return 0; }
  void finish() override {}

 private:
  DeviceMemory memory_{1 << 20};
  host::DeviceFigures figures_;
};

}  // namespace warpfold::fuzz
