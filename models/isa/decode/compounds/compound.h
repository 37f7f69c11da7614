// SPDX-License-Identifier: Apache-2.0
// Instructions that the model executes as several plainer ones: asynchronous copies and barriers, matrix loads, stores
// and multiplications of more than one step. Timing is that of the plainer ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

class CodeWriter;

// A modifier of a local store that must lie on the stack (MicroOp::pushes_frame).
inline constexpr std::string_view kOnStack = "on_stack";
// One of an atomic on an element of a vector: PTX has minima and maxima of halves there alone.
inline constexpr std::string_view kOfVector = "of_vector";

bool has_compounds(const ptx::Function& function);
// Those that it does not know stay, to be refused by name.
void lower_compounds(ptx::Function& function);

// Where a memory instruction's cache policy is known, puts the eviction priority that it stands for in its place;
// others stay, and say nothing to the caches.
void take_cache_policies(ptx::Function& function);

// Registers of 128 bits become two of 64 bits each: moves, loads and stores of them and vectors of those, atomics.
void split_wide_registers(ptx::Function& function);

// What a called function has of alloca ends with it.
void end_allocations(ptx::Function& function);
// alloca, stacksave and stackrestore, by the end of what the thread has taken of its stack; `stack_bytes` of it.
// Returns the variable that the stack is, or nothing if there are none. All code of the kernel is in `function`.
std::optional<std::uint32_t> lower_allocations(std::uint64_t stack_bytes, ptx::Function& function);

// Are they instructions of those parts that become others with the same guard?
bool is_form(const ptx::Instruction& instruction);
bool is_video(const ptx::Instruction& instruction);

// Parts of it. They write what old() becomes; false: it is none of theirs, or a form that is not supported.
bool lower_asynchronous(CodeWriter& code);    // cp.async, mbarrier
bool lower_form(CodeWriter& code);            // plainer ones with a conversion or a move around them
bool lower_video(CodeWriter& code);           // vadd …, and elements selected by vadd2 …, vadd4 …
bool lower_policy(CodeWriter& code);          // createpolicy
bool lower_matrix_memory(CodeWriter& code);   // ldmatrix, stmatrix, movmatrix, wmma.load, wmma.store
bool lower_matrix_product(CodeWriter& code);  // mma, wmma.mma

}  // namespace warpfold::isa
