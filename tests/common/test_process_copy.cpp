// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "warpfold/common/error.h"
#include "warpfold/common/process_copy.h"

namespace warpfold {
namespace {

TEST(ProcessCopy, FindsThingsAsTheyStoodAndChangesNothing) {
  int value = 1;
  ProcessCopy copy([&] { return std::to_string(++value); });
  value = 10;
  copy.go();
  EXPECT_EQ(copy.result(), "2");
  EXPECT_EQ(value, 10);
}

TEST(ProcessCopy, IsReadyBeforeTheOriginalGoesOn) {
  int seen = 0;
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  int& both = *static_cast<int*>(page) = 1;
  ProcessCopy copy([&] { return std::to_string(seen); }, [&] { seen = both; });
  both = 2;
  copy.go();
  EXPECT_EQ(copy.result(), "1");
  munmap(page, 4096);
}

TEST(ProcessCopy, LongAnswersComeWhole) {
  ProcessCopy copy([] { return std::string(1 << 20, 'x'); });
  copy.go();
  EXPECT_EQ(copy.result().size(), std::size_t{1} << 20);
}

TEST(ProcessCopy, HandsOnErrorsOfTheUser) {
  ProcessCopy copy([]() -> std::string { user_error("cycle limit of 7 reached"); });
  copy.go();
  try {
    copy.result();
    FAIL() << "nothing was thrown";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "cycle limit of 7 reached");
  }
}

TEST(ProcessCopy, SaysThatItHasDied) {
  ProcessCopy copy([]() -> std::string { _exit(3); });
  copy.go();
  EXPECT_THROW(copy.result(), InternalError);
}

// Neither the answer nor a child is left behind.
TEST(ProcessCopy, IsGivenUpUnasked) {
  {
    ProcessCopy waits([] { return std::string("never"); });
    ProcessCopy runs([] {
      pause();
      return std::string("never");
    });
    runs.go();
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace warpfold
