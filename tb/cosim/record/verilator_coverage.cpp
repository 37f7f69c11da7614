// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/verilator_coverage.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace {

// Of a line C '<key> ^B <value> ^A …' count, with the keys f(ile) l(ine) page (kind and module) o (what) h (where).
std::string value(const std::string& line, const std::string& key) {
  const std::size_t at = line.find("\x01" + key + "\x02");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 2;
  return line.substr(begin, line.find_first_of("\x01'", begin) - begin);
}

}  // namespace

std::map<std::string, std::uint64_t> coverage_counts(const std::string& file, const std::string& kind,
                                                     const std::string& instance) {
  std::istringstream lines(read_text(file).value_or(""));
  std::map<std::string, std::uint64_t> counts;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("C ") || !value(line, "page").starts_with("v_" + kind)) continue;
    // A waveform's models, which share a file, have blanks in their names.
    std::string where = value(line, "h");
    std::replace(where.begin(), where.end(), ' ', '.');
    if (!instance.empty() && !where.starts_with(instance + ".")) continue;
    const std::string source = std::filesystem::path(value(line, "f")).filename();
    counts[source + ":" + value(line, "l") + " " + value(line, "o")] += std::stoull(line.substr(line.rfind(' ')));
  }
  return counts;
}

bool has_covers(const std::vector<std::string>& sources) {
  static const std::regex cover("\\bcover\\s*(property|sequence)?\\s*\\(");
  return std::any_of(sources.begin(), sources.end(), [](const std::string& file) {
    const std::string text = read_text(file).value_or("");
    return text.find("cover") != std::string::npos && std::regex_search(text, cover);  // the first is quick
  });
}

}  // namespace warpfold::cosim
