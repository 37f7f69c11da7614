// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>

#include "tb/cc/libraries.h"
#include "tb/cc/ptx_text.h"
#include "tb/cc/source.h"
#include "tb/cc/toolkit.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::cc {
namespace {

constexpr const char* kSdkVersion = "-target-sdk-version=" WARPFOLD_CUDA_RELEASE;

// What a thread does between two turns of a loop must stay in the loop where others wait for it. Where ways meet before
// a loop's test, and one of them brings a constant, clang's SimplifyCFG leads that one past the test: the body of a
// lock comes to lie behind its loop, where a warp goes only as a whole. No block is small enough for that below 0
// instructions. The back end's early tail duplication gives each way a test of its own. Elsewhere both save work.
constexpr std::array kKeepLoops = {"-mllvm", "-simplifycfg-max-small-block-size=-1", "-mllvm",
                                   "-disable-early-taildup"};

template <class... Parts>
void append(Command& command, const Parts&... parts) {
  (command.insert(command.end(), std::begin(parts), std::end(parts)), ...);
}

// Names of device code that other files see must be the same in both halves of a file, and differ between files.
std::string unit_of(const CommandLine& line, const Input& input) {
  if (!line.unit.empty()) return line.unit;
  const std::string path = std::filesystem::absolute(input.path).lexically_normal();
  return fmt::format("{:016x}", std::hash<std::string>{}(path));
}

std::vector<std::filesystem::path> include_folders(const Command& flags) {
  std::vector<std::filesystem::path> folders;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "-I" && i + 1 < flags.size())
      folders.emplace_back(flags[++i]);
    else if (flags[i].starts_with("-I"))
      folders.emplace_back(flags[i].substr(2));
  }
  return folders;
}

}  // namespace

Compiler::Compiler(const CommandLine& line, const Runner& runner, WorkFolder& work)
    : line_(line), runner_(runner), work_(work) {}

Compiler::Source Compiler::source_of(const Input& input) {
  const std::string text = read_input(input.path, "source file"), cured = normalised(text);
  return laid_out(input, cured, cured != text, cured_headers(input.path, text));
}

Compiler::Source Compiler::laid_out(const Input& input, const std::string& text, bool changed,
                                    std::vector<Replacement> headers) {
  Source source{input.path, text, std::move(headers), {}};
  if (!source.headers.empty()) {
    const std::filesystem::path overlay = work_.file("headers.yaml");
    write_whole_file(overlay, overlay_of(source.headers));
    source.beside = {"-ivfsoverlay", overlay};
  }
  if (!changed) return source;
  source.path = work_.file(std::filesystem::path(input.path).filename().string() + ".cu");
  write_whole_file(source.path, fmt::format("# 1 \"{}\"\n", input.path) + text);  // messages point into the user's file
  append(source.beside, Command{"-iquote", std::filesystem::absolute(input.path).parent_path()});
  return source;
}

Compiler::Source Compiler::with_plain_variables(const Input& input, const Source& source,
                                                const std::vector<Place>& places) {
  const auto full = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  std::string text = source.text;
  std::vector<Replacement> headers = source.headers;
  for (const Place& place : places) {
    const std::filesystem::path file = full(place.file);
    if (file == full(input.path)) {
      text = with_plain_variable(std::move(text), place);
      continue;
    }
    auto header =
        std::find_if(headers.begin(), headers.end(), [&](const Replacement& h) { return h.original == file; });
    if (header == headers.end()) header = headers.insert(header, {file, file});
    const std::string changed = with_plain_variable(read_input(header->cured, "header"), place);
    header->cured = work_.file(file.filename());
    write_whole_file(header->cured, changed);
  }
  return laid_out(input, text, true, std::move(headers));
}

std::vector<Replacement> Compiler::cured_headers(const std::filesystem::path& file, const std::string& text) {
  namespace fs = std::filesystem;
  std::vector<Replacement> cured;
  std::set<fs::path> seen;
  std::vector<std::pair<fs::path, std::string>> open = {{fs::absolute(file), text}};
  while (!open.empty()) {
    const auto [includer, contents] = std::move(open.back());
    open.pop_back();
    for (const std::string& name : quoted_includes(contents)) {
      std::vector<fs::path> places = include_folders(line_.common);
      places.insert(places.begin(), includer.parent_path());
      const auto place = std::find_if(places.begin(), places.end(),
                                      [&](const fs::path& folder) { return fs::is_regular_file(folder / name); });
      if (place == places.end()) continue;
      const fs::path header = fs::absolute(*place / name).lexically_normal();
      if (!seen.insert(header).second) continue;
      std::string original = read_input(header, "header");
      const std::string changed = normalised(original);
      if (changed != original) {
        cured.push_back({header, work_.file(header.filename())});
        write_whole_file(cured.back().cured, changed);
      }
      open.emplace_back(header, std::move(original));
    }
  }
  return cured;
}

Command Compiler::cuda(const Source& source) const {
  const Toolkit& tools = toolkit();
  Command command = {"-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",       "-Xclang",
                     kSdkVersion,  "-Xclang",    "-fcuda-allow-variadic-functions"};
  append(command, source.beside,
         Command{"-isystem", tools.headers, "-isystem", tools.wrappers, "-idirafter", tools.absent, "-include",
                 "cuda_runtime.h", "-Wno-unknown-cuda-version", "-Wno-unknown-warning-option",
                 "-Wno-ignored-attributes", "-Wno-register", "-Qunused-arguments", line_.standard},
         line_.common);
  if (line_.relocatable) append(command, Command{"-fgpu-rdc"});
  if (line_.fast) append(command, Command{"-D__USE_FAST_MATH__=1"});
  return command;
}

void Compiler::device(const Input& input, const std::filesystem::path& ptx) {
  device(input, source_of(input), ptx, false);
}

void Compiler::read_device(const Input& input, Source source, const Command& flags, const std::filesystem::path& code) {
  const Toolkit& tools = toolkit();
  for (std::string messages;;) {
    Command read = {tools.clang};
    append(read, cuda(source), flags,
           Command{"-cuid=" + unit_of(line_, input), "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_70",
                   "-Xclang", "-mlink-builtin-bitcode", "-Xclang", tools.libraries / "warpfold_libdevice.bc",
                   "-Wno-linker-warnings", "-emit-llvm", "-Xclang", "-disable-llvm-passes", source.path, "-o", code});
    const bool well = runner_.run(read, work_.file("messages"), messages);
    const std::vector<Place> places = places_of_host_constants(messages);
    if (!well && !places.empty()) {
      Source mended = with_plain_variables(input, source, places);
      if (mended.text != source.text || mended.headers.size() != source.headers.size()) {
        source = std::move(mended);
        continue;
      }
    }
    std::cerr << messages;
    if (well) return;
    if (const std::string absent = what_is_absent(messages); !absent.empty()) user_error("{}: {}", input.path, absent);
    const bool nested = messages.find("reference to __global__ function") != std::string::npos;
    user_error("{}: {}", input.path,
               nested ? "kernels that launch kernels (dynamic parallelism) are not supported: launch them from the host"
                      : "the device half does not compile");
  }
}

// In two steps, so that what is true of the whole program can be told to the optimiser, and so that it can be run again
// without reading the source again. Device code is inlined as far as it goes, as GPU compilers do. User code may have
// its multiplications and additions fused (nvcc does the same), the device library not: its double-double arithmetic
// needs each rounding. Only the flag that marks single operations as fusible keeps the two apart.
void Compiler::device(const Input& input, const Source& source, const std::filesystem::path& ptx, bool quiet) {
  const Toolkit& tools = toolkit();
  Command both = {
      "-S",      "-O3",    "-Xclang", "-target-feature",
      "-Xclang", "+ptx63", "-Xclang", line_.contract ? "-ffp-contract=fast-honor-pragmas" : "-ffp-contract=off"};
  if (line_.fast) {
    append(both, Command{"-Xclang", "-fcuda-approx-transcendentals", "-fcuda-flush-denormals-to-zero", "-mllvm",
                         "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"});
  }
  append(both, line_.device);

  const std::filesystem::path code = work_.file("device.ll");
  Command read = both;
  if (quiet) read.push_back("-w");
  read_device(input, source, read, code);
  if (!runner_.dry()) {
    std::string text = read_input(code, "device code");
    if (with_wide_operations(text) != text) {
      append(read, Command{"-include", "warpfold/wide_operations.h"});
      read_device(input, source, read, code);
      text = with_wide_operations(read_input(code, "device code"));
    }
    write_whole_file(code,
                     with_variables_for_the_host(std::move(text), line_.relocatable ? unit_of(line_, input) : ""));
  }

  const std::filesystem::path raw = work_.file("device.ptx");
  Command translate = {tools.clang, "--target=nvptx64-nvidia-cuda", "-march=sm_70", "-nocudalib", "-Qunused-arguments"};
  append(
      translate, both,
      Command{"-Wno-pass-failed", "-fno-verbose-asm", "-fno-dwarf-directory-asm", "-mllvm",
              "-enable-memcpyopt-without-libcalls", "-mllvm", "-inline-threshold=2000", "-x", "ir", code, "-o", raw});
  if (line_.relocatable) append(translate, kKeepLoops);  // functions of other files may wait
  const auto translated = [&] {
    if (!runner_.run(translate)) user_error("{}: the device half cannot be translated to PTX", input.path);
    return runner_.dry() ? std::string() : read_input(raw, "device code");
  };
  std::string text = translated();
  if (!line_.relocatable && may_wait(text)) {
    append(translate, kKeepLoops);
    text = translated();
  }
  if (runner_.dry()) return;
  if (may_convert_truths(text)) {
    const std::filesystem::path optimised = work_.file("optimised.ll");
    Command optimise = translate;
    std::replace(optimise.begin(), optimise.end(), raw.string(), optimised.string());
    optimise.push_back("-emit-llvm");
    if (!runner_.run(optimise)) user_error("{}: the device half cannot be optimised", input.path);
    write_whole_file(optimised, with_converted_truths(read_input(optimised, "device code")));
    std::replace(translate.begin(), translate.end(), code.string(), optimised.string());
    append(translate, Command{"-Xclang", "-disable-llvm-passes"});
    text = translated();
  }
  text = with_mended_shifts(text);
  if (line_.registers) text = with_register_limit(text, *line_.registers);
  if (line_.relocatable) {
    text = marked_relocatable(input.path, text);
  } else if (const std::string unresolved = undefined_functions(text); !unresolved.empty()) {
    user_error(
        "{}: device code calls what is defined nowhere: {} (each file is a device module of its own; -rdc=true "
        "makes them one)",
        input.path, unresolved);
  }
  write_whole_file(ptx, text);
  if (!line_.keep) return;
  const std::string name = std::filesystem::path(input.path).stem().string() + ".ptx";
  write_whole_file(std::filesystem::path(line_.keep_folder) / name, text);
}

void Compiler::object(const Input& input, const std::filesystem::path& object) {
  if (input.language == Language::kCuda) {
    const Source source = source_of(input);
    const std::filesystem::path ptx = work_.file("device.ptx");
    device(input, source, ptx, true);
    host(input, source, ptx, object);
    return;
  }
  Command command = {toolkit().clang, "-c"};
  append(command, plain(input), dependencies(input, object), Command{input.path, "-o", object});
  std::string messages;
  const bool well = runner_.run(command, work_.file("messages"), messages);
  std::cerr << messages;
  if (well) return;
  if (const std::string absent = what_is_absent(messages); !absent.empty()) user_error("{}: {}", input.path, absent);
  user_error("{} does not compile", input.path);
}

Command Compiler::plain(const Input& input) const {
  const bool is_c = input.language == Language::kC;
  Command command = {"-x",
                     is_c ? "c" : "c++",
                     "-isystem",
                     toolkit().headers,
                     "-idirafter",
                     toolkit().absent,
                     "-Wno-unknown-warning-option",
                     "-Wno-register",
                     "-Qunused-arguments"};
  const bool for_c = line_.standard.find("++") == std::string::npos;
  if (for_c == is_c) append(command, Command{line_.standard});
  append(command, line_.common, line_.host);
  return command;
}

void Compiler::host(const Input& input, const Source& source, const std::filesystem::path& ptx,
                    const std::filesystem::path& object) {
  const std::filesystem::path code = work_.file("host.ll");
  Command command = {toolkit().clang, "-x", "cuda", "-S", "-emit-llvm", "--cuda-host-only"};
  append(command, cuda(source),
         Command{"-cuid=" + unit_of(line_, input), "-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx}, line_.host,
         dependencies(input, object), Command{source.path, "-o", code});
  if (!runner_.run(command)) user_error("{}: the host half does not compile", input.path);
  if (!runner_.dry()) write_whole_file(code, with_our_registration(read_input(code, "host code")));
  Command assemble = {toolkit().clang, "-x", "ir", "-c", "-Qunused-arguments"};
  for (const std::string& flag : line_.host) {
    static constexpr std::string_view kOfCode = "Ogfmp";
    const bool of_code = flag.size() > 1 && kOfCode.find(flag[1]) != std::string_view::npos;
    if (of_code && !flag.starts_with("-fopenmp")) assemble.push_back(flag);
  }
  append(assemble, Command{code, "-o", object});
  if (!runner_.run(assemble)) user_error("{}: the host half does not compile", input.path);
}

// The rules for make are those of the object, whatever is between it and the source.
Command Compiler::dependencies(const Input& input, const std::filesystem::path& object) const {
  Command command = line_.dependencies;
  const auto has = [&](const char* flag) { return std::find(command.begin(), command.end(), flag) != command.end(); };
  if (!has("-MD") && !has("-MMD")) return {};
  if (!has("-MF")) {
    std::filesystem::path rules = line_.step == Step::kObject ? object : std::filesystem::path(input.path).filename();
    append(command, Command{"-MF", rules.replace_extension(".d")});
  }
  if (!has("-MT") && !has("-MQ")) append(command, Command{"-MT", object});
  return command;
}

void Compiler::preprocess(const Input& input, const std::filesystem::path& to) {
  Command command = {toolkit().clang, "-E"};
  if (input.language == Language::kCuda) {
    const Source source = source_of(input);
    append(command, Command{"-x", "cuda", "--cuda-host-only"}, cuda(source), line_.host, Command{source.path});
  } else {
    append(command, plain(input), Command{input.path});
  }
  if (!to.empty()) append(command, Command{"-o", to});
  if (!runner_.run(command)) user_error("{} cannot be preprocessed", input.path);
}

}  // namespace warpfold::cc
