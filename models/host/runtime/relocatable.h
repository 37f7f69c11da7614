// SPDX-License-Identifier: Apache-2.0
// What the compiler tells the run-time library of device code.
#pragma once

namespace warpfold::host {

// The first line of the PTX of one of several modules that make a program (-rdc=true).
inline constexpr const char* kRelocatableMark = "// warpfold: one of several modules of a program";

// Between the name of a static variable and what makes it unlike those of other modules.
inline constexpr const char* kStaticMark = "__static__";

// The last argument of the call that registers a __managed__ variable; clang writes 0.
inline constexpr int kManagedMark = 2;

}  // namespace warpfold::host
