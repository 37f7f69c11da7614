// SPDX-License-Identifier: Apache-2.0
// What is done to the texts that clang writes: PTX, and the host half's code before it is assembled.
#pragma once

#include <string>

namespace warpfold::cc {

// What clang 14 does wrong to shifts (llvm-project's pull requests 200924 and 130862 have the like of it): it writes
// (long long)x << 31 as a multiplication by -2^31, and (x >> 56) & 0xffff of a signed x as a field of bits without its
// sign's copies. Shifts again.
std::string with_mended_shifts(const std::string& ptx);

// clang 14 takes a truth for 1 where it makes a floating-point number of it as a signed one, which is -1. Does the PTX
// look as if it had? And LLVM code, optimised, that has the two values to choose from there instead.
bool may_convert_truths(const std::string& ptx);
std::string with_converted_truths(const std::string& code);

// A register limit for each kernel without launch bounds: as with nvcc, a kernel's own come first.
std::string with_register_limit(const std::string& ptx, unsigned registers);

// Functions that are called and neither defined nor of the run-time library, by their names in C++.
std::string undefined_functions(const std::string& ptx);

// Whether its threads may wait for one another outside barriers: does anything read what others write meanwhile?
bool may_wait(const std::string& ptx);

// Of device code in LLVM's language: the host may write to the `__device__` and `__constant__` variables of unnamed
// namespaces. clang 14 knows that of static ones only, and folds a variable that no kernel writes. With an `end`, that
// of the file, their names get it as those of static ones do, so that other modules may see them.
std::string with_variables_for_the_host(std::string code, const std::string& end);

// Says to the run-time library that the module is one of a program's several.
std::string marked_relocatable(const std::string& source, const std::string& ptx);

// Kernels must be registered before any static constructor launches one: at the first priority open to programs. With
// -rdc=true each module is registered by a function of its own name, which a device linker makes: by the run-time
// library's instead. The registration of a __managed__ variable says that it is one.
std::string with_our_registration(const std::string& code);

// LLVM code with calls of warpfold/wide_operations.h for what clang 14's back end has no code for: quotients of 128-bit
// integers, and conversions between these and floats. The same where there is none.
std::string with_wide_operations(const std::string& code);

}  // namespace warpfold::cc
