// SPDX-License-Identifier: Apache-2.0
// Shell completion from the table of commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warpfold::sim {

struct Candidate {
  std::string word;
  std::string meaning;  // for shells that show it
};

// What the shell itself knows better.
enum class Paths { kNone, kFiles, kDirectories };

struct Completion {
  std::vector<Candidate> candidates;
  Paths paths = Paths::kNone;
};

// `words` behind the program's name; the last is the one to be completed, perhaps empty.
Completion complete(const CLI::App& app, const std::vector<std::string>& words);

// A line for each candidate, its meaning behind a tab; then ":files" or ":directories". What the scripts read.
std::string as_lines(const Completion& completion);

// The script that a shell reads: "bash", "zsh" or "fish".
std::string completion_script(const std::string& shell);

}  // namespace warpfold::sim
