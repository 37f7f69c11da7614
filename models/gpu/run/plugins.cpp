// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/run/plugins.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "warpfold/common/error.h"
#include "warpfold/common/one_line.h"
#include "warpfold/divergence/registry.h"
#include "warpfold/gpu/run/run_options.h"
#include "warpfold/isa/execute/custom_instructions.h"

// What every plug-in has, too: scripts/cmake/plugin_version.cmake makes it of the headers.
extern "C" const char warpfold_plugin_of[];

namespace warpfold {
namespace {

namespace fs = std::filesystem;

struct Loaded {
  std::vector<std::string> paths;
  BindMemory memory;
  std::string memory_of;
};
Loaded& loaded() {
  static Loaded all;
  return all;
}

// Read in the file: code that was built for other headers must not run, and what registers itself runs when it is
// loaded.
void check_version(const std::string& path) {
  const std::string_view own = warpfold_plugin_of, mark = own.substr(0, own.find(':') + 1);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = bytes.find(mark);
  if (at == std::string::npos) user_error("{}: this is no plug-in: link it with Warpfold::plugin in CMake", path);
  const std::string said = bytes.substr(at, bytes.find('\0', at) - at);
  if (said == own) return;
  const auto version = [&](std::string_view text) { return std::string(text.substr(mark.size())); };
  user_error("{}: it was built for Warpfold{}, and this is{}: build it anew", path, version(said), version(own));
}

void load(const std::string& path) {
  if (!fs::is_regular_file(path)) user_error("{}: there is no such plug-in", path);
  check_version(path);
  const auto brought = [] { return divergence::mechanisms().size() + isa::custom_units().size(); };
  const std::size_t before = brought(), twice_before = divergence::registered_twice().size();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) user_error("{}: it cannot be loaded: {}", path, one_line(dlerror()));
  const auto& twice = divergence::registered_twice();
  if (twice.size() != twice_before) {
    user_error("{}: there is a mechanism '{}' already; give it another name", path, twice.back());
  }
  if (!isa::refused_instruction().empty()) user_error("{}: {}", path, isa::refused_instruction());
  const auto bind = reinterpret_cast<void (*)(Gpu&, std::shared_ptr<void>&)>(dlsym(handle, "warpfold_bind"));
  if (bind == nullptr && brought() == before) {
    user_error("{}: it brings nothing: it registers no mechanism and no instruction, and defines no warpfold_bind()",
               path);
  }
  if (bind != nullptr) {
    if (loaded().memory) user_error("{}: {} has brought a memory; leave one out", path, loaded().memory_of);
    loaded().memory = bind;
    loaded().memory_of = path;
  }
  loaded().paths.push_back(path);
}

void add_to_variable(const std::string& path) {
  if (path.find(':') != std::string::npos) user_error("{}: plug-ins lie in paths without a colon", path);
  const char* const before = std::getenv(kPluginsVariable);
  const std::string full = fs::absolute(path).lexically_normal();
  const std::string all = before == nullptr || *before == '\0' ? full : fmt::format("{}:{}", before, full);
  setenv(kPluginsVariable, all.c_str(), 1);
}

}  // namespace

void load_plugins(const std::vector<std::string>& also) {
  for (const std::string& path : also) add_to_variable(path);
  const char* const variable = std::getenv(kPluginsVariable);
  std::istringstream words(variable == nullptr ? "" : variable);
  for (std::string path; std::getline(words, path, ':');) {
    if (path.empty()) continue;
    path = fs::absolute(path).lexically_normal();
    const auto& known = loaded().paths;
    if (std::find(known.begin(), known.end(), path) == known.end()) load(path);
  }
}

std::vector<std::string> plugins() { return loaded().paths; }

BindMemory plugged_memory() { return loaded().memory; }

void check_boundary(const RunOptions& options, bool somebody_binds) {
  if (!options.machine.memory.external() || somebody_binds) return;
  user_error("machine {}: memory.boundary.memory = {}: make it dram, or name a --plugin that brings the rest",
             options.machine_name, options.machine.memory.boundary_name());
}

}  // namespace warpfold
