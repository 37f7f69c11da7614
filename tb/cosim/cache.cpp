// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "models/common/error.h"

namespace warpfold::cosim {
namespace fs = std::filesystem;

std::optional<std::string> read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  return text.str();
}

Hash& Hash::add(std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * kPrime;
  state_ = (state_ ^ text.size()) * kPrime;  // "ab", "c" is not "a", "bc"
  return *this;
}

std::string Hash::name() const { return fmt::format("{:016x}", state_); }

fs::path cache_directory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  fs::path path = variable("WARPFOLD_CACHE");
  if (path.empty() && !variable("XDG_CACHE_HOME").empty()) path = variable("XDG_CACHE_HOME") / "warpfold";
  if (path.empty() && !variable("HOME").empty()) path = variable("HOME") / ".cache/warpfold";
  if (path.empty()) user_error("no directory to keep verilated RTL in: set WARPFOLD_CACHE to one");
  std::error_code failed;
  fs::create_directories(path, failed);
  if (!failed && access(path.c_str(), W_OK | X_OK) != 0) failed.assign(errno, std::generic_category());
  if (failed) {
    user_error("{}: cannot keep verilated RTL in this directory: {}; set WARPFOLD_CACHE to another", path.string(),
               failed.message());
  }
  return fs::absolute(path);
}

Scratch::Scratch(const std::string& purpose) {
  static std::atomic<unsigned> count = 0;
  path_ = cache_directory() / fmt::format("{}.{}-{}.tmp", purpose, getpid(), count++);
  fs::remove_all(path_);  // of a process of that number that was killed
  fs::create_directory(path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::keep_logs(const std::string& name) const {
  std::vector<fs::path> logs;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  }
  std::sort(logs.begin(), logs.end());
  const std::string together = file("all");
  {
    std::ofstream out(together, std::ios::binary);
    for (const fs::path& log : logs) out << read_text(log).value_or("");
  }
  const fs::path place = cache_directory() / name;
  put_into_cache(together, place);
  return place;
}

Lock::Lock(const std::string& name) {
  const std::string path = cache_directory() / (name + ".lock");
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || flock(file_, LOCK_EX) != 0) user_error("{}: cannot lock it: {}", path, std::strerror(errno));
}

Lock::~Lock() { close(file_); }

void put_into_cache(const std::string& made, const fs::path& place) {
  std::error_code failed;
  fs::rename(made, place, failed);
  if (failed) user_error("{}: cannot write it: {}", place.string(), failed.message());
}

}  // namespace warpfold::cosim
