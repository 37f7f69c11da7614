// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/tables/text_table.h"

#include <algorithm>
#include <sstream>

namespace warpfold::sim {
namespace {

constexpr std::size_t kColumnGap = 2;  // between columns

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(display_width(cell));
  for (const auto& row : rows) {
    const std::size_t aligned = row.size() < header.size() ? row.size() - 1 : row.size();
    for (std::size_t i = 0; i < aligned; ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::string TextTable::block(const std::vector<std::size_t>& columns, const std::vector<std::size_t>& widths,
                             bool first) const {
  const auto cell = [&](const std::vector<std::string>& row, std::size_t i) {
    const std::string gap(i == 0 ? 0 : kColumnGap, ' ');
    return gap + padded(row[i], widths[i], i == 0 || (i < left.size() && left[i]));
  };
  std::string out;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (const std::size_t i : columns) line += cell(row, i);
    out += without_blanks_at_end(line) + "\n";
  };
  add(header);
  for (const auto& row : rows) {
    if (row.size() >= header.size()) {
      add(row);
    } else if (first) {  // and there it tells all it has
      std::string line;
      for (std::size_t i = 0; i + 1 < row.size(); ++i) line += cell(row, i);
      out += without_blanks_at_end(line + std::string(line.empty() ? 0 : kColumnGap, ' ') + row.back()) + "\n";
    }
  }
  return out;
}

std::string TextTable::as_columns(unsigned width) const {
  const std::vector<std::size_t> all = widths();
  std::string out;
  std::vector<std::size_t> columns{0};
  std::size_t taken = all[0];
  const auto put = [&] {
    const bool first = out.empty();
    if (!first) out += '\n';
    out += block(columns, all, first);
    columns = {0};
    taken = all[0];
  };
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (width != 0 && columns.size() > 1 && taken + kColumnGap + all[i] > width) put();
    columns.push_back(i);
    taken += kColumnGap + all[i];
  }
  put();
  return out;
}

std::string TextTable::as_listing(unsigned width) const {
  constexpr std::size_t kLeast = 30;  // of a text's lines, or they are not worth it
  const std::vector<std::size_t> all = widths();
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      line += padded(row[i], all[i], true) + std::string(kColumnGap, ' ');
    const std::size_t indent = display_width(line);
    const bool folds = width >= indent + kLeast;
    std::istringstream words(row.back());
    if (!folds) line += row.back();
    bool begins = true;
    for (std::string word; folds && words >> word;) {
      if (!begins && display_width(line) + 1 + display_width(word) > width) {
        out += line + "\n";
        line = std::string(indent, ' ');
        begins = true;
      }
      line += (begins ? "" : " ") + word;
      begins = false;
    }
    out += without_blanks_at_end(line) + "\n";
  }
  return out;
}

}  // namespace warpfold::sim
