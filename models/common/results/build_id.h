// SPDX-License-Identifier: Apache-2.0
// Which build an executable or a shared library is.
#pragma once

#include <string>

namespace warpfold {

// The number that the linker made of its contents (ELF note NT_GNU_BUILD_ID), in hexadecimal; the SHA-256 of a file
// that has none. UserError if it cannot be read.
std::string build_id(const std::string& path);

}  // namespace warpfold
