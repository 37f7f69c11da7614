// SPDX-License-Identifier: Apache-2.0
// Options that stand in files.
#pragma once

#include <string>
#include <vector>

namespace warpfold::cc {

// @FILE and --options-file FILE replaced by the words that the file holds, to any depth. UserError for files that
// cannot be read or name themselves.
std::vector<std::string> with_option_files(const std::vector<std::string>& arguments);

}  // namespace warpfold::cc
