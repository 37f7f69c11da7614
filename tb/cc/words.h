// SPDX-License-Identifier: Apache-2.0
// Lists in arguments, and arguments in files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpfold::cc {

// The words of a list in one argument, parted by commas or blanks; quotes and backslashes as in a shell keep them
// together.
std::vector<std::string> words_of(std::string_view list, bool commas = true);

// @FILE and --options-file FILE replaced by the words that the file holds, to any depth. UserError for files that
// cannot be read or name themselves.
std::vector<std::string> with_files(const std::vector<std::string>& arguments);

}  // namespace warpfold::cc
