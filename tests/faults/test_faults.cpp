// SPDX-License-Identifier: Apache-2.0
// A part of what warpfold-faults does: a run whose files cannot be opened, written or renamed, and memory now and then.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "tests/faults/campaign.h"

namespace warpfold::faults {
namespace faults_test {

namespace fs = std::filesystem;

class Faults : public ::testing::Test {
 protected:
  Faults() : directory_(fs::path(testing::TempDir()) / fmt::format("warpfold_faults_{}", getpid())) {}
  ~Faults() override { fs::remove_all(directory_); }
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer wants to be the first library, and has its own malloc";
#endif
  }

  static void expect_kept(const Tally& tally, long least_runs) {
    EXPECT_GE(tally.runs, least_runs);
    EXPECT_GE(2 * tally.failed, tally.runs) << "most of what fails matters";
    for (const std::string& rule : tally.broken) ADD_FAILURE() << rule;
  }
  static Command run() {
    return {"run", {"run", "--timing", "functional", "--out", "study", "--", FAULT_SUBJECT, "plain"}};
  }

  const fs::path directory_;
};

TEST_F(Faults, EveryFileOfARun) {
  Campaign campaign(directory_, run());
  for (const char* program : {"warpfold", "processes"}) {
    expect_kept(campaign.every({program, "open", EMFILE}), 3);
    expect_kept(campaign.every({program, "rename", EIO}), 1);
    expect_kept(campaign.every({program, "write", ENOSPC}), 2);
  }
}

TEST_F(Faults, MemoryNowAndThen) {
  Campaign campaign(directory_, run());
  expect_kept(campaign.sampled({"warpfold", "memory", ENOMEM}, 3, 25), 20);
  expect_kept(campaign.sampled({"processes", "memory", ENOMEM}, 3, 25), 20);
}

}  // namespace faults_test
}  // namespace warpfold::faults
