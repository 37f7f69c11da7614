// SPDX-License-Identifier: Apache-2.0
// Where a test writes RTL of its own: the same place each time, since what Verilator makes of a file is kept by the
// file's place, too.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace warpfold {

inline std::filesystem::path test_directory() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test.test_suite_name()) + "." + test.name();
  std::replace(name.begin(), name.end(), '/', '.');
  const auto place = std::filesystem::path(WARPFOLD_TEST_CACHE).parent_path() / "rtl_of_tests" / name;
  std::filesystem::remove_all(place);  // of a run that was killed
  return place;
}

}  // namespace warpfold
