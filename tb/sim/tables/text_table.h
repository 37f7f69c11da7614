// SPDX-License-Identifier: Apache-2.0
// Cells as lines of a console.
#pragma once

#include <string>
#include <vector>

namespace warpfold::sim {

// Columns that it takes on a terminal, of UTF-8.
std::size_t display_width(const std::string& text);

struct TextTable {
  std::vector<std::string> header;
  std::vector<bool> left{};                    // columns that begin at the left, besides the first; none when empty
  std::vector<std::vector<std::string>> rows;  // a short row's last cell is text that runs on

  // Columns that have no room on a line of `width` come below, beside the first column again; 0: all have.
  std::string as_columns(unsigned width = 0) const;
  // Without the header; the last cell goes on below itself.
  std::string as_listing(unsigned width = 0) const;

 private:
  std::vector<std::size_t> widths() const;
  std::string block(const std::vector<std::size_t>& columns, const std::vector<std::size_t>& widths, bool first) const;
};

}  // namespace warpfold::sim
