// SPDX-License-Identifier: Apache-2.0
// The directory of verilated RTL, which any number of processes fill at the same time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "warpfold/common/digest.h"
#include "warpfold/common/file_lock.h"

namespace warpfold::cosim {

std::optional<std::string> read_text(const std::filesystem::path& path);

// SHA-256 over a sequence of texts.
class Hash {
 public:
  Hash& add(std::string_view text);
  std::string name() const;  // 64 hexadecimal digits

 private:
  Sha256 digest_;
};

// $WARPFOLD_CACHE, else $XDG_CACHE_HOME/warpfold if that is absolute, else ~/.cache/warpfold; made if need be, for this
// user alone. Programs load what lies there, so one that others could have put something into is a UserError, and so is
// one that cannot be written.
std::filesystem::path cache_directory();

// A directory inside the cache, for as long as the object lives.
class Scratch {
 public:
  explicit Scratch(const std::string& purpose);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return path_ / name; }
  // Puts its *.log files together under `name` in the cache; returns the path.
  std::string keep_logs(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

// One process at a time makes what has this name.
FileLock lock_in_cache(const std::string& name);

// Moves a finished file into the cache in one step, so that nobody sees half of it.
void put_into_cache(const std::string& made, const std::filesystem::path& place);

}  // namespace warpfold::cosim
