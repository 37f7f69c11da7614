// SPDX-License-Identifier: Apache-2.0
// The `warpfold` program run as its users run it, in a directory of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace warpfold {

class CommandLineTest : public testing::Test {
 protected:
  struct Result {
    int status;
    std::string out, err;
  };

  // In a directory that has no other user meanwhile.
  explicit CommandLineTest(std::filesystem::path directory = std::filesystem::path(testing::TempDir()) /
                                                             ("warpfold_cli_" + std::to_string(getpid())))
      : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
  }
  ~CommandLineTest() override { std::filesystem::remove_all(directory_); }

  static std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  // In the test's directory.
  void write_file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }

  // The directory of the only key below `where`.
  std::string keyed(const std::string& where) const {
    std::vector<std::string> keys;
    if (std::filesystem::is_directory(directory_ / where)) {
      for (const auto& entry : std::filesystem::directory_iterator(directory_ / where))
        keys.push_back(entry.path().filename());
    }
    EXPECT_EQ(keys.size(), 1U) << "keys in " << where;
    return where + "/" + (keys.empty() ? "none" : keys.front());
  }

  // `redirections` come after those of the two streams into files: "2>&-".
  Result warpfold(const std::string& arguments, const std::string& redirections = "") const {
    const std::string out = directory_ / "stdout", err = directory_ / "stderr";
    const std::string line = "cd '" + directory_.string() + "' && " + environment_ + " '" WARPFOLD_PROGRAM "' " +
                             arguments + " >'" + out + "' 2>'" + err + "' " + redirections;
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }

  // The program beside the test, until end_of(); what it says goes into a file of the test's directory.
  pid_t begin(const std::string& arguments, const std::string& said = "/dev/null") const {
    const pid_t child = fork();
    if (child != 0) return child;
    const std::string line =
        "cd '" + directory_.string() + "' && exec '" WARPFOLD_PROGRAM "' " + arguments + " >'" + said + "' 2>&1";
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(99);
  }
  // Its exit status; -1: a signal ended it.
  static int end_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }

  std::filesystem::path directory_;
  std::string environment_;  // NAME='value' before the program
};

}  // namespace warpfold
