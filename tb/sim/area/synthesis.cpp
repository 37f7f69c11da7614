// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/area/synthesis.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "tb/cosim/blocks.h"
#include "tb/cosim/build/design_files.h"
#include "tb/cosim/build/tool.h"
#include "tb/sim/console/progress.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/input_file.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
const std::string kScript = WARPFOLD_SOURCE_DIRECTORY "/scripts/rtl-synth";
const std::string kShipped = WARPFOLD_SOURCE_DIRECTORY "/rtl/synth/results.json";

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

// What the script says of why it failed, without its own name.
std::string complaint(const std::string& log) {
  const std::string line = last_line(read_text(log).value_or(""));
  const std::size_t error = line.find("error: ");
  return error == std::string::npos ? "scripts/rtl-synth fails: " + line : line.substr(error + 7);
}

bool is_not_installed(const std::string& said) { return said.find("is not installed") != std::string::npos; }

// Of a library, whose files have tabs between them; "": one is not there.
std::string digest_of(const std::string& paths) {
  Hash hash;
  std::istringstream files(paths);
  for (std::string file; std::getline(files, file, '\t');) {
    const std::optional<std::string> text = read_text(file);
    if (!text) return "";
    hash.add(*text);
  }
  return hash.name();
}

// What is not there, as opposed to what is wrong.
bool is_missing(const std::string& said, bool own_library) {
  if (is_not_installed(said) || said.starts_with("unknown block")) return true;
  return !own_library && said.find("o such file") != std::string::npos;  // Debian's library
}

bool is_debian(const std::string& library) {
  return std::find(kDebianLibraries.begin(), kDebianLibraries.end(), library) != kDebianLibraries.end();
}

// The Liberty files of a library that was asked for.
std::vector<std::string> files_in(const std::string& library) {
  if (fs::exists(library)) return {library};
  std::vector<std::string> files;
  std::istringstream words(library);
  for (std::string file; std::getline(words, file, '+');) files.push_back(file);
  return files;
}

void read_library(const nlohmann::json& json, Synthesis& to) {
  to.library = json.at("name").get<std::string>();
  to.nand2_um2 = json.at("nand2_area_um2").get<double>();
  to.fo4_ns = json.at("fo4_ns").get<double>();
}

Synthesis synthesis_of(const nlohmann::json& json, const std::string& key) {
  Synthesis result;
  result.key = key;
  result.cells = json.at("cells").get<double>();
  result.flip_flops = json.at("flip_flops").get<double>();
  result.area_um2 = json.at("area_um2").get<double>();
  result.nand2 = json.at("nand2_equivalents").get<double>();
  for (const auto& one : json.at("rams")) {
    const Ram ram{one.at("width").get<unsigned>(), one.at("depth").get<unsigned>(), one.at("path_ns").get<double>()};
    const auto same = [&](const Ram& other) { return other.width == ram.width && other.depth == ram.depth; };
    if (std::none_of(result.rams.begin(), result.rams.end(), same)) result.rams.push_back(ram);
  }
  const auto& path = json.at("critical_path");
  result.path_ns = path.at("ns").get<double>();
  result.start = path.at("start").get<std::string>();
  result.end = path.at("end").get<std::string>();
  read_library(json.at("library"), result);
  if (const auto energy = json.find("energy"); energy != json.end()) {
    result.pj_per_clock = energy->at("pj_per_clock").get<double>();
    result.volts = energy->at("volts").get<double>();
  }
  return result;
}

nlohmann::json parsed_file(const fs::path& path) {
  nlohmann::json json = nlohmann::json::parse(read_text(path).value_or(""), nullptr, false);
  if (json.is_discarded()) user_error("{}: not a result of synthesis: remove it", path.string());
  return json;
}

std::string described(const divergence::RtlUse& use) {
  std::string text = use.module;
  for (const auto& [name, value] : use.parameters) text += fmt::format(" {}={}", name, value);
  return text;
}

// What of a list is done and being done, by several threads, and shown by the one that waits for them.
class Board {
 public:
  explicit Board(std::size_t all) : all_(all) {}
  std::size_t take() { return next_++; }
  void begin(const std::string& name) {
    const std::lock_guard lock(mutex_);
    running_.insert(name);
  }
  void end(const std::string& name) {
    const std::lock_guard lock(mutex_);
    running_.erase(running_.find(name));
    if (++done_ == all_) all_done_.notify_one();
  }
  void show_until_all_is_done() {
    Progress progress("blocks", all_);
    std::unique_lock lock(mutex_);
    while (!all_done_.wait_for(lock, std::chrono::milliseconds(200), [this] { return done_ == all_; })) {
      progress.advance_to(done_);
      std::string doing = "synthesising";
      for (const std::string& name : running_) doing.append(name == *running_.begin() ? " " : ", ").append(name);
      progress.show(doing);
    }
  }

 private:
  const std::size_t all_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::size_t done_ = 0;
  std::multiset<std::string> running_;
};

}  // namespace

UsersDesigns users_designs(const std::string& rtl) {
  UsersDesigns designs;
  for (const RtlOptions::Block& block : RtlOptions::parse(rtl, "--rtl")) {
    const std::string place = "--rtl " + block.name;
    const std::string& module = cosim::rtl_block(block.name).top;
    if (block.files.empty()) user_error("{}: wanted files of yours: what has none is this project's", place);
    UsersDesign design;
    for (const std::string& file : block.files) {
      if (!fs::is_regular_file(file)) user_error("{}: {}: there is no such file", place, file);
      design.files.push_back(fs::absolute(file));
    }
    const std::vector<std::string> files = cosim::design_files(design.files, place);
    for (const auto& [name, value] : cosim::rtl_source(block.name, {}, files).parameters)
      design.parameters.insert(name);
    if (!designs.emplace(module, std::move(design)).second) user_error("{}: {} is given twice", place, module);
  }
  return designs;
}

std::string library_of_pdk(const std::string& kit) {
  const Scratch scratch("synth-pdk");
  const std::string list = scratch.file("files");
  if (!cosim::run_tools({{{kScript, "--library", "--files", "--pdk", kit}, list}})) user_error("{}", complaint(list));
  std::string files = last_line(read_text(list).value_or(""));
  std::replace(files.begin(), files.end(), '\t', '+');
  return files;
}

Synthesizer::Synthesizer(const std::vector<std::string>& libraries, unsigned jobs, UsersDesigns designs)
    : libraries_(libraries.empty() ? kDebianLibraries : libraries),
      given_(!libraries.empty()),
      jobs_(jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency())),
      designs_(std::move(designs)) {
  for (std::string& one : libraries_) {
    if (is_debian(one)) continue;
    std::string absolute;
    for (const std::string& file : files_in(one)) {
      check_regular_file(file, "Liberty file");
      absolute += (absolute.empty() ? "" : "+") + fs::absolute(file).string();
    }
    one = absolute;
  }
  if (fs::exists(kShipped)) shipped_ = parsed_file(kShipped);
  if (given_) return;
  for (const auto& result : shipped_) {
    const nlohmann::json& library = result.at("library");
    if (library.contains("digest")) kits_.emplace(library.at("name").get<std::string>(), library);
  }
  for (const auto& [name, library] : kits_) libraries_.push_back(name);
}

std::vector<std::string> Synthesizer::command_for(const Request& request) const {
  std::vector<std::string> command{kScript, request.use.module, "--lib", libraries_[request.library]};
  const std::vector<std::string> sources = sources_for(request.use.module);
  command.insert(command.end(), sources.begin(), sources.end());
  const auto design = designs_.find(request.use.module);
  for (const auto& [name, value] : request.use.parameters) {
    if (design != designs_.end() && !design->second.parameters.contains(name)) continue;
    command.insert(command.end(), {"--set", fmt::format("{}={}", name, value)});
  }
  if (request.for_delay) command.insert(command.end(), {"--effort", "high"});
  if (request.clock_ns > 0) command.insert(command.end(), {"--clock", fmt::format("{:.4f}ns", request.clock_ns)});
  return command;
}

std::vector<std::string> Synthesizer::sources_for(const std::string& module) const {
  std::vector<std::string> words;
  const auto design = designs_.find(module);
  if (design == designs_.end()) return words;
  for (const std::string& file : design->second.files) words.insert(words.end(), {"--source", file});
  return words;
}

// A tool that one block lacks all of them lack: the script is not started again to hear it. It tells a block without
// RTL before that.
Synthesizer::Files Synthesizer::read_files(const std::string& module) const {
  const bool has_rtl = fs::exists(fs::path(WARPFOLD_SOURCE_DIRECTORY "/rtl") / (module + ".sv"));
  if (has_rtl) {
    const std::lock_guard lock(mutex_);
    if (!no_tool_.empty()) return {no_tool_, "", {}};
  }
  Files files = asked_files(module);
  if (has_rtl && is_not_installed(files.missing)) {
    const std::lock_guard lock(mutex_);
    no_tool_ = files.missing;
  }
  return files;
}

// The figures say nothing of where files are, nor do the names of their results: the contents count.
Synthesizer::Files Synthesizer::asked_files(const std::string& module) const {
  const Scratch scratch("synth-" + module);
  std::vector<std::string> command{kScript, module, "--files"};
  const std::vector<std::string> own = sources_for(module);
  command.insert(command.end(), own.begin(), own.end());
  for (const std::string& library : libraries_) {
    if (!kits_.contains(library)) command.insert(command.end(), {"--lib", library});
  }
  const std::string list = scratch.file("files");
  Files files;
  if (!cosim::run_tools({{command, list}})) {
    files.missing = complaint(list);
    return files;
  }
  std::istringstream lines(read_text(list).value_or(""));
  Hash sources;
  for (std::string line; std::getline(lines, line);) {
    if (files.libraries.size() + kits_.size() < libraries_.size()) {
      files.libraries.push_back(digest_of(line));
      continue;
    }
    const std::optional<std::string> text = read_text(line);
    if (text) {
      sources.add(fs::path(line).filename().string()).add(*text);
    } else {
      sources.add(line);  // a tool's version
    }
  }
  files.sources = sources.name();
  for (const auto& [name, library] : kits_) files.libraries.push_back(library.at("digest").get<std::string>());
  return files;
}

const Synthesizer::Files& Synthesizer::files_of(const std::string& module) const {
  const auto future = [&] {
    const std::lock_guard lock(mutex_);
    std::shared_future<Files>& one = files_[module];
    if (!one.valid()) one = std::async(std::launch::deferred, [=, this] { return read_files(module); });
    return one;
  }();
  return future.get();
}

Synthesis Synthesizer::refused(const std::string& what, const std::string& said) const {
  if (!is_missing(said, given_)) user_error("{}: {}", what, said);
  Synthesis result;
  result.missing = said;
  return result;
}

Synthesis Synthesizer::one(const Request& request) const {
  const std::string what = described(request.use);
  const Files& files = files_of(request.use.module);
  if (!files.missing.empty()) return refused(what, files.missing);
  const std::string& library = files.libraries[request.library];
  if (library.empty()) {
    const std::string& name = libraries_[request.library];
    return refused(what, fmt::format("the library {} is not installed: scripts/setup rtl installs it", name));
  }
  Hash hash;
  hash.add(what).add(fmt::format("{:.4f}", request.clock_ns)).add(library).add(files.sources);
  if (request.for_delay) hash.add("for delay");
  if (!request.activity.empty()) hash.add(request.activity);
  const std::string key = hash.name();
  if (const auto shipped = shipped_.find(key); shipped != shipped_.end()) return synthesis_of(*shipped, key);
  if (const std::string& name = libraries_[request.library]; kits_.contains(name)) {
    Synthesis unknown;
    unknown.missing = fmt::format("no result on {} comes with the sources", name);
    return unknown;
  }
  const fs::path place = cache_directory() / fmt::format("synth-{}-{}.json", request.use.module, key);
  if (fs::exists(place)) return synthesis_of(parsed_file(place), key);
  const FileLock lock = lock_in_cache(place.filename());
  if (fs::exists(place)) return synthesis_of(parsed_file(place), key);
  const Scratch scratch("synth-" + request.use.module);
  const std::string out = scratch.file("out"), log = scratch.file("log");
  std::vector<std::string> command = command_for(request);
  command.insert(command.end(), {"--out", out});
  if (!request.activity.empty()) {
    const std::string activity = scratch.file("activity");
    std::ofstream(activity) << request.activity;
    command.insert(command.end(), {"--activity", activity});
  }
  if (!cosim::run_tools({{command, log}})) {
    std::string said = complaint(log);
    for (const std::string& block : {request.use.module + ": ", what + ": "}) {
      if (said.starts_with(block)) said.erase(0, block.size());
    }
    return refused(what, said);
  }
  put_into_cache(out + "/synth.json", place);
  return synthesis_of(parsed_file(place), key);
}

area::Paces Synthesizer::paces() const {
  std::map<std::string, std::map<std::string, double>> blocks;  // ns by library
  std::map<std::string, double> nodes;
  for (const auto& result : shipped_) {
    if (result.value("effort", "") == "high" || result.at("block").get<std::string>().ends_with("_lane")) continue;
    const auto& library = result.at("library");
    const std::string name = library.at("name").get<std::string>();
    nodes[name] = area::node_of_library(name, library.at("nand2_area_um2").get<double>());
    blocks[result.at("block").get<std::string>() + result.at("parameters").dump()][name] =
        result.at("critical_path").at("ns").get<double>();
  }
  std::erase_if(blocks, [&](const auto& one) { return one.second.size() < nodes.size(); });
  std::vector<area::Pace> paces;
  for (const auto& [name, node] : nodes) {
    double sum = 0;
    for (const auto& [block, ns] : blocks) sum += std::log(ns.at(name));
    if (!blocks.empty()) paces.push_back({name, node, std::exp(sum / static_cast<double>(blocks.size()))});
  }
  return area::Paces(std::move(paces));
}

Synthesis Synthesizer::measure(std::size_t library) const {
  const std::string& name = libraries_[library];
  if (const auto kit = kits_.find(name); kit != kits_.end()) {
    Synthesis shipped;
    read_library(kit->second, shipped);
    return shipped;
  }
  const Scratch scratch("synth-library");
  const std::string log = scratch.file("log");
  if (!cosim::run_tools({{{kScript, "--library", "--lib", name}, log}})) return refused(name, complaint(log));
  Synthesis result;
  read_library(parsed_file(log), result);
  return result;
}

std::vector<Synthesis> Synthesizer::run(const std::vector<Request>& requests) const {
  std::vector<Synthesis> results(requests.size());
  std::vector<std::exception_ptr> failures(requests.size());
  Board board(requests.size());
  const auto work = [&] {
    for (std::size_t i = board.take(); i < requests.size(); i = board.take()) {
      const std::string name = fmt::format("{} on {}", described(requests[i].use),
                                           fs::path(libraries_[requests[i].library]).stem().string());
      board.begin(name);
      try {
        results[i] = one(requests[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
      board.end(name);
    }
  };
  const std::size_t workers = std::min<std::size_t>(jobs_, requests.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(work);
  board.show_until_all_is_done();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return results;
}

}  // namespace warpfold::sim
