// SPDX-License-Identifier: Apache-2.0
// From names to what a Gpu is made of: the machine as its mechanism shapes it, and how kernels are decoded for it.
#pragma once

#include <string>
#include <vector>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/machine/machine_config.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/isa/program.h"

namespace warpfold {

// Throws UserError where a name or a value is wrong, or the mechanism cannot run on the machine.
struct GpuSetup {
  explicit GpuSetup(const RunOptions& options);
  // Machine and mechanism by name or path; then parameters by name, as in "core.warp_size=16" or "mechanism.KEY=VALUE".
  static GpuSetup of(const std::string& machine, const std::string& mechanism,
                     const std::vector<std::string>& sets = {});

  divergence::Configured mechanism;
  MachineConfig machine;  // with the warps that the mechanism makes of it

  // `room_for_any_block`: of registers, as where nothing is timed.
  isa::DecodeOptions decode_options(Code code, bool room_for_any_block = false) const;
  Address memory_base() const;  // where DeviceMemory begins

  // Every parameter with its value, what is legal and what it means; the mechanism's as "mechanism.KEY".
  std::vector<FieldView> parameters() const;
  FieldView parameter(const std::string& name) const;
};

}  // namespace warpfold
