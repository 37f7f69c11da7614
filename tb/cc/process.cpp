// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/process.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "warpfold/common/error.h"
#include "warpfold/common/files/command.h"
#include "warpfold/common/files/input_file.h"

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

bool Runner::start(const Command& command, const std::filesystem::path& log) const {
  if (shows_) {
    std::string line;
    for (const std::string& word : command) {
      if (!line.empty()) line += ' ';
      line += quoted(word);
    }
    say(line);
  }
  if (dry_) return true;
  pid_t child = 0;
  const int error = start_command(command, log, child);
  if (error != 0) user_error("{}: cannot be started: {}", command.front(), std::strerror(error));
  return ends_well(child);
}

bool Runner::run(const Command& command) const { return start(command, ""); }

bool Runner::run(const Command& command, const std::filesystem::path& log, std::string& messages) const {
  const bool well = start(command, log);
  if (!dry_) messages = read_input(log, "messages");
  return well;
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

}  // namespace warpfold::cc
