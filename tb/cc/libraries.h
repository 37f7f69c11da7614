// SPDX-License-Identifier: Apache-2.0
// The libraries of CUDA that the model has (tb/libraries), made when a program first asks for one.
#pragma once

#include <filesystem>
#include <string>

namespace warpfold::cc {

// Path of lib<name>.so, of "cublas" or "curand". It is compiled, which is said, unless the cache
// (warpfold/common/files/cache.h) has it of these sources, headers and this warpfold-cc. In a build, lib64 of the
// toolkit-shaped folder leads to it from then on. UserError, one line, where it does not compile.
std::filesystem::path made_library(const std::string& name);

// Makes those that the object of a source calls, for whoever links it.
void make_libraries_for(const std::filesystem::path& object, const std::filesystem::path& source);

// The first name in the messages of a compiler that a library without a counterpart has, and what to do: one line.
// Empty where there is none.
std::string absent_call(const std::string& messages);

}  // namespace warpfold::cc
