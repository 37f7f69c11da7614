// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/config/words.h"

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

constexpr char kNone = 0;

// Whether a backslash takes the meaning of `next`, inside of quotation marks `quote` (POSIX XCU 2.2).
bool escapes(char quote, char next) {
  if (quote == '\'') return false;
  return quote == kNone || std::string_view("\"\\$`").find(next) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text, std::string_view between) {
  std::vector<std::string> words;
  char quote = kNone;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == kNone && between.find(c) != std::string_view::npos) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == kNone && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != kNone && c == quote) {
      quote = kNone;
    } else if (c == '\\' && i + 1 < text.size() && escapes(quote, text[i + 1])) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != kNone) user_error("{}: the quotation that {} begins does not end", text, quote);
  return words;
}

}  // namespace warpfold
