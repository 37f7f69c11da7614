// SPDX-License-Identifier: Apache-2.0
// The command line's words: what of them is whose, what is misspelt, and what the table says of itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tb/sim/commands/command_line.h"
#include "tb/sim/commands/completion.h"
#include "tb/sim/commands/man.h"
#include "tb/sim/runs/catalog.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/plugins.h"

namespace warpfold::sim {
namespace {

// "warpfold machines" of the words machines and diff; empty: they are none.
std::string before_last(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  std::string text = "warpfold";
  for (std::size_t i = 0; i + 1 < words.size(); ++i) text.append(" ").append(words[i]);
  return text;
}

}  // namespace

// The words of a program, behind the options or the first --. False: an option that does not exist.
bool CommandLine::take_program(const std::vector<std::string>& behind) {
  if (!behind.empty()) compare_.programs.push_back(text_of(behind));
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
    user_error("{}", mistake(words, error.what()));
  }
  if (!take_program(program)) user_error("{}", mistake(words, "no such option"));
}

int CommandLine::dispatch() const {
  const auto given =
      std::find_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.app->parsed(); });
  warpfold::check(given != entries_.end(), "CLI11 wants a command");
  load_plugins(plugins_);
  return given->act();
}

// What is wrong with `words`, of which CLI11 says `what`: a word that is misspelt, or how the command is used.
std::string CommandLine::mistake(const std::vector<std::string>& words, const std::string& what) const {
  const CLI::App* command = &app_;
  std::string path = "warpfold";
  auto word = words.begin();
  const auto named = [&](const CLI::App* one) { return word != words.end() && one->get_name() == *word; };
  std::vector<const CLI::App*> below = commands_of(app_);
  for (auto found = below.begin(); (found = std::find_if(below.begin(), below.end(), named)) != below.end(); ++word) {
    command = *found;
    path += " " + *word;
    below = commands_of(*command);
  }
  if (!below.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* one : below) names.push_back(one->get_name());
    if (word == words.end()) return fmt::format("{}: no command is given; known are {}", path, fmt::join(names, ", "));
    if (!word->starts_with('-')) return fmt::format("{}: no such command; {}", *word, suggestion(*word, names));
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (; word != words.end(); ++word) {
    const std::string name = word->substr(0, word->find('='));
    if (!name.starts_with("--") || std::find(options.begin(), options.end(), name) != options.end()) continue;
    return fmt::format("{}: no such option; {}", name, suggestion(name, options));
  }
  std::string usage = path + " [options]";
  for (const CLI::Option* option : command->get_options()) {
    if (!option->get_positional()) continue;
    const std::string several = option->get_items_expected_max() > 1 ? "..." : "";
    const std::string name = option->get_name(true) + several;
    usage += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  return fmt::format("{}: {} ({} --help)", what, usage, path);
}

// What the table says of itself.
void CommandLine::add_help() {
  const auto add_own = [&](const char* name, const char* text, std::function<int()> act) -> CLI::App& {
    CLI::App* const app = app_.add_subcommand(name, text);
    entries_.push_back({app, std::move(act)});
    return *app;
  };
  const auto command = [](CLI::App& app, Help& help) {
    app.add_option("command", help.words, "As run, or machines diff; all of them without it")
        ->type_name(value_kind::kCommand);
  };
  command(add_own("help", "Show the options of a command: warpfold help run",
                  [this] {
                    const CommandLine fresh;  // help of one that has parsed something is of what it has parsed
                    fmt::print("{}", sim::command_of(fresh.app_, help_.words).help(before_last(help_.words)));
                    return 0;
                  }),
          help_);
  CLI::App& man = add_own("man", "Write the man page of a command: warpfold man run | man -l -", [this] {
    if (man_.out.empty()) {
      fmt::print("{}", man_page(sim::command_of(app_, man_.words)));
    } else {
      write_man_pages(app_, man_.out);
    }
    return 0;
  });
  command(man, man_);
  man.add_option("--out", man_.out, "Write the pages of all commands to this directory")
      ->type_name(value_kind::kDirectory);
  CLI::App& completion =
      add_own("completion", "Write what a shell reads to complete commands: . <(warpfold completion bash)", [this] {
        fmt::print("{}", completion_script(completion_.shell));
        return 0;
      });
  completion.add_option("shell", completion_.shell, "bash, zsh or fish")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  // What those scripts ask.
  CLI::App& complete = add_own("complete", "Candidates for the last of the words of a command line", [this] {
    fmt::print("{}", as_lines(sim::complete(app_, complete_.words)));
    return 0;
  });
  complete.group("")->prefix_command();
}

}  // namespace warpfold::sim
