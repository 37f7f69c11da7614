// SPDX-License-Identifier: Apache-2.0
// The directory of what is made when it is first asked for: programs, libraries, verilated RTL. Any number of processes
// fill it at the same time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "warpfold/common/files/digest.h"
#include "warpfold/common/files/file_lock.h"

namespace warpfold {

std::optional<std::string> read_text(const std::filesystem::path& path);

// SHA-256 over a sequence of texts.
class Hash {
 public:
  Hash& add(std::string_view text);
  // The digest of a file's contents; UserError where it cannot be read.
  Hash& add_file(const std::filesystem::path& path);
  // Of all files in a folder and below, with the names that they have in it.
  Hash& add_folder(const std::filesystem::path& path);
  std::string name() const;  // 64 hexadecimal digits

 private:
  Sha256 digest_;
};

// $WARPFOLD_CACHE, else $XDG_CACHE_HOME/warpfold if that is absolute, else ~/.cache/warpfold; made if need be, for this
// user alone. Programs load what lies there, so one that others could have put something into is a UserError, and so is
// one that cannot be written.
std::filesystem::path cache_directory();

// The folder of that name in it, where there is one. Makes nothing.
std::optional<std::filesystem::path> folder_in_cache(const std::string& name);

// Hash().add_folder() of the folder, which the cache remembers under a name: contents are read again only when a file's
// size, times or number say that there is something new.
std::string remembered_key(const std::string& name, const std::filesystem::path& folder);

// A directory inside the cache, for as long as the object lives.
class Scratch {
 public:
  explicit Scratch(const std::string& purpose);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }
  // Puts its *.log files together under `name` in the cache; returns the path. WriteError where they find no room.
  std::string keep_logs(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

// One process at a time makes what has this name.
FileLock lock_in_cache(const std::string& name);

// Moves a finished file into the cache in one step, so that nobody sees half of it.
void put_into_cache(const std::string& made, const std::filesystem::path& place);

// The path of what has this name in the cache, a file or a folder. Where nothing has, `make` leaves it at scratch/made
// or throws; whoever wants the same meanwhile waits for it. What killed makers of it have left is cleared away.
std::filesystem::path kept_in_cache(const std::string& name, const std::function<void(const Scratch& scratch)>& make);
inline constexpr const char* kMade = "made";

}  // namespace warpfold
