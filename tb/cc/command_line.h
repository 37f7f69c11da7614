// SPDX-License-Identifier: Apache-2.0
// What a command line of warpfold-cc asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpfold::cc {

enum class Step : std::uint8_t {
  kLink,
  kObject,
  kPtx,
  kImage,       // of device code alone: what others call cubin or fatbin
  kPreprocess,  // or its dependencies, to standard output
  kDeviceLink,
  kLibrary,
};

enum class Language : std::uint8_t { kCuda, kCxx, kC, kObject, kUnknown };

struct Input {
  std::string path;
  Language language;
};

struct CommandLine {
  Step step = Step::kLink;
  std::string image_suffix;  // of kImage
  bool relocatable = false;  // -rdc: device code may call, and use, what other files define
  std::string output, output_folder, keep_folder;
  std::vector<Input> inputs;
  std::vector<std::string> common;        // for both halves' compiler
  std::vector<std::string> host, device;  // for one of them
  std::vector<std::string> link, run;     // for the linker; for the program, with -run
  std::vector<std::string> libraries;     // of tb/libraries, among those for the linker: "cublas"
  std::string standard = "-std=gnu++17";  // as the vendor's since CUDA 11
  bool standard_given = false;
  std::vector<std::string> dependencies;  // -MD and what belongs to it
  std::optional<unsigned> registers;      // per thread, of kernels without launch bounds
  bool contract = true;                   // multiplications and additions of user code may be fused
  bool fast = false;                      // --use_fast_math
  bool verbose = false, dry = false, quiet = false, keep = false, runs = false;
  std::string unit;                // what names that other files see say of the file; empty: something of its path
  std::vector<std::string> notes;  // what is ignored, once each
};

// UserError for what is unknown or has no value. `arguments`: without the program's name. Prints and returns nothing
// for --help, --version and --cuda-root.
std::optional<CommandLine> parse(const std::vector<std::string>& arguments);

// UserError for files and folders that are not there, or not of a known kind, and for what makes no sense together.
void check_files(const CommandLine& line);

}  // namespace warpfold::cc
