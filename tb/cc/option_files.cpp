// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/option_files.h"

#include <filesystem>

#include "warpfold/common/config/words.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold::cc {
namespace {

constexpr unsigned kMostNested = 16;

// What cannot be waited for, or never ends, does not hang the compiler.
std::string text_of(const std::string& path) {
  std::string text;
  if (std::filesystem::exists(path)) text = read_input(path, "options file");
  if (text.empty()) user_error("{}: cannot be read, or is empty", path);
  return text;
}

void expand(const std::vector<std::string>& arguments, unsigned depth, std::vector<std::string>& to) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    std::string file;
    if (argument.size() > 1 && argument.front() == '@') {
      file = argument.substr(1);
    } else if (argument == "-optf" || argument == "--options-file" || argument == "-options-file") {
      if (++i == arguments.size()) user_error("{} needs a value", argument);
      file = arguments[i];
    } else if (argument.starts_with("--options-file=") || argument.starts_with("-optf=")) {
      file = argument.substr(argument.find('=') + 1);
    } else {
      to.push_back(argument);
      continue;
    }
    if (depth == kMostNested)
      user_error("{}: options files nest deeper than {}: does it name itself?", file, kMostNested);
    expand(words_of(text_of(file), " \t\n\r"), depth + 1, to);
  }
}

}  // namespace

std::vector<std::string> with_option_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> expanded;
  expand(arguments, 0, expanded);
  return expanded;
}

}  // namespace warpfold::cc
