// SPDX-License-Identifier: Apache-2.0
// What every harness does with an input. Good endings are acceptance and a refusal that says something (programs print
// it on one line, common/one_line.h); whatever else happens ends the process, and libFuzzer keeps the input.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "warpfold/common/error.h"

namespace warpfold::fuzz {

[[noreturn]] inline void broken(std::string_view what) {
  fmt::print(stderr, "harness: {}\n", what);
  std::abort();
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// True when the body came to its end, false when it refused. Other exceptions are findings.
template <class Body>
bool accepted(Body body) {
  try {
    body();
    return true;
  } catch (const UserError& refusal) {
    if (std::string_view(refusal.what()).empty()) broken("a refusal without a word");
    return false;
  }
}

// A folder of the process's own, in memory where the host has such a place.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
    name += "/warpfold-fuzz-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) broken("no folder for the harness's files");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, std::string_view text) const {
    const std::filesystem::path at = path_ / name;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at, std::ios::binary) << text;
    return at;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warpfold::fuzz
