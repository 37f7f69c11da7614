// SPDX-License-Identifier: Apache-2.0
// Error messages quote what users wrote, which may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace warpfold {

// The text on one line of bearable length: control characters as \x0a, the middle of a very long one left out.
std::string one_line(std::string_view text);

}  // namespace warpfold
