// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/csv.h"

#include <algorithm>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

constexpr std::string_view kBlanks = " \t\r";

class RowReader {
 public:
  RowReader(std::string_view text, const std::string& name, std::size_t line) : text_(text), name_(name), line_(line) {}

  std::vector<CsvRow> all() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row = next();
      if (row.cells.size() > 1 || !row.cells.front().empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  bool ended() const { return at_ == text_.size() || text_[at_] == '\n'; }
  void skip_blanks() {
    while (!ended() && kBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  CsvRow next() {
    CsvRow row;
    row.line = line_;
    do {
      skip_blanks();
      row.columns.push_back(at_ - line_begin_ + 1);
      row.cells.push_back(!ended() && text_[at_] == '"' ? quoted() : plain());
    } while (!ended() && text_[at_++] == ',');
    end_line();
    return row;
  }

  void end_line() {
    if (at_ < text_.size()) ++at_;
    ++line_;
    line_begin_ = at_;
  }

  std::string plain() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string_view cell = text_.substr(begin, at_ - begin);
    cell.remove_suffix(cell.size() - (cell.find_last_not_of(kBlanks) + 1));
    return std::string(cell);
  }

  std::string quoted() {
    const std::size_t line = line_, column = at_ - line_begin_ + 1;
    std::string cell;
    for (;;) {
      if (++at_ >= text_.size()) user_error("{}:{}:{}: this quotation does not end", name_, line, column);
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) break;
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      }
      cell += text_[at_];
    }
    ++at_;
    skip_blanks();
    if (!ended() && text_[at_] != ',') {
      user_error("{}:{}:{}: '{}' behind a quotation; a comma must follow it", name_, line_, at_ - line_begin_ + 1,
                 text_[at_]);
    }
    return cell;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t line_;
  std::size_t at_ = 0, line_begin_ = 0;
};

}  // namespace

std::vector<CsvRow> csv_rows(std::string_view text, const std::string& name, std::size_t line) {
  return RowReader(text, name, line).all();
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

}  // namespace warpfold
