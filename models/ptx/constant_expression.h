// SPDX-License-Identifier: Apache-2.0
// Constant expressions (PTX ISA §4.6): what may stand where a number is needed.
#pragma once

#include "warpfold/ptx/syntax.h"

namespace warpfold::ptx::syntax {

// Reads the longest expression that begins at `at`, leaves `at` behind it and gives its value; false, with `at` where
// it was, if none begins there. Integers have 64 bits, signed unless marked or too large for that, and operators do
// what C's do for such operands, but ~ and % have unsigned results. Throws Mismatch for operands that an operator does
// not take.
bool read_constant(const char*& at, const char* end, Number& value);

}  // namespace warpfold::ptx::syntax
