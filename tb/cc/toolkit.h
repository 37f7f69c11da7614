// SPDX-License-Identifier: Apache-2.0
// Where the tools, headers and libraries are that a compilation takes.
#pragma once

#include <filesystem>
#include <string>

namespace warpfold::cc {

struct Toolkit {
  std::string clang;                // compiles both halves
  std::string linker;               // the compiler of this build, whose run-time libraries fit
  std::string sanitizers;           // of this build: programs need them too
  std::filesystem::path headers;    // ours, in the vendor's place
  std::filesystem::path wrappers;   // clang's, around the C++ library
  std::filesystem::path absent;     // headers of libraries that are not there, which say so
  std::filesystem::path libraries;  // warpfold_libdevice.bc, libwarpfold_cudart.so
  bool installed = false;           // programs then look for the run-time library where it lies, not by its name
  std::filesystem::path root;       // a folder in the shape of a CUDA toolkit
};

const Toolkit& toolkit();

}  // namespace warpfold::cc
