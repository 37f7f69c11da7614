// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/synthesis.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "tb/cosim/cache.h"
#include "tb/cosim/tool.h"
#include "tb/sim/progress.h"
#include "warpfold/common/error.h"
#include "warpfold/common/input_file.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
const std::string kScript = WARPFOLD_SOURCE_DIRECTORY "/scripts/rtl-synth";

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
  const std::string line = last_line(cosim::read_text(log).value_or(""));
  const std::size_t error = line.find("error: ");
  return error == std::string::npos ? "scripts/rtl-synth fails: " + line : line.substr(error + 7);
}

// What is not there, as opposed to what is wrong.
bool is_missing(const std::string& said, bool own_library) {
  if (said.find("is not installed") != std::string::npos || said.starts_with("unknown block")) return true;
  return !own_library && said.find("o such file") != std::string::npos;  // Debian's library
}

Synthesis read(const fs::path& path) {
  const nlohmann::json json = nlohmann::json::parse(cosim::read_text(path).value_or(""), nullptr, false);
  if (json.is_discarded()) user_error("{}: not a result of synthesis: remove it", path.string());
  Synthesis result;
  result.cells = json.at("cells").get<double>();
  result.flip_flops = json.at("flip_flops").get<double>();
  result.area_um2 = json.at("area_um2").get<double>();
  result.nand2 = json.at("nand2_equivalents").get<double>();
  for (const auto& ram : json.at("rams")) {
    result.rams.push_back({ram.at("width").get<unsigned>(), ram.at("depth").get<unsigned>()});
  }
  const auto& path_json = json.at("critical_path");
  result.path_ns = path_json.at("ns").get<double>();
  result.start = path_json.at("start").get<std::string>();
  result.end = path_json.at("end").get<std::string>();
  result.library = json.at("library").at("name").get<std::string>();
  result.nand2_um2 = json.at("library").at("nand2_area_um2").get<double>();
  return result;
}

std::string described(const divergence::RtlUse& use) {
  std::string text = use.module;
  for (const auto& [name, value] : use.parameters) text += fmt::format(" {}={}", name, value);
  return text;
}

// Everything the result depends on: the command, the files that it reads by their contents, the versions of the tools.
// Empty: the block has no RTL, or a tool is missing.
std::string key_of(std::vector<std::string> command, const cosim::Scratch& scratch) {
  cosim::Hash hash;
  for (const std::string& word : command) hash.add(word);
  command.push_back("--files");
  const std::string list = scratch.file("files");
  if (!cosim::run_tools({{command, list}})) return "";
  std::istringstream lines(cosim::read_text(list).value_or(""));
  for (std::string line; std::getline(lines, line);) hash.add(line).add(cosim::read_text(line).value_or(""));
  return hash.name();
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

Synthesizer::Synthesizer(const std::string& lib) : lib_(lib.empty() ? "" : fs::absolute(lib).string()) {
  if (!lib.empty()) check_regular_file(lib, "Liberty file");
}

std::vector<std::string> Synthesizer::command_for(const Request& request) const {
  std::vector<std::string> command{kScript, request.use.module};
  for (const auto& [name, value] : request.use.parameters) {
    command.insert(command.end(), {"--set", fmt::format("{}={}", name, value)});
  }
  if (!lib_.empty()) command.insert(command.end(), {"--lib", lib_});
  for (const auto& [ram, ns] : request.ram_ns) {
    command.insert(command.end(), {"--ram", fmt::format("{}x{}={:.4f}", ram.width, ram.depth, ns)});
  }
  return command;
}

Synthesis Synthesizer::one(const Request& request) const {
  const cosim::Scratch scratch("synth-" + request.use.module);
  std::vector<std::string> command = command_for(request);
  const std::string key = key_of(command, scratch);
  const auto refused = [&](std::string said) {
    const std::string block = request.use.module + ": ";
    if (said.starts_with(block)) said.erase(0, block.size());
    if (!is_missing(said, !lib_.empty())) user_error("{}: {}", described(request.use), said);
    Synthesis result;
    result.missing = said;
    return result;
  };
  if (key.empty()) return refused(complaint(scratch.file("files")));
  const auto in_cache = [&](const std::string& of, const char* what) {
    return cosim::cache_directory() / fmt::format("synth-{}-{}.{}", request.use.module, of, what);
  };
  const fs::path place = in_cache(key, "json");
  if (fs::exists(place)) return read(place);
  const FileLock lock = cosim::lock_in_cache(place.filename());
  if (fs::exists(place)) return read(place);
  // How long RAMs take changes the timing, not the netlist.
  if (!request.ram_ns.empty()) {
    const fs::path netlist = in_cache(key_of(command_for({request.use, {}}), scratch), "v");
    if (fs::exists(netlist)) command.insert(command.end(), {"--netlist", netlist});
  }
  const std::string out = scratch.file("out"), log = scratch.file("log");
  command.insert(command.end(), {"--out", out});
  if (!cosim::run_tools({{command, log}})) return refused(complaint(log));
  cosim::put_into_cache(out + "/netlist.v", in_cache(key, "v"));
  cosim::put_into_cache(out + "/synth.json", place);
  return read(place);
}

std::vector<Synthesis> Synthesizer::run(const std::vector<Request>& requests) const {
  std::vector<Synthesis> results(requests.size());
  std::vector<std::exception_ptr> failures(requests.size());
  Board board(requests.size());
  const auto work = [&] {
    for (std::size_t i = board.take(); i < requests.size(); i = board.take()) {
      const std::string name = described(requests[i].use);
      board.begin(name);
      try {
        results[i] = one(requests[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
      board.end(name);
    }
  };
  const std::size_t workers = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), requests.size());
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
