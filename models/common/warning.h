// SPDX-License-Identifier: Apache-2.0
// What a user should know although the run goes on.
#pragma once

#include <string>

namespace warpfold {

// "warpfold: warning: …" on standard error.
void warn(const std::string& text);

// The same, unless this process has said it before.
void warn_once(const std::string& text);

}  // namespace warpfold
