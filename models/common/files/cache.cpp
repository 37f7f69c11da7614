// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/cache.h"

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
#include "warpfold/common/files/whole_file.h"

namespace warpfold {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kRoom = 4 << 20;  // bytes: a disk with less is full
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

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->is_regular_file()) files.push_back(at->path());
  }
  if (failed) user_error("{}: cannot read this folder: {}", folder.string(), failed.message());
  std::sort(files.begin(), files.end());
  return files;
}

// Empty: no variable says.
fs::path chosen_directory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const fs::path own = variable("WARPFOLD_CACHE"); !own.empty()) return fs::absolute(own);
  // A relative one is to be ignored (XDG Base Directory Specification).
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "warpfold";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache/warpfold";
  return {};
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

Hash& Hash::add_file(const fs::path& path) { return add(Sha256().update_file(path).hex()); }

Hash& Hash::add_folder(const fs::path& path) {
  for (const fs::path& file : files_in(path)) add(file.lexically_relative(path).string()).add_file(file);
  return *this;
}

std::string Hash::name() const { return digest_.hex(); }

fs::path cache_directory() {
  const fs::path path = chosen_directory();
  if (path.empty()) user_error("no directory to keep what is compiled in: set WARPFOLD_CACHE to one");
  std::string trouble;
  try {
    make_private(path);
    trouble = distrust(path);
    if (trouble.empty() && access(path.c_str(), W_OK | X_OK) != 0) trouble = std::strerror(errno);
  } catch (const fs::filesystem_error& failed) {
    trouble = failed.code().message();
  }
  if (trouble.empty()) return path;
  user_error("{}: cannot keep what is compiled in this directory: {}; set WARPFOLD_CACHE to another", path.string(),
             trouble);
}

std::optional<fs::path> folder_in_cache(const std::string& name) {
  const fs::path chosen = chosen_directory();
  std::error_code none;
  if (chosen.empty() || !fs::is_directory(chosen / name, none)) return std::nullopt;
  return cache_directory() / name;
}

// Nobody sets the time of a change of status, whatever else a copy may keep.
std::string remembered_key(const std::string& name, const fs::path& folder) {
  Hash looks;
  for (const fs::path& file : files_in(folder)) {
    struct stat about {};
    if (stat(file.c_str(), &about) != 0) user_error("{}: cannot read it: {}", file.string(), std::strerror(errno));
    looks.add(fmt::format("{} {} {} {}.{} {}.{}", file.string(), about.st_size, about.st_ino, about.st_mtim.tv_sec,
                          about.st_mtim.tv_nsec, about.st_ctim.tv_sec, about.st_ctim.tv_nsec));
  }
  const fs::path place = cache_directory() / (name + "-" + Hash().add(folder.string()).name() + ".key");
  const std::string mark = looks.name() + " ", known = read_text(place).value_or("");
  if (known.starts_with(mark)) return known.substr(mark.size());
  std::string key = Hash().add_folder(folder).name();
  write_whole_file(place, mark + key);
  return key;
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
  std::string together;
  for (const fs::path& log : logs) together += read_text(log).value_or("");
  const fs::path place = cache_directory() / name;
  write_whole_file(place, together);
  return place;
}

FileLock lock_in_cache(const std::string& name) { return FileLock(cache_directory() / (name + ".lock")); }

void put_into_cache(const std::string& made, const fs::path& place) {
  std::error_code failed;
  fs::rename(made, place, failed);
  if (failed) user_error("{}: cannot write it: {}", place.string(), failed.message());
}

namespace {

// Only for whoever holds the lock of that name.
void remove_leftovers(const std::string& name) {
  for (const fs::directory_entry& entry : fs::directory_iterator(cache_directory())) {
    const std::string file = entry.path().filename();
    if (file.starts_with(name + ".") && file.ends_with(".tmp")) fs::remove_all(entry.path());
  }
}

}  // namespace

fs::path kept_in_cache(const std::string& name, const std::function<void(const Scratch& scratch)>& make) {
  fs::path place = cache_directory() / name;
  if (fs::exists(place)) return place;
  const FileLock lock = lock_in_cache(name);
  if (fs::exists(place)) return place;  // somebody has made it by now
  remove_leftovers(name);
  const Scratch scratch(name);
  try {
    make(scratch);
  } catch (const UserError& error) {  // of a tool, say, that does not tell why, least of all in a log on the same disk
    const fs::path directory = place.parent_path();
    const std::uintmax_t left = fs::space(directory).available;
    if (left >= kRoom) throw;
    throw WriteError(fmt::format("{}; {} has {} kB left: free some, or set WARPFOLD_CACHE to another", error.what(),
                                 directory.string(), left / 1024));
  }
  put_into_cache(scratch.file(kMade), place);
  return place;
}

}  // namespace warpfold
