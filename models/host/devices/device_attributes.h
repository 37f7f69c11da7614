// SPDX-License-Identifier: Apache-2.0
// What cudaDeviceGetAttribute() answers.
#pragma once

#include <optional>

#include "warpfold/host/include/driver_types.h"

namespace warpfold::host {

// Nothing for a number that CUDA 11.5 has no attribute of.
std::optional<int> attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr name);

}  // namespace warpfold::host
