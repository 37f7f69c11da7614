// SPDX-License-Identifier: Apache-2.0
// The directory of verilated RTL, which any number of processes fill at the same time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warpfold::cosim {

std::optional<std::string> read_text(const std::filesystem::path& path);

// 64-bit FNV-1a: tells versions apart, keeps no secrets.
class Hash {
 public:
  Hash& add(std::string_view text);
  std::string name() const;  // 16 hexadecimal digits

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

// $WARPFOLD_CACHE, else $XDG_CACHE_HOME/warpfold, else ~/.cache/warpfold; made if need be. UserError if it cannot be
// written.
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

// One process at a time holds the lock of a name.
class Lock {
 public:
  explicit Lock(const std::string& name);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

// Moves a finished file into the cache in one step, so that nobody sees half of it.
void put_into_cache(const std::string& made, const std::filesystem::path& place);

}  // namespace warpfold::cosim
