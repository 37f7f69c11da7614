// SPDX-License-Identifier: Apache-2.0
// A command line in one piece of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpfold {

// Its words, as a shell separates and unquotes them: blanks, '…', "…" and backslashes. Nothing is expanded. UserError
// where a quotation does not end. `between`: what separates words.
std::vector<std::string> words_of(std::string_view text, std::string_view between = " \t\n");

}  // namespace warpfold
