// SPDX-License-Identifier: Apache-2.0
// A PTX file as its parser sees it: comments blanked out, every place known by line and column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpfold/ptx/ast.h"

namespace warpfold::ptx {

// Of identifiers and numbers.
constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

class SourceText {
 public:
  // Refuses bytes that PTX never has outside comments and strings, so that the grammar meets ASCII only.
  SourceText(std::string_view text, std::string file_name);
  SourceText(const SourceText&) = delete;  // positions point into text_
  SourceText& operator=(const SourceText&) = delete;

  const char* begin() const { return text_.data(); }
  const char* end() const { return text_.data() + text_.size(); }
  const std::string& file() const { return file_; }
  Location locate(const char* at) const;

  // The identifier, number or single character at `at`; shortened when it would not fit a line.
  std::string token(const char* at) const;

  // UserError "file:line:column: what, near 'token'"; space before the token is skipped first.
  [[noreturn]] void fail(const char* at, std::string_view what) const;

  // First character from `at` on that is no space, or end().
  const char* skip_space(const char* at) const;

 private:
  void blank_comments();
  const char* blank(const char* from, const char* to);

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
};

}  // namespace warpfold::ptx
