// SPDX-License-Identifier: Apache-2.0
// Instructions that the model executes as several plainer ones: asynchronous copies and barriers, matrix loads, stores
// and multiplications of more than one step. Timing is that of the plainer ones.
#pragma once

#include "warpfold/ptx/ast.h"

namespace warpfold::isa {

class CodeWriter;

bool has_compounds(const ptx::Function& function);
// Those that it does not know stay, to be refused by name.
void lower_compounds(ptx::Function& function);

// Where a memory instruction's cache policy is known, puts the eviction priority that it stands for in its place; others
// stay, and say nothing to the caches.
void take_cache_policies(ptx::Function& function);

// Parts of it. They write what old() becomes; false: it is none of theirs, or a form that is not supported.
bool lower_asynchronous(CodeWriter& code);    // cp.async, mbarrier
bool lower_policy(CodeWriter& code);          // createpolicy
bool lower_matrix_memory(CodeWriter& code);   // ldmatrix, movmatrix, wmma.load, wmma.store
bool lower_matrix_product(CodeWriter& code);  // mma, wmma.mma

}  // namespace warpfold::isa
