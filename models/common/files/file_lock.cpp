// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

[[noreturn]] void fail(const std::string& path, int why) {
  user_error("{}: cannot lock this file: {}", path, std::strerror(why));
}

// Programs that this one starts do not inherit it.
int open_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path, errno);
  return file;
}

// 0, or what went wrong.
int lock(int file, int operation) {
  while (flock(file, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

FileLock::FileLock(const std::string& path) : file_(open_file(path)) {
  const int why = lock(file_, LOCK_EX);
  if (why == 0) return;
  close(file_);
  fail(path, why);
}

std::optional<FileLock> FileLock::take(const std::string& path) {
  FileLock taken(open_file(path));
  const int why = lock(taken.file_, LOCK_EX | LOCK_NB);
  if (why == EWOULDBLOCK) return std::nullopt;
  if (why != 0) fail(path, why);
  return taken;
}

FileLock FileLock::share(const std::string& path) {
  FileLock shared(open_file(path));
  const int why = lock(shared.file_, LOCK_SH);
  if (why != 0) fail(path, why);
  return shared;
}

bool FileLock::is_held(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  return lock(FileLock(file).file_, LOCK_EX | LOCK_NB) == EWOULDBLOCK;
}

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

// A process that was forked off meanwhile has the file open too, which must not keep the lock.
FileLock::~FileLock() {
  if (file_ < 0) return;
  lock(file_, LOCK_UN);
  close(file_);
}

}  // namespace warpfold
