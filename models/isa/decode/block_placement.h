// SPDX-License-Identifier: Apache-2.0
// Places basic blocks so that control falls through where PTX jumps.
#pragma once

#include <vector>

#include "warpfold/isa/decode/draft.h"

namespace warpfold::isa {

// PTX is no machine code: clang writes a jump behind nearly every loop's branch, often to the next line. An assembler
// lays blocks out and drops those jumps; left in, each would take an issue slot, and threads that leave a loop in
// different turns would reconverge only behind a jump that each turn's leavers execute for themselves.
//
// Jumps to jumps go to where those lead; a branch over a jump is turned around where the branch's target can follow it;
// a block that nothing falls into follows a jump to it, which goes. No instruction is added, and none but `bra` is
// moved out of the order in which its block has it.
void place_blocks(DraftKernel& kernel);

}  // namespace warpfold::isa
