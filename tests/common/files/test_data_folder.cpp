// SPDX-License-Identifier: Apache-2.0
// Data beside an installed program come before those of the sources: this test, run from where it might be installed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "warpfold/common/files/data_folder.h"

namespace warpfold {
namespace data_folder_test {

namespace fs = std::filesystem;

class DataFolder : public testing::Test {
 protected:
  DataFolder() { fs::create_directories(home / "bin"); }
  ~DataFolder() override { fs::remove_all(prefix); }
  // What a copy of this program in `home` finds.
  std::string found() const {
    const fs::path copy = home / "bin/test", out = prefix / "out";
    fs::copy_file("/proc/self/exe", copy, fs::copy_options::overwrite_existing);
    const std::string command =
        fmt::format("{}=1 '{}' --gtest_filter=DataFolder.* 2> '{}' > /dev/null", kCopy, copy.string(), out.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(out);
    std::string line;
    std::getline(in, line);
    return line;
  }

  static constexpr const char* kCopy = "WARPFOLD_TEST_COPY";  // set for the copy, which only says what it finds
  const fs::path prefix = fs::path(testing::TempDir()) / ("warpfold_data_" + std::to_string(getpid()));
  const fs::path home = prefix / "lib/warpfold";
};

TEST_F(DataFolder, OfTheSourcesUnlessInstalled) {
  if (std::getenv(kCopy) != nullptr) {
    std::fprintf(stderr, "%s\n", data_folder("things", "/sources").c_str());
    return;
  }
  EXPECT_EQ(found(), "/sources");
  fs::create_directories(prefix / "share/warpfold/other");
  EXPECT_EQ(found(), "/sources");
  fs::create_directories(prefix / "share/warpfold/things");
  EXPECT_EQ(found(), prefix / "share/warpfold/things");
}

}  // namespace data_folder_test
}  // namespace warpfold
