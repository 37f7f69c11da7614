// SPDX-License-Identifier: Apache-2.0
#include "tests/host/front_end.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace warpfold::host {

CommandResult run_command(const std::string& command) {
  CommandResult result;
  std::FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start: " + command);
  std::array<char, 4096> buffer;
  for (std::size_t read = 0; (read = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    result.output.append(buffer.data(), read);
  }
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "warpfold-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch folder " + pattern);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(path_); }

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::string ScratchFolder::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name)).rdbuf();
  return text.str();
}

CommandResult ScratchFolder::compile(const std::string& arguments) const {
  return run_command("cd '" + path_ + "' && " WARPFOLD_CC " " + arguments);
}

std::string ptx_of(const std::string& source, const std::string& options) {
  const ScratchFolder folder;
  folder.write("test.cu", source);
  const CommandResult result = folder.compile("--ptx " + options + " test.cu");
  if (result.status != 0) throw std::runtime_error(result.output);
  return folder.read("test.ptx");
}

std::string entry_text(const std::string& ptx, const std::string& kernel) {
  std::size_t at = 0;
  for (;;) {
    at = ptx.find(".entry", at);
    if (at == std::string::npos) throw std::runtime_error("no kernel " + kernel);
    const std::size_t end = ptx.find(".entry", at + 1);
    const std::string text = ptx.substr(at, end == std::string::npos ? end : end - at);
    if (text.substr(0, text.find('\n')).find(kernel) != std::string::npos) return text;
    ++at;
  }
}

unsigned count(const std::string& text, const std::string& what) {
  unsigned found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace warpfold::host
