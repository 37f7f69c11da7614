// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/commands/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "tb/cosim/blocks.h"
#include "tb/sim/commands/command_line.h"
#include "tb/sim/commands/man.h"
#include "tb/sim/runs/catalog.h"
#include "warpfold/divergence/packing/schemes.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

using Candidates = std::vector<Candidate>;

Candidates machines() {
  Candidates all;
  for (const std::string& name : config_names("machines")) all.push_back({name, ""});
  return all;
}

Candidates mechanisms() {
  Candidates all;
  for (const auto& info : divergence::mechanisms()) all.push_back({info.name, info.description});
  return all;
}

Candidates packings() {
  Candidates all;
  for (const auto& packing : divergence::kPackings) all.push_back({packing.name, packing.description});
  return all;
}

Candidates blocks() {
  Candidates all;
  for (const cosim::RtlBlock& block : cosim::rtl_blocks()) all.push_back({block.name, ""});
  return all;
}

Candidates workloads() {
  Candidates all;
  for (const auto& some : {find_workloads(), find_originals()}) {
    for (const Workload& workload : some) all.push_back({workload.name, workload.description});
  }
  return all;
}

// The default machine's keys; values are the user's.
Candidates settings() {
  Candidates all;
  for (const FieldView& field : fields_of(RunOptions::resolve("tbc2011", "pdom", {}).machine)) {
    if (!field.section()) all.push_back({field.path + "=", field.meaning});
  }
  return all;
}

struct Kind {
  Candidates (*words)();  // null: none are known
  bool list;              // separated by commas, or "all"
  Paths paths;
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all{
      {value_kind::kMachine, {machines, false, Paths::kFiles}},
      {value_kind::kMechanism, {mechanisms, false, Paths::kNone}},
      {value_kind::kMechanisms, {mechanisms, true, Paths::kNone}},
      {value_kind::kPacking, {packings, false, Paths::kNone}},
      {value_kind::kPackings, {packings, true, Paths::kNone}},
      {value_kind::kBlocks, {blocks, true, Paths::kNone}},
      {value_kind::kProgram, {workloads, false, Paths::kFiles}},
      {value_kind::kWorkload, {workloads, false, Paths::kNone}},
      {value_kind::kSetting, {settings, false, Paths::kNone}},
      {value_kind::kFile, {nullptr, false, Paths::kFiles}},
      {value_kind::kDirectory, {nullptr, false, Paths::kDirectories}},
  };
  return all;
}

void add_beginning_with(const std::string& begin, const Candidates& all, const std::string& before, Completion& to) {
  for (const Candidate& one : all) {
    if (one.word.starts_with(begin)) to.candidates.push_back({before + one.word, one.meaning});
  }
}

// "pdom,tb" → pdom,tbc: those that are not there yet.
void add_to_list(const std::string& word, Candidates all, Completion& to) {
  const std::size_t comma = word.rfind(',') + 1;  // 0: there is none
  std::istringstream given(word.substr(0, comma));
  for (std::string name; std::getline(given, name, ',');) {
    std::erase_if(all, [&](const Candidate& one) { return one.word == name; });
  }
  if (comma == 0) all.push_back({"all", ""});
  add_beginning_with(word.substr(comma), all, word.substr(0, comma), to);
}

Candidates choices_in(const std::string& type) {
  Candidates all;
  std::istringstream choices(type);
  for (std::string choice; std::getline(choices, choice, '|');) all.push_back({choice, ""});
  return all;
}

// `before` is what stands before the value in the same word: "--machine=".
void add_values(const std::string& type, const std::string& word, const std::string& before, Completion& to) {
  Completion values;
  if (const auto kind = kinds().find(type); kind != kinds().end()) {
    const Candidates all = kind->second.words != nullptr ? kind->second.words() : Candidates();
    kind->second.list ? add_to_list(word, all, values) : add_beginning_with(word, all, "", values);
    to.paths = kind->second.paths;
  } else if (type.find('|') != std::string::npos) {
    add_beginning_with(word, choices_in(type), "", values);
  }
  add_beginning_with("", values.candidates, before, to);
}

void add_commands(const CLI::App& app, const std::string& word, Completion& to) {
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_name().starts_with(word))
      to.candidates.push_back({command->get_name(), command->get_description()});
  }
}

void add_options(const CLI::App& app, const std::string& word, Completion& to) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (("--" + name).starts_with(word)) to.candidates.push_back({"--" + name, option->get_description()});
    }
  }
}

const CLI::Option* option_of(const CLI::App& app, const std::string& word) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional() && option->check_name(word)) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option* option) { return option != nullptr && option->get_items_expected_max() > 0; }

const CLI::App* named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// The positional argument that the next word is, after so many.
const CLI::Option* positional_of(const CLI::App& app, std::size_t before) {
  const CLI::Option* last = nullptr;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    last = option;
    if (before-- == 0) return option;
  }
  return last != nullptr && last->get_items_expected_max() > 1 ? last : nullptr;
}

// Where the words before the last have led.
struct Place {
  const CLI::App* command;
  const CLI::Option* option = nullptr;  // whose value comes next
  std::size_t positionals = 0;
  bool program = false;  // what follows is a program and its arguments
};

Place place_of(const CLI::App& app, const std::vector<std::string>& words) {
  Place place{&app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (place.option != nullptr) {
      place.option = nullptr;
    } else if (word == "--") {
      place.program = true;
      place.positionals = 0;
    } else if (!place.program && word.starts_with('-')) {
      const CLI::Option* const option = option_of(*place.command, word);
      if (takes_value(option)) place.option = option;  // "--name=value" names none
    } else if (const CLI::App* below = place.program ? nullptr : named(*place.command, word); below != nullptr) {
      place.command = below;
    } else {
      place.program |= place.command->get_prefix_command();
      ++place.positionals;
    }
  }
  return place;
}

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words) {
  Completion completion;
  const std::string word = words.empty() ? "" : words.back();
  const Place place = place_of(app, words);
  const std::size_t equals = word.find('=');
  if (place.option != nullptr) {
    add_values(place.option->get_type_name(), word, "", completion);
  } else if (!place.program && word.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* const option = option_of(*place.command, word.substr(0, equals));
    if (takes_value(option)) {
      add_values(option->get_type_name(), word.substr(equals + 1), word.substr(0, equals + 1), completion);
    }
  } else if (!place.program && word.starts_with('-')) {
    add_options(*place.command, word, completion);
  } else if (place.command->get_prefix_command()) {
    completion.paths = Paths::kFiles;
    if (place.positionals == 0) add_values(value_kind::kProgram, word, "", completion);
  } else if (const CLI::Option* const positional = positional_of(*place.command, place.positionals)) {
    if (positional->get_type_name() == value_kind::kCommand) add_commands(app, word, completion);
    add_values(positional->get_type_name(), word, "", completion);
  } else if (place.positionals == 0) {
    add_commands(*place.command, word, completion);
  }
  return completion;
}

std::string as_lines(const Completion& completion) {
  std::string text;
  for (const auto& [word, meaning] : completion.candidates) text += fmt::format("{}\t{}\n", word, meaning);
  if (completion.paths == Paths::kFiles) text += ":files\n";
  if (completion.paths == Paths::kDirectories) text += ":directories\n";
  return text;
}

namespace {

// Readline takes = and : for borders between words, so words are put together again, and what stands before the border
// is taken off what is offered.
constexpr const char* kBash = R"(# bash completion for warpfold; written by: warpfold completion bash
_warpfold() {
  local cur=${COMP_LINE:0:COMP_POINT} line word head='' i
  local -a words=()
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ ${#words[@]} -gt 0 && ( $word == [=:]* || ${words[-1]} == *[=:] ) && $cur == *"${words[-1]}$word"* ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  cur=${words[-1]}
  [[ $cur == *[=:]* ]] && head=${cur%"${cur##*[=:]}"}
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "${cur#"$head"}")) ;;
      :directories) compopt -o filenames; COMPREPLY+=($(compgen -d -- "${cur#"$head"}")) ;;
      *)
        word=${line%%$'\t'*}
        COMPREPLY+=("${word#"$head"}")
        [[ $word == *= ]] && compopt -o nospace ;;
    esac
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
}
complete -F _warpfold warpfold
)";

constexpr const char* kZsh = R"(#compdef warpfold
# zsh completion for warpfold; written by: warpfold completion zsh
compdef _warpfold warpfold
_warpfold() {
  local line word
  local -a shown=()
  for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      :directories) _files -/ ;;
      *=$'\t'*) compadd -S '' -- "${line%%$'\t'*}" ;;
      *) word=${line%%$'\t'*}; shown+=("${word//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( ${#shown} )) && _describe warpfold shown
}
[[ ${funcstack[1]} == _warpfold ]] && _warpfold "$@"  # read from a folder of functions rather than sourced
)";

constexpr const char* kFish = R"(# fish completion for warpfold; written by: warpfold completion fish
function __warpfold
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :directories
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c warpfold -f -a '(__warpfold)'
)";

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : kBash;
}

}  // namespace warpfold::sim
