// SPDX-License-Identifier: Apache-2.0
// Locks of files: one holder at a time, until it lets go or ends.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/common/files/file_lock.h"

namespace warpfold {
namespace file_lock_test {

class Lock : public testing::Test {
 protected:
  ~Lock() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "warpfold_file_lock_" + std::to_string(getpid());
};

TEST_F(Lock, OneHolderAtATime) {
  std::optional<FileLock> first = FileLock::take(path_);
  ASSERT_TRUE(first);
  EXPECT_FALSE(FileLock::take(path_));
  std::optional<FileLock> moved = std::move(first);
  first.reset();
  EXPECT_FALSE(FileLock::take(path_));
  moved.reset();
  EXPECT_TRUE(FileLock::take(path_));
}

TEST_F(Lock, IsSharedByWhoAskForThat) {
  EXPECT_FALSE(FileLock::is_held(path_));
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::optional<FileLock> first = FileLock::share(path_), second = FileLock::share(path_);
  first.reset();
  EXPECT_TRUE(FileLock::is_held(path_));
  EXPECT_FALSE(FileLock::take(path_));
  second.reset();
  EXPECT_FALSE(FileLock::is_held(path_));
  const std::optional<FileLock> alone = FileLock::take(path_);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(FileLock::is_held(path_));
}

TEST_F(Lock, EndsWithItsHolder) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const FileLock lock(path_);
    if (write(told[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char word = 0;
  ASSERT_EQ(read(told[0], &word, 1), 1);
  EXPECT_FALSE(FileLock::take(path_));
  kill(holder, SIGKILL);
  const FileLock waited(path_);  // until the holder has ended
  EXPECT_FALSE(FileLock::take(path_));
  EXPECT_EQ(waitpid(holder, nullptr, 0), holder);
  close(told[0]);
  close(told[1]);
}

TEST_F(Lock, IsNotKeptByAProcessForkedMeanwhile) {
  std::optional<FileLock> lock = FileLock::take(path_);
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(1);
  }
  lock.reset();
  EXPECT_TRUE(FileLock::take(path_));
  kill(other, SIGKILL);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
}

TEST_F(Lock, PlacesThatDoNotExist) {
  EXPECT_THROW(FileLock("/dev/null/lock"), UserError);
  EXPECT_THROW(FileLock::take("/dev/null/lock"), UserError);
}

}  // namespace file_lock_test
}  // namespace warpfold
