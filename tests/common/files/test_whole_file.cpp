// SPDX-License-Identifier: Apache-2.0
// Files written whole: many writers of one path, full disks, killed writers, and paths that are no regular files.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "warpfold/common/files/whole_file.h"

namespace warpfold {
namespace whole_file_test {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() { fs::create_directories(directory_); }
  ~WholeFile() override { fs::remove_all(directory_); }

  static std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string complaint(const std::string& path, const std::string& text) const {
    try {
      write_whole_file(path, text);
    } catch (const WriteError& error) {
      return error.what();
    }
    return "written";
  }
  static void limit_files(rlim_t bytes) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }

  const std::string directory_ = testing::TempDir() + "warpfold_whole_file_" + std::to_string(getpid());
  const std::string path_ = directory_ + "/file";
};

TEST_F(WholeFile, ReplacesWhatWasThere) {
  write_whole_file(path_, "a longer text");
  write_whole_file(path_, std::string("short\0\n", 7));
  EXPECT_EQ(read_file(path_), std::string("short\0\n", 7));
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
  struct stat about {};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(about.st_mode & 0777, 0666 & ~mask);
}

// A common temporary name would be renamed under one writer by another, or hold the text of both.
TEST_F(WholeFile, ManyWritersOfOnePath) {
  constexpr int kWriters = 4, kTimes = 100, kBytes = 100'000;
  std::vector<pid_t> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.push_back(fork());
    if (writers.back() != 0) continue;
    bool well = true;
    for (int k = 0; k < kTimes && well; ++k) {
      well = complaint(path_, std::string(kBytes, static_cast<char>('a' + i))) == "written";
    }
    _exit(well ? 0 : 1);
  }
  for (const pid_t writer : writers) {
    int status = 1;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
    const std::string text = read_file(path_);
    EXPECT_EQ(text, std::string(kBytes, text.at(0)));
  }
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(WholeFile, WithoutRoomTheOldContentsStay) {
  write_whole_file(path_, "old");
  const auto before = signal(SIGXFSZ, SIG_IGN);
  limit_files(1000);
  const std::string said = complaint(path_, std::string(2000, 'x'));
  limit_files(RLIM_INFINITY);
  signal(SIGXFSZ, before);
  EXPECT_EQ(said, path_ + ": cannot write this file: File too large");
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

// All of a text, or nothing of it.
TEST_F(WholeFile, FilesThatGrow) {
  append_to_file(path_, "one\n");
  append_to_file(path_, "two\n");
  EXPECT_EQ(read_file(path_), "one\ntwo\n");
  const auto before = signal(SIGXFSZ, SIG_IGN);
  limit_files(1000);
  EXPECT_THROW(append_to_file(path_, std::string(2000, 'x')), WriteError);
  EXPECT_THROW(append_to_file(path_ + "2", std::string(2000, 'x')), WriteError);
  limit_files(RLIM_INFINITY);
  signal(SIGXFSZ, before);
  EXPECT_EQ(read_file(path_), "one\ntwo\n");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(WholeFile, WhatAKilledWriterLeavesIsCleared) {
  write_whole_file(path_, "old");
  for (const char* other : {"my.tmp-notes", "file.tmp"}) std::ofstream(directory_ + "/" + other) << "kept";
  const pid_t writer = fork();
  if (writer == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    limit_files(1000);
    write_whole_file(path_, std::string(2000, 'x'));  // SIGXFSZ ends the process on the way
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(writer, &status, 0), writer);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(names().size(), 4U);
  remove_unfinished_files(directory_);
  EXPECT_EQ(names(), (std::vector<std::string>{"file", "file.tmp", "my.tmp-notes"}));
  EXPECT_EQ(read_file(path_), "old");
}

TEST_F(WholeFile, LinksAreFollowedAndDevicesStayDevices) {
  write_whole_file(path_, "old");
  const std::string link = directory_ + "/link";
  fs::create_symlink("file", link);
  write_whole_file(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(path_), "new");
  const std::string full = directory_ + "/full";
  fs::create_symlink("/dev/full", full);
  EXPECT_EQ(complaint(full, "text"), full + ": cannot write this file: No space left on device");
  EXPECT_TRUE(fs::is_character_file(full));
}

TEST_F(WholeFile, PlacesThatDoNotExist) {
  EXPECT_EQ(complaint(directory_ + "/none/file", "x"),
            directory_ + "/none/file: cannot write this file: No such file or directory");
  EXPECT_NE(complaint(directory_, "x"), "written");
  remove_file(directory_ + "/none");
  EXPECT_THROW(remove_file("/dev/null/none"), WriteError);
}

}  // namespace whole_file_test
}  // namespace warpfold
