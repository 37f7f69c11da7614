// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace warpfold {
namespace {

namespace fs = std::filesystem;

// Between a file's name and the number of its writer, in the name of what is being written.
constexpr std::string_view kUnfinished = ".tmp-";

// Each returns 0, or what went wrong.
int write_all(int file, std::string_view text) {
  int why = 0;
  while (!text.empty() && why == 0) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      why = written == 0 ? EIO : errno;
    }
  }
  return why;
}

// An interrupted close has closed.
int close_file(int file) { return close(file) == 0 || errno == EINTR ? 0 : errno; }

int write_and_close(int file, std::string_view text) {
  const int written = write_all(file, text), closed = close_file(file);
  return written != 0 ? written : closed;
}

struct Unfinished {
  std::string path;
  int file;
};

// No two writers get the same name: the number of the process and a count, and never a file that is there.
Unfinished create_beside(const std::string& path) {
  static std::atomic<unsigned> count = 0;
  for (;;) {
    std::string name = fmt::format("{}{}{}-{}", path, kUnfinished, getpid(), count++);
    const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return {std::move(name), file};
    if (errno != EEXIST) cannot_write(path, errno);
  }
}

void write_directly(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  const int why = file < 0 ? errno : write_and_close(file, text);
  if (why != 0) cannot_write(path, why);
}

bool is_unfinished(const std::string& name) {
  const std::size_t at = name.rfind(kUnfinished);
  return at != std::string::npos && name.find_first_not_of("0123456789-", at + kUnfinished.size()) == std::string::npos;
}

}  // namespace

void cannot_write(const std::string& path, int why) {
  throw WriteError(fmt::format("{}: cannot write this file: {}", path, std::strerror(why)));
}

void write_whole_file(const std::string& path, const std::string& text) {
  std::error_code none;
  const fs::file_status there = fs::status(path, none);
  if (fs::exists(there) && !fs::is_regular_file(there)) return write_directly(path, text);
  const std::string target = fs::is_symlink(path, none) && fs::exists(there) ? fs::canonical(path).string() : path;
  const auto [name, file] = create_beside(target);
  int why = write_and_close(file, text);
  if (why == 0 && rename(name.c_str(), target.c_str()) != 0) why = errno;
  if (why == 0) return;
  unlink(name.c_str());
  cannot_write(path, why);
}

void append_to_file(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path, errno);
  struct stat before {};
  int why = fstat(file, &before) == 0 ? write_all(file, text) : errno;
  if (why != 0 && (before.st_size == 0 || ftruncate(file, before.st_size) != 0)) unlink(path.c_str());
  const int closed = close_file(file);
  if (why == 0) why = closed;
  if (why != 0) cannot_write(path, why);
}

void remove_unfinished_files(const std::string& directory) {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    if (is_unfinished(entry.path().filename())) remove_file(entry.path());
  }
}

void remove_file(const std::string& path) {
  std::error_code failed;
  fs::remove(path, failed);
  if (failed) throw WriteError(fmt::format("{}: cannot remove this file: {}", path, failed.message()));
}

}  // namespace warpfold
