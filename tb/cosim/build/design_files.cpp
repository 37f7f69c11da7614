// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/design_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "warpfold/common/error.h"

namespace warpfold::cosim {
namespace {

namespace fs = std::filesystem;

// A line of a list without its comment and the blanks around it.
std::string entry_of(std::string line) {
  line.erase(std::min({line.size(), line.find('#'), line.find("//")}));
  const char* const blanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(blanks);
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
}

void append_list(const fs::path& list, const std::string& place, std::vector<std::string>& files) {
  std::ifstream lines(list);
  if (!fs::is_regular_file(list) || !lines) user_error("{}: {}: there is no such list of files", place, list.string());
  const std::size_t before = files.size();
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string entry = entry_of(line);
    if (entry.empty()) continue;
    if (entry[0] == '+' || entry[0] == '-') {
      user_error("{}: {}:{}: {}: a list names files, one a line; what they include is looked for beside them", place,
                 list.string(), number, entry);
    }
    files.push_back(fs::absolute(list.parent_path() / entry).lexically_normal());
  }
  if (files.size() == before) user_error("{}: {}: lists no file", place, list.string());
}

}  // namespace

std::vector<std::string> design_files(const std::vector<std::string>& named, const std::string& place) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    const fs::path path = fs::absolute(name);
    if (path.extension() == ".f") {
      append_list(path, place, files);
    } else {
      files.push_back(path);
    }
  }
  return files;
}

}  // namespace warpfold::cosim
