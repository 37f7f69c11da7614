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
  // The file that clang reads in a source's place, with its text, what it reads in headers' places, and what makes it
  // find them and what lies beside the source.
  struct Source {
    std::filesystem::path path;
    std::string text;
    std::vector<Replacement> headers;
    Command beside;
  };
  Source source_of(const Input& input);
  Source laid_out(const Input& input, const std::string& text, bool changed, std::vector<Replacement> headers);
  // With the variables at these places plain.
  Source with_plain_variables(const Input& input, const Source& source, const std::vector<Place>& places);
  // Those of what the file includes, and of what these include, that have to be cured.
  std::vector<Replacement> cured_headers(const std::filesystem::path& file, const std::string& text);
  Command cuda(const Source& source) const;
  Command plain(const Input& input) const;
  // `quiet`: warnings are left to the host half, which reads the same text.
  void device(const Input& input, const Source& source, const std::filesystem::path& ptx, bool quiet);
  // The first step of it, to code that is not optimised.
  void read_device(const Input& input, Source source, const Command& flags, const std::filesystem::path& code);
  void host(const Input& input, const Source& source, const std::filesystem::path& ptx,
            const std::filesystem::path& object);
  Command dependencies(const Input& input, const std::filesystem::path& object) const;

  const CommandLine& line_;
  const Runner& runner_;
  WorkFolder& work_;
};

}  // namespace warpfold::cc
