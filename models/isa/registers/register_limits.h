// SPDX-License-Identifier: Apache-2.0
// How many registers a thread may have: what the machine, the kernel's directives and a launch's blocks leave it.
#pragma once

#include <limits>
#include <string>

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// Of a machine, in 32-bit registers, threads and lanes; by default there are no limits.
struct RegisterLimits {
  unsigned per_thread = std::numeric_limits<unsigned>::max();
  unsigned per_core = std::numeric_limits<unsigned>::max();
  unsigned threads_per_core = std::numeric_limits<unsigned>::max();
  unsigned warp_size = 32;
};

struct RegisterCap {
  unsigned registers = 0;  // per thread
  std::string reason;      // what sets it, for messages
};

// The lowest of: the machine's own limit, .maxnreg, what lets .minnctapersm blocks of .maxntid threads (as many of them
// as a core has threads for) share a core's registers, and what lets one block of `block_threads` threads (0: not known
// yet) have them, if a core has threads for it. Registers are given to whole warps.
RegisterCap register_cap(const RegisterLimits& limits, const ptx::Function& entry, unsigned block_threads);

// Of .reqntid, else .maxntid; 0: neither is given.
unsigned most_threads(const ptx::Function& entry);

}  // namespace warpfold::isa
