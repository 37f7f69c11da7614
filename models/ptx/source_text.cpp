// SPDX-License-Identifier: Apache-2.0
// Comments, lines, columns and the one-line error.
#include "warpfold/ptx/source_text.h"

#include <algorithm>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold::ptx {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace

SourceText::SourceText(std::string_view text, std::string file_name) : file_(std::move(file_name)), text_(text) {
  // PTX that comes out of an executable carries the terminating NUL with it.
  while (!text_.empty() && text_.back() == '\0') text_.pop_back();
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  blank_comments();
}

// Overwrites a comment with spaces, keeping line ends; returns `to`.
const char* SourceText::blank(const char* from, const char* to) {
  for (auto i = static_cast<std::size_t>(from - begin()); i < static_cast<std::size_t>(to - begin()); ++i) {
    if (text_[i] != '\n') text_[i] = ' ';
  }
  return to;
}

void SourceText::blank_comments() {
  const char* at = begin();
  while (at != end()) {
    const std::string_view rest(at, static_cast<std::size_t>(end() - at));
    if (rest.starts_with("//")) {
      at = blank(at, std::find(at, end(), '\n'));
    } else if (rest.starts_with("/*")) {
      const std::size_t close = rest.find("*/", 2);
      if (close == std::string_view::npos) fail(at, "comment is never closed");
      at = blank(at, at + close + 2);
    } else if (*at == '"') {
      const char* close = std::find_if(at + 1, end(), [](char c) { return c == '"' || c == '\n'; });
      if (close == end() || *close == '\n') fail(at, "string is never closed");
      at = close + 1;
    } else if (is_printable(*at) || is_space(*at)) {
      ++at;
    } else {
      fail(at, "character that PTX does not have");
    }
  }
}

Location SourceText::locate(const char* at) const {
  const auto offset = static_cast<std::size_t>(at - begin());
  const auto line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin();
  const std::size_t start = line_starts_[static_cast<std::size_t>(line - 1)];
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(offset - start + 1)};
}

const char* SourceText::skip_space(const char* at) const {
  return std::find_if(at, end(), [](char c) { return !is_space(c); });
}

std::string SourceText::token(const char* at) const {
  if (at == end()) return "end of file";
  if (!is_printable(*at)) return fmt::format("\\x{:02x}", static_cast<unsigned char>(*at));
  const char* to = at + 1;
  if (is_word(*at) || *at == '%' || *at == '.' || *at == '-')
    to = std::find_if(to, end(), [](char c) { return !is_word(c); });
  constexpr std::ptrdiff_t kLongest = 40;
  if (to - at > kLongest) return std::string(at, kLongest) + "...";
  return {at, to};
}

void SourceText::fail(const char* at, std::string_view what) const {
  at = skip_space(at);
  const Location where = locate(at);
  user_error("{}:{}:{}: {}, near '{}'", file_, where.line, where.column, what, token(at));
}

}  // namespace warpfold::ptx
