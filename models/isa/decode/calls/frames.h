// SPDX-License-Identifier: Apache-2.0
// Stack frames of recursive functions: what each activation keeps in the thread's local memory.
#pragma once

#include "warpfold/isa/decode/calls/call_parameters.h"
#include "warpfold/isa/decode/calls/recursion.h"
#include "warpfold/isa/decode/draft.h"
#include "warpfold/isa/decode/layout.h"

namespace warpfold::isa {

// A frame holds the function's variables, then the registers that it needs again behind a call which may come back to
// the function itself, then, in its last word, where the function returns to. `draft` holds one draft for each
// instruction of the code that `places` count; `pointer` is the register that they mean.
void lay_frames(const FramePlaces& places, const CallParameters& parameters, const KernelLayout& layout,
                Register pointer, DraftKernel& draft);

}  // namespace warpfold::isa
