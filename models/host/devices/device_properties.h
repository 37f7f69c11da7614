// SPDX-License-Identifier: Apache-2.0
// The modelled machine in CUDA's words.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include "warpfold/host/devices/device.h"
#include "warpfold/host/include/driver_types.h"

namespace warpfold::host {

// Shared memory that a block may have without asking (cudaFuncSetAttribute).
inline constexpr std::uint64_t kUnaskedSharedBytes = 48 << 10;

// CUDA's figures are ints; what is larger, such as a pitch, is the largest one.
constexpr int to_int(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX)); }

cudaDeviceProp properties_of(const DeviceFigures& figures);

// cudaErrorInvalidDevice, with a line that names the call, for any other than the device that there is.
cudaError_t only_device(const char* call, int device);

}  // namespace warpfold::host
