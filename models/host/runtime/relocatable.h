// SPDX-License-Identifier: Apache-2.0
// What the compiler tells the run-time library of device code.
#pragma once

namespace warpfold::host {

// Begins the first line of the PTX of one of several modules that make a program (-rdc=true); its source file ends it.
inline constexpr const char* kRelocatableMark = "// warpfold: one of several modules of a program: ";

// Begins what cuLink* makes of several modules, each with the mark above in front.
inline constexpr const char* kLinkedMark = "// warpfold: modules that are one program\n";

// The last argument of the call that registers a __managed__ variable; clang writes 0.
inline constexpr int kManagedMark = 2;

}  // namespace warpfold::host
