// SPDX-License-Identifier: Apache-2.0
// What a pointer to a device function holds.
#pragma once

#include <cstddef>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// Of Module::functions[function]: never zero, among the addresses of code, where no data lies, and always the same for
// the same file. Programs keep such values in memory of any kind and pass them from kernel to kernel by way of the
// host; a module of another file hardly has the same ones, so that a pointer that strays there is found out.
Address function_address(const ptx::Module& module, std::size_t function);

}  // namespace warpfold::isa
