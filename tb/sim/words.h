// SPDX-License-Identifier: Apache-2.0
// A command line in one piece of text.
#pragma once

#include <string>
#include <vector>

namespace warpfold::sim {

// Its words, as a shell separates and unquotes them: blanks, '…', "…" and backslashes. Nothing is expanded. UserError
// where a quotation does not end.
std::vector<std::string> words_of(const std::string& text);

}  // namespace warpfold::sim
