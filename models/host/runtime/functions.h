// SPDX-License-Identifier: Apache-2.0
// What a program has set for its kernels, where launches must heed it.
#pragma once

#include <cstddef>

#include "warpfold/host/runtime/context.h"

namespace warpfold::host {

// Throws LaunchRefused for more dynamic shared memory than the kernel may have.
void check_dynamic_shared(Context& context, const void* function, const isa::Kernel& kernel, std::size_t bytes);

}  // namespace warpfold::host
