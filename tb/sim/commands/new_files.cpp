// SPDX-License-Identifier: Apache-2.0
// `warpfold new`: the files that docs/machines.md and docs/add-a-mechanism.md describe, to begin with.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "tb/sim/commands/commands.h"
#include "tb/sim/runs/catalog.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/data_folder.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Words of small letters and digits, with hyphens between them: what lists, files and --mechanisms can take.
void check_name(const std::string& name) {
  bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 && name.back() != '-';
  for (const char c : name) {
    good &= c == '-' || (std::islower(static_cast<unsigned char>(c)) != 0) ||
            (std::isdigit(static_cast<unsigned char>(c)) != 0);
  }
  if (!good) user_error("{}: a name has small letters, digits and hyphens, and begins with a letter", name);
}

using File = std::pair<fs::path, std::string>;  // with its text

// All or, where one is there already, none; into a folder of their own, if they have one.
void write_new(const std::vector<File>& files, const fs::path& folder = {}) {
  for (const auto& [path, unused] : files) {
    if (fs::exists(fs::symlink_status(path))) user_error("{}: is there already; nothing was written", path.string());
  }
  std::error_code told_by_the_write;
  if (!folder.empty()) fs::create_directories(folder, told_by_the_write);
  for (const auto& [path, text] : files) {
    write_whole_file(path, text);
    fmt::print("wrote {}\n", path.string());
  }
}

// A line's value keeps its source, and says that it is another machine's.
std::string taken_over(const std::string& line, const std::string& from) {
  const std::size_t comment = line.find(" #"), first = line.find_first_not_of(' ');
  if (first == std::string::npos || line[first] == '#') return line;
  if (comment != std::string::npos) {
    const std::size_t words = line.find_first_not_of(" #", comment);
    const std::string why = words == std::string::npos ? "" : ": " + line.substr(words);
    return fmt::format("{} # as {}{}", line.substr(0, comment), from, why);
  }
  if (line.find_last_not_of(' ') == line.find(':')) return line;  // a section
  return fmt::format("{}  # as {}", line, from);
}

std::string machine_text(const std::string& name, const std::string& from, const fs::path& source) {
  std::istringstream lines(text_of(source));
  std::string text = fmt::format(
      "# {}, made of {}: say here in one line what it is\n"
      "#\n"
      "# Values that are {}'s are marked \"as {}\". Whoever changes one says beside it where the new one comes from, "
      "or why it was\n"
      "# chosen: warpfold machines diff {} FILE shows both.\n",
      name, from, from, from, from);
  bool heading = true;  // what the other file says of itself
  for (std::string line; std::getline(lines, line);) {
    heading &= line.starts_with('#');
    if (!heading) text += taken_over(line, from) + "\n";
  }
  return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// "warp-split" → "WarpSplit", the class, or "warp_split", the files.
std::string class_name(const std::string& name) {
  std::string text;
  bool begins = true;
  for (const char c : name) {
    if (c != '-') text += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = c == '-';
  }
  return text;
}

// What tells CMake where Warpfold's package is: this program's build tree, or the prefix that it is installed under.
std::string package_option() {
  const fs::path here = program_directory(), build = here.parent_path(), prefix = build.parent_path().parent_path();
  if (fs::exists(build / "WarpfoldConfig.cmake")) return fmt::format(" -D Warpfold_DIR={}", build.string());
  return fmt::format(" -D CMAKE_PREFIX_PATH={}", prefix.string());
}

}  // namespace

int new_machine(const NewCommand& command) {
  check_name(command.name);
  const fs::path source = find_config("machines", command.from);
  const fs::path file = fs::path(command.out.empty() ? "." : command.out) / (command.name + ".yaml");
  const std::string from = fs::path(command.from).stem();
  write_new({{file, machine_text(command.name, from, source)}});
  RunOptions::resolve(fs::absolute(file), "pdom", {});  // it loads as it stands
  const std::string path = file.string().find('/') == std::string::npos ? "./" + file.string() : file.string();
  fmt::print(
      "its values are {}'s, each marked so; when some are changed:\n  warpfold machines diff {} {}\n"
      "  warpfold run --machine {} -- bfs\n",
      from, command.from, path, path);
  return 0;
}

int new_mechanism(const NewCommand& command) {
  check_name(command.name);
  for (const auto& known : divergence::mechanisms()) {
    if (known.name == command.name) user_error("{}: there is a mechanism of this name", command.name);
  }
  const std::string file = replaced(command.name, "-", "_");
  const fs::path folder = fs::path(command.out.empty() ? "." : command.out) / command.name;
  const fs::path samples = data_folder("samples", WARPFOLD_SOURCE_DIRECTORY "/docs/samples");
  const auto made_of = [&](const char* sample) {
    std::string text = replaced(text_of(samples / sample), "@name@", command.name);
    return replaced(replaced(text, "@Name@", class_name(command.name)), "@file@", file);
  };
  write_new({{folder / "CMakeLists.txt", made_of("new_mechanism.cmake.in")},
             {folder / (file + ".cpp"), made_of("new_mechanism.cpp.in")},
             {folder / (command.name + ".yaml"), made_of("new_mechanism.yaml.in")},
             {folder / fmt::format("test_{}.cpp", file), made_of("test_new_mechanism.cpp.in")}},
            folder);
  const std::string at = folder.lexically_normal().string();
  fmt::print(
      "a reconvergence stack for each warp, to begin with; build and compare it (docs/add-a-mechanism.md):\n"
      "  cmake -S {} -B {}/build{} && cmake --build {}/build\n"
      "  warpfold compare --plugin {}/{}.so --mechanisms pdom,{} bfs\n",
      at, at, package_option(), at, at, file, command.name);
  return 0;
}

}  // namespace warpfold::sim
