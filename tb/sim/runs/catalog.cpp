// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/catalog.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "warpfold/common/config/config.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/config/words.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/data_folder.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "workload.yaml";

Workload read_manifest(const fs::path& path) {
  const ConfigNode manifest = ConfigNode::from_file(path);
  Workload workload;
  workload.name = manifest.value("name").scalar();
  workload.description = manifest.value("description").scalar();
  workload.set = manifest.value("set").scalar();
  const ConfigNode& papers = manifest.table("papers");
  for (const auto& [paper, set] : papers.children()) {
    for (const std::string& one : set.is_list() ? papers.list(paper) : std::vector{set.scalar()}) {
      workload.papers.emplace(paper, one);
    }
  }
  const bool several = manifest.find("sources") != nullptr;
  for (const std::string& source :
       several ? manifest.list("sources") : std::vector{manifest.value("source").scalar()}) {
    workload.sources.push_back((path.parent_path() / source).lexically_normal());
  }
  if (manifest.find("compile") != nullptr) workload.options = manifest.list("compile");
  const ConfigNode& arguments = manifest.table("arguments");
  for (const auto& [size, unused] : arguments.children()) workload.arguments[size] = arguments.list(size);
  return workload;
}

std::vector<Workload> workloads_below(const fs::path& folder) {
  std::vector<Workload> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const fs::path manifest = entry.path() / kManifest;
    if (fs::exists(manifest, none)) found.push_back(read_manifest(manifest));
  }
  std::sort(found.begin(), found.end(), [](const Workload& a, const Workload& b) { return a.name < b.name; });
  return found;
}

// Where scripts/corpus writes manifests.
constexpr const char* kOriginals = "originals";

Workload as_original(Workload workload, const fs::path& folder) {
  workload.original = true;
  workload.directory = folder / "run";
  return workload;
}

fs::path workload_directory() { return data_folder("workloads", WARPFOLD_SOURCE_DIRECTORY "/tb/workloads"); }

bool is_executable(const std::string& path) {
  std::error_code none;
  return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, none);
}

}  // namespace

std::string program_directory() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  return failed ? "." : self.parent_path().string();
}

std::string cuda_library() { return fs::path(program_directory()).parent_path() / "lib/libwarpfold_cudart.so"; }

// By its folder's name, which is its own: the others' manifests are left unread.
std::optional<Workload> find_workload(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  std::error_code none;
  if (const fs::path manifest = workload_directory() / name / kManifest; fs::exists(manifest, none)) {
    return read_manifest(manifest);
  }
  const std::optional<fs::path> originals = folder_in_cache(kOriginals);
  if (!originals || !fs::exists(*originals / name / kManifest, none)) return std::nullopt;
  return as_original(read_manifest(*originals / name / kManifest), *originals / name);
}

std::vector<Workload> find_workloads() { return workloads_below(workload_directory()); }

std::vector<Workload> find_originals() {
  const std::optional<fs::path> folder = folder_in_cache(kOriginals);
  if (!folder) return {};
  std::vector<Workload> found = workloads_below(*folder);
  for (Workload& workload : found) workload = as_original(std::move(workload), *folder / workload.name);
  return found;
}

std::vector<fs::path> workload_headers() {
  std::vector<fs::path> headers;
  for (const auto& folder : fs::directory_iterator(workload_directory())) {
    if (!folder.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() == ".h") headers.push_back(file.path());
    }
  }
  std::sort(headers.begin(), headers.end());
  return headers;
}

bool names_a_set(const std::string& text) {
  return text.find(':') != std::string::npos && text.find_first_of("/ ") == std::string::npos;
}

std::vector<std::string> workloads_of(const std::string& set) {
  std::vector<std::string> found;
  std::set<std::string> known;
  const std::string originals = std::string(kOriginals) + ":";
  const bool of_originals = set.starts_with(originals);
  for (const Workload& workload : of_originals ? find_originals() : find_workloads()) {
    for (const auto& [paper, name] : workload.papers) {
      known.insert({paper + ":" + name, paper + ":all"});
      if (set == paper + ":" + name || set == paper + ":all") found.push_back(workload.name);
    }
  }
  if (found.empty() && of_originals) {
    user_error("{}: not here; scripts/corpus {} fetches and builds these programs", set, set.substr(originals.size()));
  }
  if (found.empty()) user_error("no set of workloads '{}': {}", set, suggestion(set, {known.begin(), known.end()}));
  return found;
}

std::vector<std::string> programs_of(const std::vector<std::string>& texts) {
  std::vector<std::string> programs;
  for (const std::string& text : texts) {
    if (!names_a_set(text)) {
      programs.push_back(text);
      continue;
    }
    for (const std::string& name : workloads_of(text)) {
      if (std::find(programs.begin(), programs.end(), name) == programs.end()) programs.push_back(name);
    }
  }
  return programs;
}

std::string text_of(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$") == std::string::npos;
    std::string quoted;
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return text;
}

Program find_program(const std::vector<std::string>& words, const std::string& size) {
  const std::string& first = words.at(0);
  if (std::optional<Workload> workload = find_workload(first)) {
    Program program{first, words};
    program.bundled = std::move(workload);
    if (words.size() > 1) return program;
    const auto arguments = program.bundled->arguments.find(size);
    if (arguments == program.bundled->arguments.end()) {
      std::string sizes;
      for (const auto& [known, unused] : program.bundled->arguments) sizes += (sizes.empty() ? "" : ", ") + known;
      user_error("workload {} has no size '{}'; it has {}", first, size, sizes);
    }
    program.command.insert(program.command.end(), arguments->second.begin(), arguments->second.end());
    program.size = size;
    program.directory = program.bundled->directory;
    return program;
  }
  if (!is_executable(first)) {
    std::vector<std::string> names;
    for (const Workload& workload : find_workloads()) names.push_back(workload.name);
    if (fs::path(first).extension() == ".cu") {
      user_error("{}: is a source file; compile it, and run what that makes: warpfold-cc -O3 {} -o {}", first, first,
                 fs::path(first).stem().string());
    }
    user_error("{}: neither a bundled workload nor an executable file; {}", first, suggestion(first, names));
  }
  const fs::path path = fs::absolute(first);
  Program program{path.filename(), words};
  program.command[0] = path;
  return program;
}

Program find_program(const std::string& text, const std::string& size) {
  if (is_executable(text)) return find_program(std::vector{text}, size);
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) user_error("'{}': no program", text);
  return find_program(words, size);
}

}  // namespace warpfold::sim
