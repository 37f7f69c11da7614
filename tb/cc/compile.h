// SPDX-License-Identifier: Apache-2.0
// From sources to device code and objects.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tb/cc/command_line.h"
#include "tb/cc/process.h"
#include "tb/cc/source.h"

namespace warpfold::cc {

class Compiler {
 public:
  // Both halves of a source and their intermediate files are in `work`.
  Compiler(const CommandLine& line, const Runner& runner, WorkFolder& work);

  // Each throws UserError where the source does not compile, after clang's messages.
  void device(const Input& input, const std::filesystem::path& ptx);
  void object(const Input& input, const std::filesystem::path& object);
  // To standard output where `to` is empty.
  void preprocess(const Input& input, const std::filesystem::path& to);

 private:
  // The file that clang reads in a source's place, and what makes it find what lies beside the source.
  struct Source {
    std::filesystem::path path;
    Command beside;
  };
  Source source_of(const Input& input);
  // Those of what the file includes, and of what these include, that have to be cured.
  std::vector<Replacement> cured_headers(const std::filesystem::path& file, const std::string& text);
  Command cuda(const Source& source) const;
  Command plain(const Input& input) const;
  void device(const Input& input, const Source& source, const std::filesystem::path& ptx);
  void host(const Input& input, const Source& source, const std::filesystem::path& ptx,
            const std::filesystem::path& object);
  Command dependencies(const Input& input, const std::filesystem::path& object) const;

  const CommandLine& line_;
  const Runner& runner_;
  WorkFolder& work_;
};

}  // namespace warpfold::cc
