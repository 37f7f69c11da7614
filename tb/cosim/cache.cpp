// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "warpfold/common/error.h"

namespace warpfold::cosim {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

// The directory and those that it lies in, where they are not there yet, with rights for nobody else.
void make_private(const fs::path& path) {
  if (!fs::exists(path.parent_path())) make_private(path.parent_path());
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return;
  throw fs::filesystem_error("", {errno, std::generic_category()});
}

// Why somebody else may have put something there; empty: nobody can.
std::string distrust(const fs::path& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0) return std::strerror(errno);
  if (S_ISLNK(about.st_mode)) return "it is a symbolic link: name the directory itself";
  if (!S_ISDIR(about.st_mode)) return "it is no directory";
  if (about.st_uid != geteuid()) return "it belongs to somebody else";
  if ((about.st_mode & kOthersWrite) != 0) return "others may write it: chmod go-w it";
  // Who may rename what lies in a directory above may put another one in its place, unless it is as /tmp is.
  for (fs::path above = fs::canonical(path).parent_path();; above = above.parent_path()) {
    if (stat(above.c_str(), &about) != 0) return std::strerror(errno);
    if ((about.st_mode & S_IWOTH) != 0 && (about.st_mode & S_ISVTX) == 0) {
      return above.string() + " may be written by everybody";
    }
    if (above == above.parent_path()) return "";
  }
}

fs::path chosen_directory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const fs::path own = variable("WARPFOLD_CACHE"); !own.empty()) return fs::absolute(own);
  // A relative one is to be ignored (XDG Base Directory Specification).
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "warpfold";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache/warpfold";
  user_error("no directory to keep verilated RTL in: set WARPFOLD_CACHE to one");
}

}  // namespace

std::optional<std::string> read_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  return text.str();
}

Hash& Hash::add(std::string_view text) {
  digest_.update(fmt::format("{}:", text.size())).update(text);  // "ab", "c" is not "a", "bc"
  return *this;
}

std::string Hash::name() const { return digest_.hex(); }

fs::path cache_directory() {
  const fs::path path = chosen_directory();
  std::string trouble;
  try {
    make_private(path);
    trouble = distrust(path);
    if (trouble.empty() && access(path.c_str(), W_OK | X_OK) != 0) trouble = std::strerror(errno);
  } catch (const fs::filesystem_error& failed) {
    trouble = failed.code().message();
  }
  if (trouble.empty()) return path;
  user_error("{}: cannot keep verilated RTL in this directory: {}; set WARPFOLD_CACHE to another", path.string(),
             trouble);
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

FileLock lock_in_cache(const std::string& name) { return FileLock(cache_directory() / (name + ".lock")); }

void put_into_cache(const std::string& made, const fs::path& place) {
  std::error_code failed;
  fs::rename(made, place, failed);
  if (failed) user_error("{}: cannot write it: {}", place.string(), failed.message());
}

}  // namespace warpfold::cosim
