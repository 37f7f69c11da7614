// SPDX-License-Identifier: Apache-2.0
// What a command says to its user: tables on standard output, which may be a file on a full device, and messages on
// standard error, which may be closed.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace warpfold::sim {

// Opens what of the three streams was closed, so that no file of ours gets its number. Writing to a standard output
// that was closed stays an error.
void open_closed_streams();

// To standard error, if there is one: what cannot be said there is no reason to stop.
void say(const std::string& text);

template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  say(fmt::format(text, std::forward<Args>(args)...));
}

// --quiet: from here on no progress is told, and no table that was not asked for. Errors are, as ever.
void be_quiet();
bool quiet();

// How many columns the terminal has that this stream is written to; 0: it is none.
unsigned terminal_columns(int stream);

// While it lives, what this process and those that it starts print goes to standard error: standard output is for a
// table that programs read.
class OutputAside {
 public:
  explicit OutputAside(bool wanted);
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;
  ~OutputAside();

 private:
  int output_ = -1;  // the standard output that was; -1: it is where it belongs
};

// To this file or, where it has no name, to standard output. WriteError.
void deliver(const std::string& text, const std::string& file);

// A command's exit status once all its output is written: that it came to, or 1 with a message if writing failed.
int written(int status);

}  // namespace warpfold::sim
