// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/nvrtc/runtime_program.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/command.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/results/build_id.h"

namespace warpfold::host::nvrtc {
namespace {

namespace fs = std::filesystem;

// Where the texts lie in a compilation's folder: deep enough for headers' names that climb (`../types.h`).
constexpr const char* kSourceFolder = "1/2/3/4/5/6/7/8";
// Of variables that hold the addresses of what name expressions name: their initial values in the PTX are its names.
constexpr const char* kNameVariable = "__warpfold_lowered_name_";

// This library lies in the folder lib, and programs with it built in, as tests are, in bin.
fs::path tools_folder() {
  Dl_info object;
  std::error_code none;
  fs::path own;
  if (dladdr(kSourceFolder, &object) != 0 && object.dli_fname != nullptr) own = fs::canonical(object.dli_fname, none);
  if (own.empty()) own = fs::read_symlink("/proc/self/exe", none);
  return own.parent_path().parent_path();
}

fs::path compiler_path() {
  fs::path path = tools_folder() / "bin/warpfold-cc";
  if (!fs::exists(path)) {
    user_error("NVRTC compiles by warpfold-cc, which is not at {}: build the target warpfold-cc", path.string());
  }
  return path;
}

// C's and C++'s own headers, which the model's need whole: programs bring small ones along for NVRTC, which has none.
bool is_of_the_language(const std::string& name) {
  constexpr std::string_view kOfC[] = {"assert.h", "ctype.h",  "errno.h",  "float.h",   "inttypes.h", "limits.h",
                                       "math.h",   "signal.h", "stdarg.h", "stdbool.h", "stddef.h",   "stdint.h",
                                       "stdio.h",  "stdlib.h", "string.h", "time.h",    "wchar.h"};
  if (std::find(std::begin(kOfC), std::end(kOfC), name) != std::end(kOfC)) return true;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
}

std::string in_quotes(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

std::string as_file(const std::string& name, const std::string& text) {
  return fmt::format("# 1 {}\n{}", in_quotes(name), text);
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// "&names::variable" names what "names::variable" does.
std::string named_thing(const std::string& expression) {
  const std::size_t begin = expression.find_first_not_of(" \t\n&");
  return begin == std::string::npos ? expression : expression.substr(begin);
}

// A home that cannot be written is no reason not to compile.
bool has_cache() {
  try {
    cache_directory();
    return true;
  } catch (const UserError&) {
    return false;
  }
}

class WorkingFolder {
 public:
  WorkingFolder() {
    std::error_code error;
    std::string pattern = fs::temp_directory_path(error) / "warpfold-nvrtc-XXXXXX";
    if (error || mkdtemp(pattern.data()) == nullptr) user_error("no temporary directory ($TMPDIR)");
    path_ = pattern;
  }
  ~WorkingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

RuntimeProgram::RuntimeProgram(std::string source, std::string name, std::vector<Header> headers)
    : source_(std::move(source)), name_(std::move(name)), headers_(std::move(headers)) {
  for (const Header& header : headers_) {
    const fs::path place = (fs::path(kSourceFolder) / header.name).lexically_normal();
    if (header.name.empty() || place.is_absolute() || place.begin()->string() == "..") {
      user_error("nvrtcCreateProgram: header '{}': expected a name without a / in front, below eight folders",
                 header.name);
    }
  }
}

const std::string& RuntimeProgram::binary() const {
  static const std::string none;
  return gives_binary_ ? ptx_ : none;
}

void RuntimeProgram::add_expression(const std::string& expression) { names_.emplace(expression, ""); }

const std::string* RuntimeProgram::lowered_name(const std::string& expression) const {
  const auto found = names_.find(expression);
  return found == names_.end() ? nullptr : &found->second;
}

// A template that an expression names is made by its address being taken.
std::string RuntimeProgram::whole_source(const CompileOptions& options) const {
  std::string text;
  if (options.device_by_default) text += "#pragma clang force_cuda_host_device begin\n";
  text += as_file(name_, source_);
  if (options.device_by_default) text += "\n#pragma clang force_cuda_host_device end";
  unsigned number = 0;
  for (const auto& [expression, name] : names_) {
    text += fmt::format("\n# 1 {}\nextern \"C\" __attribute__((used)) __device__ auto* const {}{} = &{};",
                        in_quotes(fmt::format("name expression {}", expression)), kNameVariable, number++,
                        named_thing(expression));
  }
  return text + "\n";
}

// What else it includes may change behind the cache.
bool RuntimeProgram::is_self_contained(const CompileOptions& options) const {
  if (options.reads_folders) return false;
  static const std::regex includes(R"(#[ \t]*include[ \t]*([^<\s][^"\n]*))");
  const auto is_given = [&](const std::string& text) {
    for (auto found = std::sregex_iterator(text.begin(), text.end(), includes); found != std::sregex_iterator();
         ++found) {
      const std::string what = (*found)[1].str();
      if (std::none_of(headers_.begin(), headers_.end(),
                       [&](const Header& header) { return what == '"' + header.name; })) {
        return false;
      }
    }
    return true;
  };
  return is_given(source_) &&
         std::all_of(headers_.begin(), headers_.end(), [&](const Header& header) { return is_given(header.text); });
}

std::string RuntimeProgram::unit(const CompileOptions& options) const {
  Hash hash;
  for (const std::string& argument : options.arguments) hash.add(argument);
  hash.add(options.device_by_default ? "device" : "host").add(name_).add(whole_source(options));
  for (const Header& header : headers_) hash.add(header.name).add(header.text);
  return hash.name();
}

std::string RuntimeProgram::key(const std::string& unit) const {
  const fs::path tools = tools_folder();
  Hash hash;
  hash.add(unit).add(build_id(compiler_path())).add_file(tools / "lib/warpfold_libdevice.bc");
  hash.add(remembered_key("nvrtc-headers", fs::canonical(tools / "cuda/include")));
  return "nvrtc-" + hash.name();
}

RuntimeProgram::Made RuntimeProgram::made(const CompileOptions& options, const fs::path& folder,
                                          const std::string& unit) const {
  const fs::path sources = folder / kSourceFolder, others = folder / "language";
  fs::create_directories(sources);
  for (const Header& header : headers_) {
    const fs::path place = ((is_of_the_language(header.name) ? others : sources) / header.name).lexically_normal();
    fs::create_directories(place.parent_path());
    write_whole_file(place, as_file(header.name, header.text));
  }
  const fs::path source = sources / "source of the program.cu", ptx = folder / "made.ptx", log = folder / "made.log";
  write_whole_file(source, whole_source(options));
  std::vector<std::string> command = {compiler_path(), "-ptx", "--unit", unit, "-D__CUDACC_RTC__=1", source, "-o", ptx};
  const auto add = [&](std::initializer_list<std::string> words) { command.insert(command.end(), words); };
  add({"-iquote", sources});
  if (options.beside_source) {
    const fs::path beside = fs::path(name_).parent_path();
    add({"-iquote", beside.empty() ? fs::path(".") : beside});
  }
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  add({"-isystem", sources, "-idirafter", others});
  pid_t child = 0;
  if (const int error = start_command(command, log, child); error != 0) {
    user_error("{}: cannot be started: {}", command.front(), std::strerror(error));
  }
  Made made;
  ends_well(child);
  made.well = fs::exists(ptx);  // a program that ignores SIGCHLD has no statuses of its children
  made.ptx = read_text(ptx).value_or("");
  made.log = read_text(log).value_or("");
  for (std::string* const text : {&made.ptx, &made.log}) {
    replace_all(*text, source, name_);
    replace_all(*text, sources.string() + "/", "");
    replace_all(*text, others.string() + "/", "");
  }
  return made;
}

RuntimeProgram::Made RuntimeProgram::kept(const CompileOptions& options) const {
  const std::string own = unit(options);
  if (!is_self_contained(options) || !has_cache()) {
    const WorkingFolder work;
    return made(options, work.path(), own);
  }
  struct Failed {
    Made made;
  };
  try {
    const fs::path place = kept_in_cache(key(own), [&](const Scratch& scratch) {
      const Made fresh = made(options, scratch.file("work"), own);
      if (!fresh.well) throw Failed{fresh};
      fs::create_directory(scratch.file(kMade));
      write_whole_file(fs::path(scratch.file(kMade)) / "ptx", fresh.ptx);
      write_whole_file(fs::path(scratch.file(kMade)) / "log", fresh.log);
    });
    return {true, read_text(place / "ptx").value_or(""), read_text(place / "log").value_or("")};
  } catch (const Failed& failed) {
    return failed.made;
  }
}

// `.visible .const .align 8 .u64 __warpfold_lowered_name_0 = generic(_Z1v);`, or without `generic`.
void RuntimeProgram::take_names(const std::string& ptx) {
  std::vector<std::string*> names;
  for (auto& [expression, name] : names_) names.push_back(&name);
  std::istringstream lines(ptx);
  ptx_.clear();
  static const std::regex value(std::string(kNameVariable) + R"(([0-9]+) = (?:generic\()?([^;()]+)\)?;)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line.find(kNameVariable) == std::string::npos || !std::regex_search(line, found, value)) {
      ptx_ += line + "\n";
      continue;
    }
    *names.at(std::stoul(found[1].str())) = found[2].str();
  }
}

Outcome RuntimeProgram::compile(const std::vector<std::string>& given) {
  compiled_ = false;
  ptx_.clear();
  CompileOptions options;
  try {
    options = read_options(given);
  } catch (const UserError& error) {
    log_ = fmt::format("error: {}\n", error.what());
    return Outcome::kWrongOption;
  }
  const Made made = kept(options);
  log_ = made.log;
  if (!made.well) return Outcome::kWrongSource;
  take_names(made.ptx);
  gives_binary_ = options.gives_binary();
  compiled_ = true;
  return Outcome::kCompiled;
}

}  // namespace warpfold::host::nvrtc
