// SPDX-License-Identifier: Apache-2.0
// Commands: how they end, where they write, and those that are not there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "warpfold/common/files/command.h"

namespace warpfold {
namespace command_test {

bool succeeds(const std::vector<std::string>& command, const std::string& log = "") {
  pid_t child = 0;
  EXPECT_EQ(start_command(command, log, child), 0);
  return ends_well(child);
}

TEST(Command, EndsWellOrNot) {
  EXPECT_TRUE(succeeds({"true"}));
  EXPECT_FALSE(succeeds({"false"}));
  EXPECT_FALSE(succeeds({"sh", "-c", "kill -9 $$"}));
  EXPECT_FALSE(ends_well(getpid())) << "no child of this process";
}

TEST(Command, ThatIsNotThere) {
  pid_t child = 0;
  EXPECT_EQ(start_command({"/no/such/command"}, "", child), ENOENT);
}

TEST(Command, WritesToItsLogAndReadsNothing) {
  const std::filesystem::path log = std::filesystem::temp_directory_path() / ("command." + std::to_string(getpid()));
  EXPECT_TRUE(succeeds({"sh", "-c", "echo out; echo err >&2; cat"}, log));
  std::ostringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_EQ(text.str(), "out\nerr\n");
  std::filesystem::remove(log);
}

}  // namespace command_test
}  // namespace warpfold
