// SPDX-License-Identifier: Apache-2.0
// warpfold-cc as tests use it: a source text in, PTX text or messages out.
#pragma once

#include <string>
#include <vector>

namespace warpfold::host {

struct CommandResult {
  int status = 0;
  std::string output;  // standard output and standard error together
};

CommandResult run_command(const std::string& command);

// A folder of its own, removed with it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const;  // returns its path
  std::string read(const std::string& name) const;
  // Runs warpfold-cc in this folder.
  CommandResult compile(const std::string& arguments) const;

 private:
  std::string path_;
};

// PTX of a CUDA source text. Throws std::runtime_error with the compiler's words when it does not compile.
std::string ptx_of(const std::string& source, const std::string& options = "");

// The text of one kernel in a PTX text, from its .entry on.
std::string entry_text(const std::string& ptx, const std::string& kernel);

unsigned count(const std::string& text, const std::string& what);

}  // namespace warpfold::host
