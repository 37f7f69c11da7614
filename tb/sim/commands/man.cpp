// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/commands/man.h"

#include <fmt/format.h>

#include <filesystem>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::sim {
namespace {

// A character of more than one byte as troff names it, so that any device has it.
std::size_t add_unicode(const std::string& text, std::size_t at, std::string& out) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at);
  const std::size_t more = first >= 0xf0U ? 3 : first >= 0xe0U ? 2 : 1;
  unsigned code = first & (0x3fU >> more);
  for (std::size_t i = 1; i <= more && at + i < text.size(); ++i) code = code << 6U | (byte(at + i) & 0x3fU);
  out += fmt::format("\\[u{:04X}]", code);
  return more;
}

std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && out.empty()) {
      out += fmt::format("\\&{}", c);  // no request
    } else if ((static_cast<unsigned char>(c) & 0x80U) != 0) {
      i += add_unicode(text, i, out);
    } else {
      out += c;
    }
  }
  return out;
}

std::string full_name(const CLI::App& command, char between) {
  if (command.get_parent() == nullptr) return command.get_name();
  return full_name(*command.get_parent(), between) + between + command.get_name();
}

std::string synopsis(const CLI::App& command) {
  std::string text = fmt::format(".B {}\n", roff(full_name(command, ' ')));
  if (!commands_of(command).empty()) return text + ".I COMMAND\n[\\fIOPTIONS\\fR]\n";
  text += "[\\fIOPTIONS\\fR]\n";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = roff(option->get_name(true));
    const std::string several = option->get_items_expected_max() > 1 ? "\\&..." : "";
    text += option->get_required() ? fmt::format("\\fI{}\\fR{}\n", name, several)
                                   : fmt::format("[\\fI{}\\fR{}]\n", name, several);
  }
  if (command.get_prefix_command()) text += "[\\-\\-] \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR...]\n";
  return text;
}

// "-j, --jobs COUNT".
std::string option_head(const CLI::Option& option) {
  std::string text;
  const auto add = [&](const char* dashes, const std::string& name) {
    text += fmt::format("{}\\fB{}{}\\fR", text.empty() ? "" : ", ", dashes, roff(name));
  };
  for (const std::string& name : option.get_snames()) add("\\-", name);
  for (const std::string& name : option.get_lnames()) add("\\-\\-", name);
  if (!option.nonpositional()) text = fmt::format("\\fI{}\\fR", roff(option.get_name(true)));
  const bool value = option.get_items_expected_max() > 0 && option.nonpositional();
  return value ? fmt::format("{} \\fI{}\\fR", text, roff(option.get_type_name())) : text;
}

std::string options_of(const CLI::App& command, bool positional) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() == positional) continue;
    text += fmt::format(".TP\n{}\n{}\n", option_head(*option), roff(option->get_description()));
  }
  return text;
}

std::string commands_section(const CLI::App& command) {
  std::string text;
  for (const CLI::App* below : commands_of(command)) {
    text += fmt::format(".TP\n.BR {} (1)\n{}\n", roff(full_name(*below, '-')), roff(below->get_description()));
  }
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
0
All went well.
.TP
1
A run is wrong or has failed, or output could not be written.
.TP
2
A mistake in usage or configuration, told in one line.
)";

constexpr const char* kEnvironment = R"(.SH ENVIRONMENT
.TP
.B WARPFOLD_CONFIGS
The directory of machines and mechanisms, in the place of the installed one.
.TP
.B WARPFOLD_CACHE
Where what is made when it is first asked for is kept: bundled programs, what is built of RTL and synthesised, the libraries of
reports.
.TP
.B WARPFOLD_RUN
A run file, for programs that are started without
.BR warpfold .
)";

std::string see_also(const CLI::App& command) {
  std::string text;
  if (command.get_parent() == nullptr)
    return ".SH SEE ALSO\nThe folder docs of the sources; README.md has the first steps.\n";
  for (const CLI::App* other : commands_of(*command.get_parent())) {
    if (other == &command) continue;
    text += fmt::format(",\n.BR {} (1)", roff(full_name(*other, '-')));
  }
  return fmt::format(".SH SEE ALSO\n.BR {} (1){}\n", roff(full_name(*command.get_parent(), '-')), text);
}

void write_page_and_those_below(const CLI::App& command, const std::filesystem::path& directory) {
  write_whole_file(directory / (full_name(command, '-') + ".1"), man_page(command));
  for (const CLI::App* below : commands_of(command)) write_page_and_those_below(*below, directory);
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

const CLI::App& command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const CLI::App* found = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* below : commands_of(*command)) {
      names.push_back(below->get_name());
      if (below->get_name() == word) found = below;
    }
    if (found == nullptr && names.empty()) user_error("{}: {} has no commands", word, command->get_name());
    if (found == nullptr) user_error("{}: no such command; {}", word, suggestion(word, names));
    command = found;
  }
  return *command;
}

std::string man_page(const CLI::App& command) {
  const std::string name = full_name(command, '-');
  std::string text = ".\\\" Written by: warpfold man\n";
  std::string title;
  for (const char c : name) title += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  text += fmt::format(".TH \"{}\" 1 \"\" \"warpfold {}\" \"Warpfold\"\n", roff(title), WARPFOLD_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.get_description()));
  text += ".SH SYNOPSIS\n" + synopsis(command);
  text += fmt::format(".SH DESCRIPTION\n{}.\n", roff(command.get_description()));
  text += commands_section(command);
  const std::string positionals = options_of(command, true);
  if (!positionals.empty()) text += ".SH ARGUMENTS\n" + positionals;
  text += ".SH OPTIONS\n" + options_of(command, false);
  return text + kExitStatus + kEnvironment + see_also(command);
}

void write_man_pages(const CLI::App& app, const std::string& directory) { write_page_and_those_below(app, directory); }

}  // namespace warpfold::sim
