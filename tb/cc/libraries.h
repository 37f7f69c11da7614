// SPDX-License-Identifier: Apache-2.0
// The libraries of CUDA that the model has (tb/libraries), made when a program first asks for one.
#pragma once

#include <filesystem>
#include <string>

namespace warpfold::cc {

// Path of lib<name>.so, of "cublas", "curand" or "cusparse". It is compiled, which is said, unless the cache
// (warpfold/common/files/cache.h) has it of these sources, headers and this warpfold-cc. In a build, lib64 of the
// toolkit-shaped folder leads to it from then on. UserError, one line, where it does not compile.
std::filesystem::path made_library(const std::string& name);

// Makes those that the object of a source calls, for whoever links it.
void make_libraries_for(const std::filesystem::path& object, const std::filesystem::path& source);

// What a compiler's messages say is not there, if it is of a library, and what to do: a call of one without a
// counterpart, or a header of one of Debian's packages. One line; empty where there is none.
std::string what_is_absent(const std::string& messages);

}  // namespace warpfold::cc
