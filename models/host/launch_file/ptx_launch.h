// SPDX-License-Identifier: Apache-2.0
// Runs one kernel of a PTX file as a launch description says: warpfold run --ptx kernel.ptx LAUNCH.yaml.
#pragma once

#include <iosfwd>
#include <string>

#include "warpfold/host/devices/device.h"
#include "warpfold/host/launch_file/ptx_launch_file.h"

namespace warpfold::host {

// Everything in the file is decoded first, so what the model does not know is said before anything runs. Returns 0, or
// 1 when a check of the description fails (each says which element, on `out`). Throws UserError for everything else.
int run_ptx(const std::string& ptx_path, const std::string& launch_path, Device& device, std::ostream& out);
int run_ptx(const std::string& ptx_path, const LaunchDescription& description, Device& device, std::ostream& out);

}  // namespace warpfold::host
