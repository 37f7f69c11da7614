// SPDX-License-Identifier: Apache-2.0
// The options of warpfold-cc: nvcc's, by their names, and those of a host compiler that people give it, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tb/cc/command_line.h"

namespace warpfold::cc {

// The command line as it is being read.
class Reading {
 public:
  CommandLine line;
  std::string language;          // of -x, for the files that follow
  bool unknown_to_host = false;  // -forward-unknown-to-host-compiler
  bool unknown_to_linker = false;
  bool model_architecture = false;               // sm_70 is among those that are asked for,
  std::vector<std::string> other_architectures;  // and these

  void note(const std::string& text);  // once each
  void note_architectures();           // where sm_70 is none of them
  void add_input(const std::string& path);
  void to_host_compiler(const std::string& word);
  void library(const std::string& name);
};

enum class Takes : std::uint8_t { kNothing, kValue, kSwitch /* nothing, or =true, =false */ };

struct Option {
  std::string_view names;  // without dashes, parted by blanks; each with one dash or two
  Takes takes;
  void (*apply)(Reading& reading, const std::string& value);
};

// Null: there is none of that name.
const Option* find_option(std::string_view name);
std::vector<std::string> option_names();

}  // namespace warpfold::cc
