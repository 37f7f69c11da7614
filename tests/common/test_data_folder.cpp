// SPDX-License-Identifier: Apache-2.0
// Data beside an installed program come before those of the sources: this test, run from where it might be installed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "warpfold/common/data_folder.h"

namespace warpfold {
namespace {

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
        fmt::format("'{}' --gtest_also_run_disabled_tests --gtest_filter=DataFolder.DISABLED_Says 2> '{}' > /dev/null",
                    copy.string(), out.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream in(out);
    std::string line;
    std::getline(in, line);
    return line;
  }

  const fs::path prefix = fs::path(testing::TempDir()) / ("warpfold_data_" + std::to_string(getpid()));
  const fs::path home = prefix / "lib/warpfold";
};

TEST_F(DataFolder, DISABLED_Says) { std::fprintf(stderr, "%s\n", data_folder("things", "/sources").c_str()); }

TEST_F(DataFolder, OfTheSourcesUnlessInstalled) {
  EXPECT_EQ(found(), "/sources");
  fs::create_directories(prefix / "share/warpfold/other");
  EXPECT_EQ(found(), "/sources");
  fs::create_directories(prefix / "share/warpfold/things");
  EXPECT_EQ(found(), prefix / "share/warpfold/things");
}

}  // namespace
}  // namespace warpfold
