// SPDX-License-Identifier: Apache-2.0
// How the compiler tells the run-time library that a device module is one of several that make a program (-rdc=true).
#pragma once

namespace warpfold::host {

// The first line of such a module's PTX.
inline constexpr const char* kRelocatableMark = "// warpfold: one of several modules of a program";

}  // namespace warpfold::host
