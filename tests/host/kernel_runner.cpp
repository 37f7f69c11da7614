// SPDX-License-Identifier: Apache-2.0
#include "tests/host/kernel_runner.h"

#include "warpfold/host/runtime/launch_shape.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::host {

KernelRunner::KernelRunner(const std::string& ptx)
    : program_(std::make_unique<isa::Program>(ptx::parse(ptx, "test.ptx"), device_.memory())) {}

void KernelRunner::launch(const isa::Kernel& kernel, isa::Dim3 grid, isa::Dim3 block, std::uint32_t dynamic_shared,
                          std::vector<std::byte> parameters) {
  isa::Launch launch;
  launch.kernel = &kernel;
  launch.grid = grid;
  launch.block = block;
  launch.shared_bytes = shared_bytes_of(kernel, dynamic_shared);
  launch.parameters = std::move(parameters);
  launch.const_bank = &program_->const_bank();
  launch.warp_size = device_.figures().row_lanes;
  launch.services = &services_;
  const isa::LaunchOutput output(services_);
  device_.launch(launch);
}

}  // namespace warpfold::host
