// SPDX-License-Identifier: Apache-2.0
// A program on a terminal of the test's own.
#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace warpfold {

struct TerminalResult {
  int status;
  std::string shown;  // standard output and error, lines ended by "\r\n"
};

// Runs it in `directory` on a terminal of so many columns.
inline TerminalResult on_terminal(unsigned short columns, const std::string& directory,
                                  const std::vector<std::string>& command) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    if (chdir(directory.c_str()) == 0) execv(words[0], words.data());
    _exit(99);
  }
  TerminalResult result{-1, ""};
  char buffer[4096];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;) {
    result.shown.append(buffer, static_cast<std::size_t>(got));
  }
  close(terminal);
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

}  // namespace warpfold
