// SPDX-License-Identifier: Apache-2.0
// Builds told apart: by the linker's number where there is one, else by contents.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "warpfold/common/error.h"
#include "warpfold/common/files/digest.h"
#include "warpfold/common/results/build_id.h"

namespace warpfold {
namespace build_id_test {

std::string said_by(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 256> piece{};
  while (std::fgets(piece.data(), piece.size(), pipe.get()) != nullptr) text += piece.data();
  return text;
}

class BuildId : public testing::Test {
 protected:
  ~BuildId() override { std::filesystem::remove(copy_); }
  void write_copy(const std::string& text) const { std::ofstream(copy_, std::ios::binary) << text; }
  const std::string self_ = std::filesystem::read_symlink("/proc/self/exe");
  const std::string copy_ = testing::TempDir() + "warpfold_build_id_" + std::to_string(getpid());
};

TEST_F(BuildId, OfAnExecutableIsTheLinkersNumber) {
  EXPECT_NE(said_by("readelf -n '" + self_ + "'").find("Build ID: " + build_id(self_) + "\n"), std::string::npos);
}

TEST_F(BuildId, OfAnyOtherFileIsTheDigestOfItsContents) {
  write_copy("no ELF");
  EXPECT_EQ(build_id(copy_), Sha256().update("no ELF").hex());
  std::ifstream in(self_, std::ios::binary);
  std::string head(100, '\0');  // a header whose segments are not there
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  write_copy(head);
  EXPECT_EQ(build_id(copy_), Sha256().update(head).hex());
  EXPECT_THROW(build_id("/none"), UserError);
}

}  // namespace build_id_test
}  // namespace warpfold
