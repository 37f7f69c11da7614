// SPDX-License-Identifier: Apache-2.0
// A profile of likely-convergence points in a file of its own, for as long as a test needs it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/divergence/flow_machine.h"

namespace warpfold::divergence {

struct ProfileFile {
  explicit ProfileFile(const std::string& text)
      : path(testing::TempDir() + fmt::format("warpfold_profile_{}_{}.yaml", getpid(), ++made)) {
    std::ofstream(path) << text;
  }
  ~ProfileFile() { std::remove(path.c_str()); }
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;

  static inline unsigned made = 0;
  std::string path;
};

}  // namespace warpfold::divergence
