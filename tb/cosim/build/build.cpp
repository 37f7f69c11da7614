// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include "tb/cosim/build/tool.h"
#include "tb/cosim/build/vhdl.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"

namespace warpfold::cosim {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const std::string kHome = WARPFOLD_SOURCE_DIRECTORY;
const std::string kOurSide = kHome + "/tb/cosim/verilated/";

// What decides beside the sources which object comes out: versions, and the processor that g++ compiles for.
struct Tools {
  std::string identity;
  std::string include;  // Verilator's headers and runtime
};

// What is another where another version of a program is installed.
std::string installed(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code failed;
    const fs::path file = fs::canonical(fs::path(folder) / program, failed);
    if (failed) continue;
    const auto written = fs::last_write_time(file).time_since_epoch().count();
    return fmt::format("{} {} {}\n", file.string(), fs::file_size(file), written);
  }
  return "";
}

// The processor, as far as the compiler cares.
std::string processor() {
  std::ifstream cpus("/proc/cpuinfo");
  std::string told;
  for (std::string line; std::getline(cpus, line) && !line.empty();) {
    if (line.starts_with("model") || line.starts_with("flags")) told += line + "\n";
  }
  return told;
}

// Both lines of Tools. To ask takes longer than many a run: the cache remembers the answer.
std::string ask_tools(const Scratch& scratch) {
  const std::string version = scratch.file("version"), root = scratch.file("root"), compiler = scratch.file("g++");
  if (!run_tools({{{"verilator", "--version"}, version},
                  {{"verilator", "--getenv", "VERILATOR_ROOT"}, root},
                  {{"g++", "-march=native", "-v", "-E", "-x", "c++", "/dev/null"}, compiler}})) {
    user_error("verilator and g++ do not tell their versions: are these packages whole?");
  }
  std::string first_line;
  std::getline(std::ifstream(root), first_line);
  return first_line + "/include/\n" +
         Hash().add(read_text(version).value_or("")).add(read_text(compiler).value_or("")).name();
}

const Tools& tools() {
  static const Tools found = [] {
    Hash hash;
    for (const char* const program : {"verilator", "verilator_bin", "g++"}) hash.add(installed(program));
    const char* const root = std::getenv("VERILATOR_ROOT");
    hash.add(root == nullptr ? "" : root).add(processor());
    const fs::path answer = kept_in_cache("tools-" + hash.name(), [](const Scratch& scratch) {
      std::ofstream(scratch.file(kMade)) << ask_tools(scratch);
    });
    Tools tools;
    std::ifstream lines(answer);
    std::getline(lines, tools.include);
    std::getline(lines, tools.identity);
    for (const char* const ours : {"abi.h", "module.h", "print.h", "runtime.cpp"}) {
      tools.identity += read_text(kOurSide + ours).value_or("");
    }
    return tools;
  }();
  return found;
}

// What every call of the compiler has, whatever it makes.
Words compiler_flags() {
  return {"g++",
          "-std=c++20",
          "-O3",
          "-march=native",
          "-fPIC",
          "-w",
          "-I" + kHome,
          "-isystem",
          tools().include,
          "-DVM_SC=0",
          "-DVM_COVERAGE=1",
          "-DVM_TRACE=1",
          "-DVM_TRACE_FST=1"};
}

Words compiler(const std::string& output) { return compiler_flags() + Words{"-o", output}; }

const Words kRuntimeHooks = {"-DVL_USER_STOP", "-DVL_USER_FINISH", "-DVL_USER_FATAL"};
const Words kRuntimeLibraries = {"-shared", "-lz", "-pthread"};
const Words kModuleFlags = {"-shared", "-fvisibility=hidden"};

Hash& operator<<(Hash& hash, const Words& words) {
  for (const std::string& word : words) hash.add(word);
  return hash.add("");
}

}  // namespace

// Verilator's and ours in one.
std::string build_rtl_runtime() {
  Hash hash;
  hash.add(tools().identity);
  hash << compiler_flags() << kRuntimeHooks << kRuntimeLibraries;
  const std::string stem = "verilated-" + hash.name();
  return kept_in_cache(stem + ".so", [&](const Scratch& scratch) {
    const Words hooks = kRuntimeHooks + Words{"-include", kOurSide + "print.h"};
    std::vector<Tool> compilations;
    Words objects;
    for (const std::string& source :
         {tools().include + "verilated.cpp", tools().include + "verilated_fst_c.cpp",
          tools().include + "verilated_cov.cpp", tools().include + "verilated_threads.cpp", kOurSide + "runtime.cpp"}) {
      objects.push_back(scratch.file(fs::path(source).stem().string() + ".o"));
      compilations.push_back({compiler(objects.back()) + hooks + Words{"-c", source}, objects.back() + ".log"});
    }
    const Tool link = {compiler(scratch.file(kMade)) + objects + kRuntimeLibraries, scratch.file("link.log")};
    if (!run_tools(compilations) || !run_tools({link})) {
      user_error("Verilator's runtime does not compile: scripts/setup rtl installs what it needs; log: {}",
                 scratch.keep_logs(stem + ".log"));
    }
  });
}

namespace {

// The directory in which every model's compilation finds what they all include, read already: half of what a small one
// costs.
fs::path read_headers() {
  Hash hash;
  hash.add(tools().identity);
  hash << compiler_flags();
  return kept_in_cache("verilated-" + hash.name() + ".headers", [&](const Scratch& scratch) {
    fs::create_directory(scratch.file(kMade));
    const std::string log = scratch.file("g++.log");
    if (run_tools({{compiler(scratch.file(kMade) + "/module.h.gch") + Words{"-x", "c++-header", kOurSide + "module.h"},
                    log}})) {
      return;
    }
    user_error("Verilator's headers do not compile: scripts/setup rtl installs what they need; log: {}",
               scratch.keep_logs("verilated-" + hash.name() + ".log"));
  });
}

std::string described(const RtlPort& port) {
  return fmt::format("{} of {} bit{}", port.output ? "output" : "input", port.bits, port.bits == 1 ? "" : "s");
}

// A cache entry in the making. `recipe` is all that is known before Verilator has told what else it read.
struct Entry {
  const RtlSource& source;
  fs::path runtime;
  std::string recipe;
  fs::path manifest;  // the sources that this recipe read the last time
};

// The command but for where it leaves what it makes.
Words verilator_command(const RtlSource& source) {
  // -fno-reloop: Verilator 5.006 forgets to declare the index of loops that it makes of long runs of assignments.
  Words command = {"verilator", "--cc",        "--assert",     "--x-assign", "unique",   "--x-initial", "unique",
                   "-O3",       "-fno-reloop", "--top-module", source.top,   "--prefix", "Vmodel"};
  // Lint is another gate's; what is left of the warnings may make the simulation differ from the hardware.
  command = command + Words{"-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT", "-Wno-TIMESCALEMOD"};
  if (source.coverage) command = command + Words{"--coverage-line", "--coverage-toggle"};
  if (source.covers) command.push_back("--coverage-user");
  if (source.waves) command.push_back("--trace-fst");
  for (const auto& [name, value] : source.parameters) command.push_back(fmt::format("-G{}={}", name, value));
  for (const std::string& option : source.options) {
    command = command + (option[0] == '+' ? Words{option} : Words{option.substr(0, 2), option.substr(2)});
  }
  Words directories;
  for (const std::string& file : source.files) directories.push_back(fs::absolute(file).parent_path());
  std::reverse(directories.begin(), directories.end());  // packages are of rtl/common
  directories = directories + Words{kHome + "/rtl", kHome + "/rtl/common"};
  for (auto at = directories.begin(); at != directories.end(); ++at) {
    if (std::find(directories.begin(), at, *at) == at) command = command + Words{"-y", *at};  // for `include too
  }
  for (const std::string& file : source.files) command.push_back(fs::absolute(file).string());
  return command;
}

// What write_entry_point() puts around the names of files and ports.
constexpr const char* kInclude = "#include \"{}\"\n";
constexpr const char* kPinsBegin =
    "#include \"tb/cosim/verilated/module.h\"\nstatic std::vector<RtlPin> pins(Vmodel& m) {\n  return {\n";
constexpr const char* kPin = "    {{\"{0}\", {1}, {2}, {3}, &m.{0}}},\n";
constexpr const char* kPinsEnd =
    "  };\n}\nusing Entry = warpfold::cosim::Module<Vmodel>;\n"
    "extern \"C\" __attribute__((visibility(\"default\"))) const RtlModule* warpfold_rtl_module() {\n";
constexpr const char* kModule =
    "  static const RtlModule module = {{&Entry::create<pins>, &Entry::eval, &Entry::destroy, {}}};\n";

Entry entry_of(const RtlSource& source) {
  Entry entry{source, build_rtl_runtime(), "", ""};
  Hash hash;
  hash.add(tools().identity).add(entry.runtime.filename().string());
  hash << verilator_command(source) << compiler_flags() << kModuleFlags
       << Words{kInclude, kPinsBegin, kPin, kPinsEnd, kModule};
  for (const RtlPort& port : source.ports) hash.add(port.name).add(described(port));
  entry.recipe = source.top + "-" + hash.name();
  entry.manifest = cache_directory() / (entry.recipe + ".sources");
  return entry;
}

Words last_sources(const Entry& entry) {
  std::istringstream lines(read_text(entry.manifest).value_or(""));
  Words sources;
  for (std::string line; std::getline(lines, line);) sources.push_back(line);
  return sources;
}

fs::path library_of(const Entry& entry, const Words& sources) {
  Hash hash;
  hash.add(entry.recipe);
  for (const std::string& file : sources) hash.add(file).add(read_text(file).value_or(""));
  return cache_directory() / (entry.source.top + "-" + hash.name() + ".so");
}

// The file that has the module, should any of them.
std::string where(const RtlSource& source) {
  const std::regex module("\\bmodule\\s+" + source.top + "\\b");
  const auto has_it = [&](const std::string& file) { return std::regex_search(read_text(file).value_or(""), module); };
  const auto found = std::find_if(source.files.begin(), source.files.end(), has_it);
  return fmt::format("{}: {}", source.block, found != source.files.end() ? *found : source.files.back());
}

// "%Error-PKGNODECL: file.sv:4:104: Package …" without the word before the place.
std::string first_complaint(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    static const std::regex complaint("%(Error|Warning)[-A-Z0-9_]*: (.*)");
    std::smatch found;
    if (std::regex_match(line, found, complaint)) return found[2];
  }
  return "Verilator fails";
}

void verilate(const Entry& entry, const Scratch& scratch) {
  const RtlSource& source = entry.source;
  const std::string log = scratch.file("verilator.log");
  if (run_tools({{verilator_command(source) + Words{"-Mdir", scratch.file("")}, log}})) return;
  const std::string complaint = first_complaint(read_text(log).value_or(""));
  const bool placed = complaint.find(".sv:") != std::string::npos;
  user_error("{}: {}; Verilator's log: {}", placed ? source.block : where(source), complaint,
             scratch.keep_logs(entry.recipe + ".log"));
}

// The sources that Verilator read: lines `S size … "path"` of its list.
Words sources_read(const Scratch& scratch) {
  std::istringstream lines(read_text(scratch.file("Vmodel__verFiles.dat")).value_or(""));
  Words sources;
  for (std::string line; std::getline(lines, line);) {
    static const std::regex source("S .*\"(.*)\"");
    std::smatch found;
    if (std::regex_match(line, found, source) && found[1].str().find("verilator_bin") == std::string::npos) {
      sources.push_back(fs::absolute(found[1].str()));
    }
  }
  return sources;
}

// The ports of the class that Verilator made: lines `VL_IN8(&name,msb,lsb);`.
std::vector<RtlPort> ports_found(const Scratch& scratch) {
  const std::string header = read_text(scratch.file("Vmodel.h")).value_or("");
  static const std::regex port("VL_(IN|OUT|INOUT)(?:8|16|64|W)?\\(&(\\w+),(\\d+),(\\d+)");
  std::vector<RtlPort> ports;
  for (std::sregex_iterator at(header.begin(), header.end(), port), end; at != end; ++at) {
    const auto msb = static_cast<unsigned>(std::stoul((*at)[3])), lsb = static_cast<unsigned>(std::stoul((*at)[4]));
    ports.push_back({(*at)[2], msb - lsb + 1, (*at)[1] == "OUT"});
  }
  return ports;
}

// What drives the block knows its ports; more outputs do no harm.
void check_ports(const RtlSource& source, const std::vector<RtlPort>& found) {
  const auto named = [](const std::vector<RtlPort>& ports, const std::string& name) {
    return std::find_if(ports.begin(), ports.end(), [&](const RtlPort& port) { return port.name == name; });
  };
  std::string parameters;
  for (const auto& [name, value] : source.parameters) parameters += fmt::format(" {}={}", name, value);
  for (const RtlPort& wanted : source.ports) {
    const auto port = named(found, wanted.name);
    if (port == found.end()) {
      user_error("{}: module {} has no port {}, which should be an {}", where(source), source.top, wanted.name,
                 described(wanted));
    }
    if (*port != wanted) {
      user_error("{}: port {} of module {} is an {}, where an {} is expected with{}", where(source), wanted.name,
                 source.top, described(*port), described(wanted), parameters);
    }
  }
  for (const RtlPort& port : found) {
    if (!port.output && named(source.ports, port.name) == source.ports.end()) {
      user_error("{}: module {} has a port {} that nothing drives: {} blocks have none of that name", where(source),
                 source.top, port.name, source.block);
    }
  }
}

// Verilator's code works out what follows from inputs in each call, changed or not: of a block of much logic more than
// half of what a clock costs. It is made to ask first. Logic that the clock is an input of stays as it is, and so does
// what another version of Verilator writes.
// Returns what follows from inputs, as text; nothing: it is not known.
std::optional<std::string> ask_for_inputs(const Scratch& scratch) {
  static const std::string kBegins = "vlSelf->__VicoIterCount = 0U;";
  fs::path asks;
  std::string follows;
  for (const fs::directory_entry& file : fs::directory_iterator(scratch.file(""))) {
    const std::string name = file.path().filename();
    if (!name.starts_with("Vmodel") || !name.ends_with(".cpp")) continue;
    const std::string text = read_text(file.path()).value_or("");
    for (std::size_t at = 0; (at = text.find("___ico_", at)) != text.npos; ++at) {
      const std::size_t end = std::min(text.find("\n}\n", at), text.size());
      follows += text.substr(at, end - at);
    }
    if (text.find(kBegins) != text.npos) asks = file.path();
  }
  if (asks.empty() || follows.find("clk_i") != follows.npos) return std::nullopt;
  std::string text = *read_text(asks);
  text.replace(text.find(kBegins), kBegins.size(), "vlSelf->__VicoIterCount = warpfold_same_inputs;");
  std::ofstream(asks) << text;
  return follows;
}

// The file that makes a library of the class: all of Verilator's files in one, which compiles fastest.
void write_entry_point(const RtlSource& source, const Scratch& scratch, const std::vector<RtlPort>& ports) {
  const std::optional<std::string> follows = ask_for_inputs(scratch);
  std::ofstream out(scratch.file("library.cpp"));
  for (const fs::directory_entry& file : fs::directory_iterator(scratch.file(""))) {
    const std::string name = file.path().filename();
    if (name.starts_with("Vmodel") && name.ends_with(".cpp")) out << fmt::format(kInclude, name);
  }
  out << kPinsBegin;
  for (const RtlPort& port : ports)
    out << fmt::format(kPin, port.name, port.bits, port.output, !follows || follows->find(port.name) != follows->npos);
  out << kPinsEnd << fmt::format(kModule, source.waves ? "&Entry::trace" : "nullptr") << "  return &module;\n}\n";
}

void compile(const Entry& entry, const Scratch& scratch) {
  const Words libraries = {"-L" + cache_directory().string(), "-l:" + entry.runtime.filename().string(),
                           "-Wl,-rpath,$ORIGIN"};
  const Words flags = kModuleFlags + Words{"-include", read_headers() / "module.h", scratch.file("library.cpp")};
  if (run_tools({{compiler(scratch.file("library.so")) + flags + libraries, scratch.file("g++.log")}})) return;
  user_error("{}: g++ refuses what Verilator made of it; its log: {}", where(entry.source),
             scratch.keep_logs(entry.recipe + ".log"));
}

// Leaves library and list of sources in the cache; returns the library's path.
fs::path build(const Entry& entry) {
  const Scratch scratch(entry.recipe);
  verilate(entry, scratch);
  const Words sources = sources_read(scratch);
  const fs::path library = library_of(entry, sources);
  const std::vector<RtlPort> ports = ports_found(scratch);
  check_ports(entry.source, ports);
  write_entry_point(entry.source, scratch, ports);
  compile(entry, scratch);
  {
    std::ofstream list(scratch.file("sources"));
    for (const std::string& read : sources) list << read << "\n";
  }
  put_into_cache(scratch.file("library.so"), library);
  put_into_cache(scratch.file("sources"), entry.manifest);
  return library;
}

}  // namespace

std::string build_rtl(const RtlSource& asked) {
  for (const std::string& file : asked.files) {
    if (!fs::is_regular_file(file)) user_error("{}: {}: there is no such file", asked.block, file);
  }
  const RtlSource source = without_vhdl(asked);
  const Entry entry = entry_of(source);
  fs::path library = library_of(entry, last_sources(entry));
  if (fs::exists(entry.manifest) && fs::exists(library)) return library;
  const FileLock lock = lock_in_cache(entry.recipe);
  library = library_of(entry, last_sources(entry));  // somebody may have built it by now
  if (fs::exists(entry.manifest) && fs::exists(library)) return library;
  // A source that is saved while Verilator runs makes an object of we do not know what.
  for (;;) {
    const fs::path before = library_of(entry, source.files);
    library = build(entry);
    if (library_of(entry, source.files) == before) return library;
    fs::remove(library);
  }
}

}  // namespace warpfold::cosim
