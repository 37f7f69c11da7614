// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/campaign.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace warpfold::faults {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The processor's time and the process's number differ between two runs of the same thing.
bool is_of_this_run(const std::string& path) { return path.ends_with("/run.json"); }

// A run file also says which simulator the run was filed under, which may have been unreadable.
std::string without_identity(const std::string& text) {
  std::string kept;
  for (const std::string& line : lines_of(text)) {
    if (line.find("decided_by:") == std::string::npos) kept += line + "\n";
  }
  return kept;
}

// Written as the run goes, by the program itself.
bool may_be_partial(const std::string& path) { return path.ends_with("/program.out"); }

// Whole rows of it.
bool grows(const std::string& path) { return path.ends_with("/launches.csv"); }

bool is_as_it_should_be(const std::string& path, const std::string& text, const std::string& ordinary) {
  if (is_of_this_run(path)) return nlohmann::json::accept(text);
  if (grows(path)) return ordinary.starts_with(text) && text.ends_with('\n');
  return may_be_partial(path) || without_identity(text) == without_identity(ordinary);
}

}  // namespace

Campaign::Campaign(fs::path directory, Command command)
    : directory_(fs::absolute(std::move(directory))), command_(std::move(command)) {
  fs::remove_all(directory_);
  fs::create_directories(directory_);
  const auto ordinary = [this] {
    const Ending ending = run({"", "memory", 0}, 0);
    if (ending.status != 0 || ending.signal != 0) throw std::runtime_error(command_.name + ": " + ending.err);
    return ending.out;
  };
  output_ = ordinary();
  fs::remove_all(directory_ / "kept");
  fs::copy(directory_ / "work", directory_ / "kept", fs::copy_options::recursive);
  fs::copy(directory_ / "work", directory_ / "kept/earlier", fs::copy_options::recursive);
  clean();
  before_ = files();
  ordinary();
  after_ = files();
}

// Every run finds the results of an earlier one in its place, and others beside them.
void Campaign::clean() const {
  fs::remove_all(directory_ / "work");
  fs::create_directories(directory_ / "work");
  if (fs::exists(directory_ / "kept")) {
    fs::copy(directory_ / "kept", directory_ / "work", fs::copy_options::recursive);
  }
  fs::remove(directory_ / "fired");
}

Campaign::Ending Campaign::run(const Fault& fault, long n) const {
  if (n != 0 || !fs::exists(directory_ / "work")) clean();
  const std::string out = directory_ / "out", err = directory_ / "err";
  std::vector<std::string> variables{
      "LD_PRELOAD=" FAULT_SHIM,
      fmt::format("WARPFOLD_FAULT={}:{}:{}:{}:{}", fault.program.empty() ? "-" : fault.program, fault.kind, n,
                  fault.error, (directory_ / "fired").string())};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string(*variable).starts_with("LD_PRELOAD=")) variables.emplace_back(*variable);
  }
  std::vector<std::string> words{WARPFOLD_PROGRAM};
  words.insert(words.end(), command_.words.begin(), command_.words.end());
  const auto pointers = [](std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& text : strings) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addchdir_np(&actions, (directory_ / "work").c_str());
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, WARPFOLD_PROGRAM, &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(WARPFOLD_PROGRAM ": cannot start it");
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          fs::exists(directory_ / "fired"), read_file(out), read_file(err)};
}

bool Campaign::try_one(const Fault& fault, long n, Tally& tally) const {
  const Ending ending = run(fault, n);
  if (!ending.fired) return false;
  ++tally.runs;
  tally.failed += ending.status != 0 ? 1 : 0;
  for (const std::string& rule : broken_rules(ending)) {
    tally.broken.push_back(fmt::format("{}: {} {} of {}: {}", command_.name, fault.kind, n, fault.program, rule));
  }
  return true;
}

Tally Campaign::every(const Fault& fault, long step, long last) {
  Tally tally;
  for (long n = 1; n <= last && try_one(fault, n, tally); n += step) {
  }
  return tally;
}

// By doubling and halving: a command makes the same calls every time.
long Campaign::calls(const Fault& fault) const {
  long most = 1;
  while (run(fault, most).fired) most *= 2;
  long least = most / 2;
  while (most - least > most / 64 + 1) {
    const long middle = (least + most) / 2;
    (run(fault, middle).fired ? least : most) = middle;
  }
  return least;
}

Tally Campaign::sampled(const Fault& fault, long dense, long sampled) {
  Tally tally = every(fault, 1, dense);
  if (tally.runs < dense || sampled == 0) return tally;
  const long all = calls(fault);
  for (long i = 1; i <= sampled; ++i) try_one(fault, dense + (all - dense) * i / sampled, tally);
  return tally;
}

std::vector<std::string> Campaign::broken_rules(const Ending& ending) const {
  std::vector<std::string> broken;
  if (ending.signal != 0) broken.push_back(fmt::format("killed by signal {}: {}", ending.signal, ending.err));
  if (ending.status < 0 || ending.status > 2)
    broken.push_back(fmt::format("exit status {}: {}", ending.status, ending.err));
  if (ending.status == 0 && ending.out != output_) broken.push_back("status 0 with another output: " + ending.out);
  unsigned errors = 0, rows = 0;
  for (const std::string& line : lines_of(ending.err)) errors += line.starts_with("warpfold: error: ") ? 1 : 0;
  for (const std::string& line : lines_of(ending.out)) rows += line.find(" WRONG: ") != std::string::npos ? 1 : 0;
  if (ending.status != 0 && !(rows == 0 ? errors == 1 : errors == 0)) {
    broken.push_back(fmt::format("status {}, {} lines of error and {} wrong rows:\n{}{}", ending.status, errors, rows,
                                 ending.err, ending.out));
  }
  for (const char* word : {"terminate called", "bad_alloc", "internal check failed", "killed by signal"}) {
    if ((ending.err + ending.out).find(word) != std::string::npos) {
      broken.push_back(fmt::format("'{}':\n{}{}", word, ending.err, ending.out));
    }
  }
  for (std::string& rule : broken_files(ending.status == 0)) broken.push_back(std::move(rule));
  return broken;
}

std::vector<std::string> Campaign::broken_files(bool succeeded) const {
  std::vector<std::string> broken;
  const Files now = files();
  for (const auto& [path, text] : before_) {
    const auto found = now.find(path);
    if (path.starts_with("earlier/") && (found == now.end() || found->second != text))
      broken.push_back("an earlier result has changed: " + path);
  }
  for (const auto& [path, text] : now) {
    const auto known = after_.find(path);
    if (known == after_.end()) {
      if (path.ends_with("/.lock")) continue;  // of a key that is another's where a part of it cannot be read
      broken.push_back("left behind: " + path);
    } else if (!is_as_it_should_be(path, text, known->second)) {
      broken.push_back("not as it should be: " + path);
    }
  }
  for (const auto& [path, text] : after_) {
    if (succeeded && !now.contains(path)) broken.push_back("status 0 without " + path);
  }
  return broken;
}

Campaign::Files Campaign::files() const {
  Files all;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / "work")) {
    if (entry.is_regular_file()) all[fs::relative(entry.path(), directory_ / "work")] = read_file(entry.path());
  }
  return all;
}

}  // namespace warpfold::faults
