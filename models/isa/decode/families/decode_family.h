// SPDX-License-Identifier: Apache-2.0
// Decoding of one instruction, by family. Each function fills in a draft or reports what is not supported.
#pragma once

#include "warpfold/isa/decode/calls/call_parameters.h"
#include "warpfold/isa/decode/draft.h"
#include "warpfold/isa/decode/operands.h"
#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

// Lane-wise instructions: whatever find_op knows, and moves from clocks.
void decode_compute(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);

// ld, ldu, st, atom, red. Parameters of calls that need no memory become moves.
void decode_load(OperandDecoder& operands, const CallParameters& calls, const ptx::Instruction& instruction,
                 Draft& draft);
void decode_store(OperandDecoder& operands, const CallParameters& calls, const ptx::Instruction& instruction,
                  Draft& draft);
void decode_atomic(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);
// prefetch, prefetchu.
void decode_prefetch(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);

// bra, call and return of inlined functions, ret, exit, trap, barriers, fences, and what does nothing here. False: none
// of these.
bool decode_control(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);

// Calls of vprintf, __assertfail, malloc and free.
void decode_system_call(OperandDecoder& operands, const CallParameters& calls, const SystemCallParts& call,
                        Draft& draft);

// vote, activemask, match, redux, elect, shfl. False: none of these.
bool decode_warp_wide(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);

// One step of mma. False: not that.
bool decode_matrix(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);

// tex, tld4, txq, suq, suld, sust, sured. False: none of these.
bool decode_image(OperandDecoder& operands, const ptx::Instruction& instruction, Draft& draft);

// Puts operand k of an instruction into the draft, with its width.
void set_source(Draft& draft, unsigned k, Ref ref, bool wide);
void set_destination(Draft& draft, unsigned k, Ref ref, bool wide);

// 'b', 'u', 's' or 'f' and bits of "u32", …; bits 0 for anything else. "pred" is {'p', 1}.
OpInfo::Operand type_of(std::string_view name);

}  // namespace warpfold::isa
