// SPDX-License-Identifier: Apache-2.0
// What is read where a file is expected, and what is refused: nothing hangs, and nothing is without bounds.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "warpfold/common/error.h"
#include "warpfold/common/files/input_file.h"

namespace warpfold {
namespace input_file_test {

class InputFile : public testing::Test {
 protected:
  InputFile() : path_(testing::TempDir() + "warpfold_input_" + std::to_string(getpid())) {}
  ~InputFile() override { std::filesystem::remove(path_); }

  std::string refusal(const std::string& path, const InputLimits& limits = {}) const {
    try {
      read_input(path, "PTX file", limits);
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string regular_refusal(const std::string& path) const {
    try {
      check_regular_file(path, "Liberty file");
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }
  const std::string path_;
};

TEST_F(InputFile, RegularFilesWithWhateverTheyHold) {
  const std::string contents("a\0b\r\n\xff", 6);
  std::ofstream(path_, std::ios::binary) << contents;
  EXPECT_EQ(read_input(path_, "file"), contents);
  EXPECT_EQ(read_input(path_, "file", {.bytes = 6}), contents);
  EXPECT_EQ(refusal(path_, {.bytes = 5}), path_ + ": cannot read this PTX file: it has more than 5 bytes");
  EXPECT_EQ(regular_refusal(path_), "accepted");
  std::ofstream(path_, std::ios::binary | std::ios::trunc).flush();
  EXPECT_EQ(read_input(path_, "file"), "");
}

TEST_F(InputFile, NoFiles) {
  EXPECT_EQ(refusal(path_), path_ + ": cannot read this PTX file: No such file or directory");
  EXPECT_EQ(refusal("/tmp"), "/tmp: cannot read this PTX file: it is a directory");
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: cannot read this PTX file: it is a device, not a file");
  EXPECT_EQ(regular_refusal("/dev/zero"), "/dev/zero: cannot read this Liberty file: it is a device, not a file");
}

// As bash's <(command) and `command | … /dev/stdin` are.
TEST_F(InputFile, Pipes) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]), contents(300'000, 'x');
  std::thread writer([&] {
    EXPECT_EQ(write(ends[1], contents.data(), contents.size()), static_cast<ssize_t>(contents.size()));
    close(ends[1]);
  });
  EXPECT_EQ(read_input(name, "file"), contents);
  writer.join();
  EXPECT_EQ(read_input(name, "file"), "") << "all writers have gone";
  unsigned parts = 0;
  read_stream(name, "file", [&](std::string_view) { ++parts; });
  EXPECT_EQ(parts, 0U);
  EXPECT_EQ(regular_refusal(name),
            name + ": cannot read this Liberty file: it is a pipe, and this file is read more than once");
  close(ends[0]);
}

TEST_F(InputFile, StreamsComeInParts) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]), contents(300'000, 'x');
  std::thread writer([&] {
    EXPECT_EQ(write(ends[1], contents.data(), contents.size()), static_cast<ssize_t>(contents.size()));
    close(ends[1]);
  });
  std::string all;
  std::size_t largest = 0;
  read_stream(name, "trace", [&](std::string_view part) {
    all += part;
    largest = std::max(largest, part.size());
  });
  writer.join();
  close(ends[0]);
  EXPECT_EQ(all, contents);
  EXPECT_LT(largest, contents.size());
  EXPECT_THROW(read_stream("/tmp", "trace", [](std::string_view) {}), UserError);
}

TEST_F(InputFile, APipeWithoutEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  ASSERT_EQ(write(ends[1], "0123456789", 10), 10);
  EXPECT_EQ(refusal(name, {.bytes = 9}), name + ": cannot read this PTX file: it has more than 9 bytes");
  close(ends[0]);
  close(ends[1]);
}

// A writer that comes after the reader is waited for, but not for ever.
TEST_F(InputFile, NamedPipes) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path_) << "late"; });
  EXPECT_EQ(read_input(path_, "file"), "late");
  writer.join();
  EXPECT_EQ(refusal(path_, {.silence_ms = 1}),
            path_ + ": cannot read this PTX file: nothing has come through this pipe for 1 ms");
}

}  // namespace input_file_test
}  // namespace warpfold
