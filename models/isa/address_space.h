// SPDX-License-Identifier: Apache-2.0
// Windows of the generic address space: where shared and local memory lie for cvta and generic loads and stores.
#pragma once

#include "warpfold/common/memory/device_memory.h"

namespace warpfold::isa {

// Below 2^32 and below device memory, whatever the width of addresses; those of
// memory are as large as NVIDIA's (16 MiB).
inline constexpr Address kWindowBytes = 0x100'0000;
inline constexpr Address kParamWindow = 0x80'0000;    // [kParamWindow, kSharedWindow): in the kernel's parameters
inline constexpr Address kSharedWindow = 0x100'0000;  // [kSharedWindow, + kWindowBytes): in the block's shared memory
inline constexpr Address kLocalWindow = 0x200'0000;   // [kLocalWindow, + kWindowBytes): in the thread's local memory
inline constexpr Address kConstWindow = 0x300'0000;   // [kConstWindow, + kWindowBytes): in the module's constant bank
static_assert(kConstWindow + kWindowBytes <= DeviceMemory::kBase32);

// Where local memory lies for the memory system. Word w (4 bytes) of the threads of a core interleaves, so that
// lanes that access the same local variable coalesce (PTX ISA §5.1.5 leaves the layout to the machine).
inline constexpr Address kLocalBacking = 0x6'0000'0000;
inline constexpr Address kCodeBacking = 0x4'0000'0000;   // instructions: read by instruction fetch, written by nobody
inline constexpr Address kSpillBacking = 0x3'0000'0000;  // of mechanisms' structures what has no room on the core
inline constexpr Address kPrintBacking = 0x2'0000'0000;  // the FIFO of printf
inline constexpr Address kConstBacking = 0x5'0000'0000;

}  // namespace warpfold::isa
