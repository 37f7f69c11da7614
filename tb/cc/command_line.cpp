// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tb/cc/option_files.h"
#include "tb/cc/options.h"
#include "tb/cc/toolkit.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"

namespace warpfold::cc {
namespace {

constexpr const char* kUsage = R"(usage: warpfold-cc [options] file.cu ... [-o program]
Compiles CUDA C++ for Warpfold and takes nvcc's command line. Makefiles want NVCC=warpfold-cc, or
CUDA_PATH=$(warpfold-cc --cuda-root); CMake wants -D CMAKE_CUDA_COMPILER=$(warpfold-cc --cuda-root)/bin/nvcc.

  -o FILE            output            -c, -dc       objects only, no link; -dc: device code calls other files'
  -ptx -cubin        device code only  -E            preprocess the host half
  -dlink             an object for a link by another compiler     -lib  an archive     -run  run the program
  -I -D -U -include -std= -O -g -w -W -f -M…         as for any compiler (device code is always optimised)
  -l -L -Xlinker -shared                             to the linker; the run-time library is implied. -lcublas, -lcurand,
                     -lcusparse without any file: only makes these libraries, for a link by another compiler
  -x cu              treat the files that follow as CUDA
  -Xcompiler '…'     to the host compiler, words parted by commas or blanks
  -use_fast_math -fmad -ftz -prec-div -prec-sqrt     as nvcc
  -rdc=true          device code of several files is one program
  --unit NAME        in place of the file's path where -rdc=true makes names that no other file has: 0-9, a-f
  -default-stream per-thread                         each host thread has a stream of its own by default
  -maxrregcount=N    registers per thread of kernels without launch bounds; what does not fit is spilled
  --keep-loop-exits  each break and return leaves its loop by itself, as compilers of 2010 had it; clang leads them
                     through one test before the loop's end (docs/likely-convergence.md)
  -optf FILE, @FILE  options from a file
  -keep -keep-dir D  leaves the PTX of each file
  -v, --dry-run      show the commands; show them and do nothing
  --cuda-root        prints a folder in the shape of a CUDA toolkit
nvcc's other options are accepted; a note says what becomes of those that would matter.
)";

void print_version() {
  std::cout << "warpfold-cc " WARPFOLD_VERSION ", clang; version checks may take it for\n"
            << "nvcc: NVIDIA (R) Cuda compiler driver\n"
            << "Cuda compilation tools, release " WARPFOLD_CUDA_RELEASE ", V" WARPFOLD_CUDA_VERSION "\n";
}

// Of -Werror KIND, which host compilers do not have.
bool is_warning_kind(const std::string& text) {
  return text == "all-warnings" || text == "cross-execution-space-call" || text == "reorder" ||
         text == "deprecated-declarations" || find_option(fmt::format("W{}", text)) != nullptr;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// -Ifolder, -O3, -lm: the value of a short option within its word.
bool apply_joined(Reading& reading, const std::string& argument) {
  static constexpr std::string_view kJoined = "IDULlo";
  const char letter = argument.size() > 2 && argument[1] != '-' ? argument[1] : 0;
  const std::string value = letter != 0 ? argument.substr(2) : "";
  if (letter != 0 && kJoined.find(letter) != std::string_view::npos) {
    find_option(std::string(1, letter))->apply(reading, value);
    return true;
  }
  if (letter == 'O' || letter == 'g') {
    reading.line.host.push_back(argument);
    if (letter == 'g') find_option("lineinfo")->apply(reading, value);
    return true;
  }
  if (letter == 't' && is_number(value)) return true;
  if (letter == 'm' && is_number(value)) {
    find_option("m")->apply(reading, value);
    return true;
  }
  for (const char* name : {"isystem", "iquote", "include"}) {
    if (argument.starts_with(fmt::format("-{}", name))) {
      find_option(name)->apply(reading, argument.substr(std::string_view(name).size() + 1));
      return true;
    }
  }
  return false;
}

// What host compilers know.
bool apply_host(Reading& reading, const std::string& argument) {
  if (argument.starts_with("-Wl,")) {
    reading.line.link.push_back(argument);
  } else if (argument.starts_with("-W")) {
    reading.line.common.push_back(argument);
  } else if (argument.starts_with("-f") || argument.starts_with("-m")) {
    reading.to_host_compiler(argument);
  } else if (argument.starts_with("-static-lib")) {
    reading.line.link.push_back(argument);
  } else if (reading.unknown_to_host || reading.unknown_to_linker) {
    (reading.unknown_to_host ? reading.line.host : reading.line.link).push_back(argument);
  } else {
    return false;
  }
  return true;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& arguments) : arguments_(with_option_files(arguments)) {
    for (const std::string& argument : arguments_) {
      const Option* const option =
          find_option(argument.substr(std::min(argument.find_first_not_of('-'), argument.size())));
      if (option != nullptr && option == find_option("forward-unknown-to-host-compiler"))
        reading_.unknown_to_host = true;
    }
  }

  CommandLine read() {
    for (; at_ < arguments_.size(); ++at_) take(arguments_[at_]);
    reading_.note_architectures();
    return std::move(reading_.line);
  }

 private:
  void take(const std::string& argument) {
    if (argument == "-") user_error("-: cannot read from standard input");
    if (argument.empty()) return;
    if (argument.front() != '-') return reading_.add_input(argument);
    if (argument == "-Werror" && at_ + 1 < arguments_.size() && is_warning_kind(arguments_[at_ + 1])) {
      ++at_;
      return;
    }
    const std::size_t dashes = argument.starts_with("--") ? 2 : 1;
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(dashes, equals - dashes);
    if (const Option* const option = find_option(name)) {
      if (apply(*option, argument, name, equals)) return;
    }
    if (apply_joined(reading_, argument) || apply_host(reading_, argument)) return;
    const std::string written = argument.substr(0, equals), close = nearest(written, option_names());
    const bool likely = edit_distance(written, close) <= 2;
    user_error("{}: unknown option ({})", argument,
               likely ? fmt::format("did you mean {}?", close) : std::string("warpfold-cc --help lists them"));
  }

  // False: the word is another thing that begins so.
  bool apply(const Option& option, const std::string& argument, const std::string& name, std::size_t equals) {
    const bool has_value = equals < argument.size();
    std::string value = has_value ? argument.substr(equals + 1) : "";
    if (option.takes == Takes::kNothing && has_value) return false;
    if (option.takes == Takes::kValue && !has_value) {
      // -O alone is -O1.
      if (name == "O" && (at_ + 1 == arguments_.size() || !is_number(arguments_[at_ + 1]))) {
        value.push_back('1');
      } else {
        if (at_ + 1 == arguments_.size()) user_error("{} needs a value", argument);
        value = arguments_[++at_];
      }
    }
    if (option.apply == nullptr) {
      reading_.line.link.push_back(fmt::format("-{}", name));
    } else {
      option.apply(reading_, value);
    }
    return true;
  }

  std::vector<std::string> arguments_;
  std::size_t at_ = 0;
  Reading reading_;
};

}  // namespace

void check_files(const CommandLine& line) {
  namespace fs = std::filesystem;
  for (const Input& input : line.inputs) {
    if (input.language == Language::kUnknown && fs::path(input.path).extension() == ".ptx") {
      user_error("{}: a PTX file is no source; run it with: warpfold run --ptx {} LAUNCH.yaml", input.path, input.path);
    }
    if (input.language == Language::kUnknown) {
      user_error("{}: unknown kind of file; expected .cu, .cpp, .cc, .cxx, .c, .o, .a or .so", input.path);
    }
    if (!fs::is_regular_file(input.path)) user_error("{}: no such file", input.path);
  }
  if (line.inputs.empty() && line.libraries.empty()) user_error("no input files (warpfold-cc --help)");
  const bool one_output = line.step == Step::kLink || line.step == Step::kDeviceLink || line.step == Step::kLibrary;
  if (!line.output.empty() && !one_output && line.inputs.size() > 1) {
    user_error("-o {} with {} inputs and no link step: one output cannot hold them", line.output, line.inputs.size());
  }
  const fs::path folder = fs::path(line.output).parent_path();
  if (!folder.empty() && !fs::is_directory(folder)) user_error("{}: no such directory", line.output);
  for (const std::string& other : {line.output_folder, line.keep_folder}) {
    if (!other.empty() && !fs::is_directory(other)) user_error("{}: no such directory", other);
  }
}

std::optional<CommandLine> parse(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "-h" || argument == "--help") {
      std::cout << kUsage;
    } else if (argument == "-V" || argument == "--version") {
      print_version();
    } else if (argument == "--cuda-root") {
      std::cout << toolkit().root.string() << "\n";
    } else {
      continue;
    }
    return std::nullopt;
  }
  return Reader(arguments).read();
}

}  // namespace warpfold::cc
