// SPDX-License-Identifier: Apache-2.0
#include "warpfold/ptx/source_lines.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace warpfold::ptx {
namespace {

// The next number of a line, taken off it.
std::optional<std::uint32_t> number(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return value;
}

std::string quoted(std::string_view line) {
  const std::size_t begin = line.find('"'), end = line.rfind('"');
  return begin < end ? std::string(line.substr(begin + 1, end - begin - 1)) : "";
}

bool begins_function(std::string_view line) {
  return line.starts_with(".entry") || line.starts_with(".func") || line.starts_with(".visible .") ||
         line.starts_with(".weak .");
}

}  // namespace

SourceLines::SourceLines(std::string_view ptx) {
  if (ptx.find(".loc") == std::string_view::npos) return;
  std::map<std::uint32_t, std::uint32_t> file_at;  // by the number that the module gives it
  std::uint32_t ptx_line = 0;
  for (std::size_t from = 0; from < ptx.size(); ++ptx_line) {
    const std::size_t end = std::min(ptx.find('\n', from), ptx.size());
    std::string_view line = ptx.substr(from, end - from);
    from = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(".file")) {
      line.remove_prefix(5);
      if (const auto index = number(line)) {
        file_at[*index] = static_cast<std::uint32_t>(files_.size());
        files_.push_back(quoted(line));
      }
    } else if (line.starts_with(".loc")) {
      line.remove_prefix(4);
      const auto file = number(line), source = number(line);
      // What the compiler put together from several lines has none, and stays with the one before it.
      if (file && source && *source != 0) places_.push_back({ptx_line + 1, *file, *source});
    } else if (begins_function(line)) {
      places_.push_back({ptx_line + 1, 0, 0});
    }
  }
  for (Place& place : places_) {
    const auto found = file_at.find(place.file);
    if (found == file_at.end()) place.line = 0;
    place.file = found == file_at.end() ? 0 : found->second;
  }
}

SourceLine SourceLines::at(std::uint32_t ptx_line) const {
  const auto next = std::upper_bound(places_.begin(), places_.end(), ptx_line,
                                     [](std::uint32_t line, const Place& place) { return line < place.ptx_line; });
  if (next == places_.begin() || std::prev(next)->line == 0) return {};
  return {files_[std::prev(next)->file], std::prev(next)->line};
}

void SourceLines::append(const SourceLines& other) {
  const auto first = static_cast<std::uint32_t>(files_.size());
  files_.insert(files_.end(), other.files_.begin(), other.files_.end());
  for (Place place : other.places_) {
    place.file += first;
    places_.push_back(place);
  }
}

}  // namespace warpfold::ptx
