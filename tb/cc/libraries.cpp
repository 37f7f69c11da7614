// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/libraries.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "tb/cc/toolkit.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/command.h"
#include "warpfold/common/files/data_folder.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/build_id.h"

namespace warpfold::cc {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

const fs::path& compiler() {
  static const fs::path own = fs::read_symlink("/proc/self/exe");
  return own;
}

fs::path sources_of(const std::string& name) {
  return data_folder("libraries", WARPFOLD_SOURCE_DIRECTORY "/tb/libraries") / name;
}

// Programs name the run-time library by its path: libraries of another build are others.
std::string entry_of(const std::string& name) {
  Hash hash;
  hash.add(compiler().string()).add(build_id(compiler()));
  hash.add_file(toolkit().libraries / "warpfold_libdevice.bc");
  hash.add_folder(toolkit().headers).add_folder(sources_of(name));
  return "lib" + name + "-" + hash.name();
}

std::string complaint(const fs::path& log) {
  const std::string text = read_text(log).value_or("");
  const std::size_t error = text.find("error: ");
  if (error == std::string::npos) return "warpfold-cc ends without a word";
  const std::size_t begin = text.rfind('\n', error) + 1;  // 0 where there is none
  return text.substr(begin, text.find('\n', error) - begin);
}

// Commands of this very program, all at once.
void run(const std::string& what, const Scratch& scratch, const std::vector<std::pair<Command, fs::path>>& commands) {
  std::vector<std::pair<pid_t, fs::path>> children;
  int error = 0;
  for (const auto& [command, log] : commands) {
    pid_t child = 0;
    error = start_command(command, log, child);
    if (error != 0) break;
    children.emplace_back(child, log);
  }
  fs::path failed;
  for (const auto& [child, log] : children) {
    if (!ends_well(child)) failed = log;
  }
  if (error != 0) user_error("{}: cannot start it: {}", compiler().string(), std::strerror(error));
  if (failed.empty()) return;
  const std::string said = complaint(failed);
  user_error("{} does not compile: {}; log: {}", what, said, scratch.keep_logs(what + ".log"));
}

// Named by its place, like the run-time library, so that programs that another compiler has linked find it.
void make(const std::string& name, const fs::path& place, const Scratch& scratch) {
  const std::string file = "lib" + name + ".so";
  std::cerr << "warpfold-cc: making " << file << ", once\n";
  fs::create_directory(scratch.file(kMade));
  std::vector<std::pair<Command, fs::path>> compilations;
  Command link = {compiler(), "-shared", "-Xlinker", fmt::format("-soname,{},-z,defs", (place / file).string())};
  for (const fs::directory_entry& source : fs::directory_iterator(sources_of(name))) {
    if (source.path().extension() != ".cu") continue;
    const std::string object = scratch.file(source.path().stem().string() + ".o");
    link.push_back(object);
    compilations.push_back({{compiler(), "-c", "-O2", "-fmad=false", "-Xcompiler", "-fPIC,-fvisibility=hidden",
                             source.path(), "-o", object},
                            object + ".log"});
  }
  std::sort(link.begin() + 4, link.end());
  link.insert(link.end(), {"-o", fs::path(scratch.file(kMade)) / file});
  run(file, scratch, compilations);
  run(file, scratch, {{link, scratch.file("link.log")}});
}

// For other compilers' links; whoever may not write there leaves it as it is.
void lead_to(const fs::path& library) {
  const fs::path folder = toolkit().root / "lib64", link = folder / library.filename();
  std::error_code none;
  if (toolkit().installed || fs::read_symlink(link, none) == library) return;
  const fs::path made = folder / fmt::format("{}.{}", library.filename().string(), getpid());
  fs::create_symlink(library, made, none);
  if (none) return;
  fs::rename(made, link, none);
  write_whole_file(folder / library.stem().concat("_static.a"), fmt::format("INPUT({})\n", library.string()));
}

}  // namespace

fs::path made_library(const std::string& name) {
  const std::string entry = entry_of(name);
  const fs::path place = cache_directory() / entry, file = place / ("lib" + name + ".so");
  kept_in_cache(entry, [&](const Scratch& scratch) { make(name, place, scratch); });
  lead_to(file);
  return file;
}

// Names of functions in its table of symbols, which begin behind a zero.
void make_libraries_for(const fs::path& object, const fs::path& source) {
  const std::string text = read_input(object, "object");
  for (const std::string name : {"cublas", "curand", "cusparse"}) {
    if (fs::weakly_canonical(source).parent_path() == fs::weakly_canonical(sources_of(name))) continue;  // its own
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const char next = at + name.size() < text.size() ? text[at + name.size()] : 0;
      if (at == 0 || text[at - 1] != 0 || next < 'A' || next > 'Z') continue;
      made_library(name);
      break;
    }
  }
}

namespace {

// Headers that programs include as if the toolkit had them.
std::string missing_package(const std::string& messages) {
  static constexpr std::pair<std::string_view, const char*> kPackages[] = {
      {"thrust/", "libthrust-dev"}, {"cub/", "libcub-dev"}, {"cuda/", "libcu++-dev"}, {"nv/target", "libcu++-dev"}};
  static const std::regex missing("fatal error: '([^']+)' file not found");
  std::smatch found;
  if (!std::regex_search(messages, found, missing)) return "";
  const std::string name = found[1].str();
  for (const auto& [beginning, package] : kPackages) {
    if (name.starts_with(beginning)) return fmt::format("{}: Debian's package {} has such headers", name, package);
  }
  return "";
}

}  // namespace

std::string what_is_absent(const std::string& messages) {
  static constexpr std::pair<std::string_view, const char*> kBeginnings[] = {
#include "vendor_calls.inc"
  };
  static const std::regex unknown("error: (?:use of undeclared identifier|unknown type name) '(\\w+)'");
  for (auto found = std::sregex_iterator(messages.begin(), messages.end(), unknown); found != std::sregex_iterator();
       ++found) {
    const std::string name = (*found)[1].str();
    for (const auto& [beginning, product] : kBeginnings) {
      if (!name.starts_with(beginning)) continue;
      return fmt::format(
          "{}: {} does not run on the model, and has no counterpart here: build without it, or put kernels of your own "
          "in its place",
          name, product);
    }
  }
  return missing_package(messages);
}

}  // namespace warpfold::cc
