// SPDX-License-Identifier: Apache-2.0
// SHA-256 against the examples of FIPS 180-4, and files that are none.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "warpfold/common/error.h"
#include "warpfold/common/files/digest.h"

namespace warpfold {
namespace digest_test {

constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kOfAMillionTimesA = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

class Digest : public testing::Test {
 protected:
  Digest() { std::filesystem::create_directories(directory_); }
  ~Digest() override { std::filesystem::remove_all(directory_); }
  void expect_refused(const std::string& path, const std::string& why) {
    try {
      Sha256().update_file(path);
      FAIL() << path << " is taken";
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), path + ": cannot read this file: " + why);
    }
  }
  const std::string directory_ = testing::TempDir() + "warpfold_digest_" + std::to_string(getpid());
};

TEST_F(Digest, ExamplesOfTheStandard) {
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256().update("abc").hex(), kOfAbc);
  EXPECT_EQ(Sha256().update(std::string(1'000'000, 'a')).hex(), kOfAMillionTimesA);
}

TEST_F(Digest, GoesOnAfterItWasAsked) {
  Sha256 digest;
  digest.update("a").update("b");
  EXPECT_NE(digest.hex(), kOfAbc);
  EXPECT_EQ(digest.update("c").hex(), kOfAbc);
  EXPECT_EQ(digest.hex(), kOfAbc);
}

TEST_F(Digest, OfAFileIsThatOfItsContents) {
  const std::string path = directory_ + "/million";
  std::ofstream(path) << std::string(1'000'000, 'a');  // several reads
  EXPECT_EQ(Sha256().update_file(path).hex(), kOfAMillionTimesA);
  std::ofstream(directory_ + "/bc") << "bc";
  EXPECT_EQ(Sha256().update("a").update_file(directory_ + "/bc").hex(), kOfAbc);
}

TEST_F(Digest, WhatIsNoFileIsRefused) {
  expect_refused(directory_ + "/none", "No such file or directory");
  expect_refused(directory_, "it is a directory");
  expect_refused("/dev/zero", "it is a device, not a file");
  const std::string fifo = directory_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  expect_refused(fifo, "it is a pipe, and this file is read more than once");  // and not waited for
}

}  // namespace digest_test
}  // namespace warpfold
