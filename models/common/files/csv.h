// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180). A cell in double quotes may have commas, ends of lines and, doubled, quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold {

struct CsvRow {
  std::vector<std::string> cells;    // without their quotes, or without the blanks around what has none
  std::vector<std::size_t> columns;  // of the file, from 1, in which each begins
  std::size_t line = 0;              // of the file, from 1, in which the row begins
};

// The rows that are no blank lines. `name` stands for the file in messages, `line` is that of the text's first row.
// UserError, name:line:column, where a quotation does not end, or something follows it in its cell.
std::vector<CsvRow> csv_rows(std::string_view text, const std::string& name, std::size_t line = 1);

// The text as a cell of such a file.
std::string csv_cell(std::string_view text);

}  // namespace warpfold
