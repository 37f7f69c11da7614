// SPDX-License-Identifier: Apache-2.0
// The command line's words: what of them is whose, and what is misspelt.
#include <fmt/format.h>

#include <algorithm>

#include "tb/sim/commands/command_line.h"
#include "tb/sim/commands/man.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold::sim {

// The words of a program, behind the options or the first --. False: an option that does not exist.
bool CommandLine::take_program(const std::vector<std::string>& behind) {
  for (std::vector<std::string>* program : {&explain_.program, &correlate_.program}) {
    program->insert(program->end(), behind.begin(), behind.end());
  }
  for (const auto& [app, command] : programs_) {
    command->program = app->remaining();
    command->program.insert(command->program.end(), behind.begin(), behind.end());
    if (app->parsed() && !command->program.empty() && command->program[0].starts_with("--")) return false;
  }
  return true;
}

void CommandLine::parse(std::vector<std::string> words) {
  // What follows the first -- belongs to the program that is run.
  const auto separator = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> program(separator == words.end() ? separator : separator + 1, words.end());
  words.erase(separator, words.end());
  complete_.words = program;
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    const std::string hint = misspelt(words);
    user_error("{}", hint.empty() ? std::string(error.what()) + " (warpfold --help)" : hint);
  }
  if (!take_program(program)) user_error("{}", misspelt(words));
}

int CommandLine::dispatch() const {
  const auto given =
      std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.app->parsed(); });
  warpfold::check(given != entries_.end(), "CLI11 wants a command");
  return given->act();
}

std::string CommandLine::misspelt(const std::vector<std::string>& words) const {
  if (words.empty() || words[0].starts_with('-')) return "";
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app_)) {
    names.push_back(command->get_name());
    if (command->get_name() != words[0]) continue;
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    for (const std::string& word : words) {
      const std::string name = word.substr(0, word.find('='));
      if (!name.starts_with("--") || std::find(options.begin(), options.end(), name) != options.end()) continue;
      return fmt::format("{}: no such option; {}", name, suggestion(name, options));
    }
    return "";
  }
  return fmt::format("{}: no such command; {}", words[0], suggestion(words[0], names));
}

}  // namespace warpfold::sim
