// SPDX-License-Identifier: Apache-2.0
// CUDA C++ to a host program for Warpfold, with Debian's clang and no vendor's software: the device half becomes PTX
// text, which the host half carries and the model executes. Takes nvcc's command line.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "tb/cc/command_line.h"
#include "tb/cc/compile.h"
#include "tb/cc/libraries.h"
#include "tb/cc/toolkit.h"
#include "warpfold/common/config/words.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::cc {
namespace {

namespace fs = std::filesystem;

// What scripts that look for a toolkit read from `nvcc -v`.
void say_toolkit(const Runner& runner) {
  const std::string root = toolkit().root;
  runner.say("_HERE_=" + root + "/bin");
  runner.say("TOP=" + root);
  runner.say("PATH=" + root + "/bin:" + (std::getenv("PATH") != nullptr ? std::getenv("PATH") : ""));
  runner.say("INCLUDES=\"-I" + root + "/include\"");
  runner.say("LIBRARIES=-L" + root + "/lib64");
  runner.say("the model's code is -arch compute_70");
}

class Build {
 public:
  Build(const CommandLine& line, const Runner& runner) : line_(line), runner_(runner), compiler_(line, runner, work_) {}

  void run() {
    switch (line_.step) {
      case Step::kPtx:
        return device(".ptx");
      case Step::kImage:
        return device(line_.image_suffix);
      case Step::kPreprocess:
        for (const Input& input : line_.inputs) compiler_.preprocess(input, line_.output);
        return;
      case Step::kObject:
        for (const Input& input : line_.inputs) {
          if (input.language != Language::kObject) object(input);
        }
        return;
      case Step::kDeviceLink:
        return device_link();
      case Step::kLibrary:
        return archive();
      case Step::kLink:
        return link();
    }
  }

 private:
  // Beside where the compiler runs, unless the command line says.
  fs::path named(const Input& input, const std::string& suffix) const {
    if (!line_.output.empty()) return line_.output;
    return line_.output_folder / fs::path(input.path).stem().concat(suffix);
  }

  void device(const std::string& suffix) {
    for (const Input& input : line_.inputs) {
      if (input.language != Language::kCuda) user_error("{}: PTX comes from CUDA sources only", input.path);
      compiler_.device(input, named(input, suffix));
    }
  }

  // Another compiler may do the link.
  void object(const Input& input) {
    const fs::path output = named(input, ".o");
    compiler_.object(input, output);
    if (!runner_.dry()) make_libraries_for(output, input.path);
  }

  std::vector<std::string> objects() {
    std::vector<std::string> objects;
    for (const Input& input : line_.inputs) {
      objects.push_back(input.path);
      if (input.language == Language::kObject) continue;
      objects.back() = work_.file(fs::path(input.path).stem().string() + ".o");
      compiler_.object(input, objects.back());
    }
    return objects;
  }

  // The run-time library puts the device code of a program together when it is loaded. What is linked here is an object
  // for those who name it in their own link.
  void device_link() {
    const fs::path source = work_.file("none.c");
    write_whole_file(source, "");
    const fs::path output = line_.output.empty() ? fs::path("a_dlink.o") : fs::path(line_.output);
    if (!runner_.run({toolkit().clang, "-fPIC", "-c", source, "-o", output}))
      user_error("{}: cannot be made", output.string());
  }

  void archive() {
    const std::string output = line_.output.empty() ? "a.a" : line_.output;
    std::error_code ignored;
    if (!runner_.dry()) fs::remove(output, ignored);
    Command command = {"ar", "qcs", output};
    for (const std::string& object : objects()) command.push_back(object);
    if (!runner_.run(command)) user_error("{}: cannot be made", output);
  }

  void link() {
    const Toolkit& tools = toolkit();
    const fs::path library = tools.libraries / "libwarpfold_cudart.so";
    if (!runner_.dry() && !fs::exists(library)) {
      user_error("{} is missing: build the target warpfold_cudart first", library.string());
    }
    std::vector<fs::path> made;
    if (!runner_.dry())
      std::transform(line_.libraries.begin(), line_.libraries.end(), std::back_inserter(made), made_library);
    if (line_.inputs.empty()) return;
    const std::vector<std::string> parts = objects();
    const std::string output = line_.output.empty() ? "a.out" : line_.output;
    Command command = {tools.linker};
    for (const std::string& flag : words_of(tools.sanitizers)) command.push_back(flag);
    // Ours is the first place where libraries are looked for: a vendor's that lies on the machine is never meant.
    command.insert(command.end(), parts.begin(), parts.end());
    for (const fs::path& one : made) command.push_back("-L" + one.parent_path().string());
    command.push_back("-L" + (tools.root / "lib64").string());
    if (tools.installed) command.push_back("-Wl,-rpath," + tools.libraries.string());
    command.insert(command.end(), line_.link.begin(), line_.link.end());
    const Command last = {"-lcudart_static", "-lm", "-o", output};
    command.insert(command.end(), last.begin(), last.end());
    if (!runner_.run(command)) user_error("the link failed");
    if (!line_.runs) return;
    Command program = {fs::absolute(output)};
    program.insert(program.end(), line_.run.begin(), line_.run.end());
    if (!runner_.run(program)) user_error("{}: the program failed", output);
  }

  const CommandLine& line_;
  const Runner& runner_;
  WorkFolder work_;
  Compiler compiler_;
};

int run(const std::vector<std::string>& arguments) {
  const std::optional<CommandLine> line = parse(arguments);
  if (!line) return 0;
  const Runner runner(line->verbose, line->dry);
  say_toolkit(runner);
  check_files(*line);
  for (const std::string& note : line->notes) {
    if (!line->quiet) std::cerr << "warpfold-cc: note: " << note << "\n";
  }
  Build(*line, runner).run();
  return 0;
}

}  // namespace
}  // namespace warpfold::cc

int main(int argc, char** argv) {
  try {
    return warpfold::cc::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "warpfold-cc: error: " << error.what() << "\n";
    return 1;
  }
}
