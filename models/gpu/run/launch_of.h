// SPDX-License-Identifier: Apache-2.0
// A kernel with its arguments, ready for Gpu::start().
#pragma once

#include <cstring>
#include <string>

#include "warpfold/common/error.h"
#include "warpfold/host/runtime/launch_shape.h"
#include "warpfold/isa/program.h"

namespace warpfold {

struct LaunchShape {
  isa::Dim3 grid, block;
  std::uint64_t dynamic_shared_bytes = 0;
};

// The arguments are copied as they are, each to its parameter's place. `row_lanes`: threads of a warp of the machine.
template <class... Arguments>
isa::Launch launch_of(isa::Program& program, const std::string& kernel, unsigned row_lanes, const LaunchShape& shape,
                      const Arguments&... arguments) {
  isa::Launch launch;
  launch.kernel = &program.kernel(kernel, static_cast<unsigned>(shape.block.count()));
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.shared_bytes = host::shared_bytes_of(*launch.kernel, shape.dynamic_shared_bytes);
  launch.const_bank = &program.const_bank();
  launch.warp_size = row_lanes;
  launch.parameters.resize(launch.kernel->parameter_bytes);
  host::check_block(*launch.kernel, shape.block);
  if (launch.kernel->parameters.size() != sizeof...(arguments)) {
    user_error("kernel {}: {} arguments for {} parameters", kernel, sizeof...(arguments),
               launch.kernel->parameters.size());
  }
  std::size_t index = 0;
  [[maybe_unused]] const auto place = [&](const void* argument, std::size_t bytes) {
    const isa::KernelParameter& parameter = launch.kernel->parameters[index++];
    if (parameter.bytes != bytes) {
      user_error("kernel {}: argument {} has {} bytes, its parameter {}", kernel, index, bytes, parameter.bytes);
    }
    std::memcpy(launch.parameters.data() + parameter.offset, argument, bytes);
  };
  (place(&arguments, sizeof arguments), ...);
  return launch;
}

}  // namespace warpfold
