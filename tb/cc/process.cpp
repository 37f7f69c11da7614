// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/process.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "warpfold/common/error.h"

namespace warpfold::cc {
namespace {

// As a shell would take it back.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') text += "'\\'";
    text += c;
  }
  text += '\'';
  return text;
}

}  // namespace

bool Runner::run(const Command& command) const {
  if (shows_) {
    std::string line;
    for (const std::string& word : command) {
      if (!line.empty()) line += ' ';
      line += quoted(word);
    }
    say(line);
  }
  if (dry_) return true;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
  if (error != 0) user_error("{}: cannot be started: {}", command.front(), std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) user_error("{}: is lost: {}", command.front(), std::strerror(errno));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void Runner::say(const std::string& line) const {
  if (shows_) std::cerr << "#$ " << line << "\n";
}

WorkFolder::WorkFolder() {
  std::error_code error;
  std::string pattern = std::filesystem::temp_directory_path(error) / "warpfold-cc-XXXXXX";
  if (error || mkdtemp(pattern.data()) == nullptr) user_error("no temporary directory ($TMPDIR)");
  path_ = pattern;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path WorkFolder::file(const std::string& name) { return path_ / fmt::format("{}.{}", files_++, name); }

std::string read_text(const std::filesystem::path& file) {
  std::ifstream from(file, std::ios::binary);
  std::ostringstream text;
  text << from.rdbuf();
  if (!from) user_error("{}: cannot be read", file.string());
  return text.str();
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream to(file, std::ios::binary);
  to << text;
  to.close();
  if (!to) user_error("{}: cannot be written", file.string());
}

}  // namespace warpfold::cc
