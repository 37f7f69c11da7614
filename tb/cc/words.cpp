// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/words.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "warpfold/common/error.h"

namespace warpfold::cc {
namespace {

constexpr unsigned kMostNested = 16;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) user_error("{}: cannot be read, or is empty", path);
  return text.str();
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
    expand(words_of(text_of(file), false), depth + 1, to);
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view list, bool commas) {
  std::vector<std::string> words;
  std::string word;
  bool within = false;
  char quote = 0;
  const auto end = [&] {
    if (within) words.push_back(std::exchange(word, {}));
    within = false;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '\\' && quote != '\'' && i + 1 < list.size()) {
      word += list[++i];
      within = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      within = true;
    } else if (is_blank(c) || (commas && c == ',')) {
      end();
    } else {
      word += c;
      within = true;
    }
  }
  end();
  return words;
}

std::vector<std::string> with_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> expanded;
  expand(arguments, 0, expanded);
  return expanded;
}

}  // namespace warpfold::cc
