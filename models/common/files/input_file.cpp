// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

struct Descriptor {
  explicit Descriptor(int number) : file(number) {}
  ~Descriptor() {
    if (file >= 0) close(file);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  const int file;
};

class InputFile {
 public:
  InputFile(const std::string& path, const std::string& what)
      : path_(path), what_(what), opened_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (opened_.file < 0 || fstat(opened_.file, &status_) != 0) fail(std::strerror(errno));
    if (S_ISDIR(status_.st_mode)) fail("it is a directory");
    if (!is_regular() && !S_ISFIFO(status_.st_mode)) fail("it is a device, not a file");
  }

  bool is_regular() const { return S_ISREG(status_.st_mode); }

  std::string read_all(const InputLimits& limits) const {
    std::string text;
    if (is_regular()) {
      check_size(static_cast<std::uint64_t>(status_.st_size), limits.bytes);
      text.reserve(static_cast<std::size_t>(status_.st_size));
    }
    read_in_parts(limits.silence_ms, [&](std::string_view part) {
      text.append(part);
      check_size(text.size(), limits.bytes);
    });
    return text;
  }

  template <class Take>
  void read_in_parts(int silence_ms, const Take& take) const {
    std::array<char, 65536> part;
    while (const std::size_t size = read_some(part.data(), part.size(), silence_ms))
      take(std::string_view(part.data(), size));
  }

  void check_regular() const {
    if (!is_regular()) fail("it is a pipe, and this file is read more than once");
  }

  [[noreturn]] void fail(const std::string& why) const { user_error("{}: cannot read this {}: {}", path_, what_, why); }

 private:
  void check_size(std::uint64_t size, std::uint64_t most) const {
    if (size > most) fail(fmt::format("it has more than {} bytes", most));
  }

  // Nothing has come yet from a named pipe that nobody has opened for writing: read() alone would call that its end.
  void wait(int silence_ms) const {
    pollfd ready{opened_.file, POLLIN, 0};
    int count = 0;
    do {
      count = poll(&ready, 1, silence_ms);
    } while (count < 0 && errno == EINTR);
    if (count == 0) fail(fmt::format("nothing has come through this pipe for {} ms", silence_ms));
  }

  std::size_t read_some(char* to, std::size_t room, int silence_ms) const {
    for (;;) {
      if (!is_regular()) wait(silence_ms);
      const ssize_t size = read(opened_.file, to, room);
      if (size >= 0) return static_cast<std::size_t>(size);
      if (errno != EINTR && errno != EAGAIN) fail(std::strerror(errno));
    }
  }

  const std::string &path_, &what_;
  const Descriptor opened_;
  struct stat status_ {};
};

}  // namespace

std::string read_input(const std::string& path, const std::string& what, const InputLimits& limits) {
  return InputFile(path, what).read_all(limits);
}

void check_regular_file(const std::string& path, const std::string& what) { InputFile(path, what).check_regular(); }

void read_in_parts(const std::string& path, const std::string& what,
                   const std::function<void(std::string_view)>& take) {
  const InputFile file(path, what);
  file.check_regular();
  file.read_in_parts(0, take);
}

void read_stream(const std::string& path, const std::string& what, const std::function<void(std::string_view)>& take) {
  constexpr int kSilenceMs = 600'000;  // what writes it may be a simulator
  InputFile(path, what).read_in_parts(kSilenceMs, take);
}

}  // namespace warpfold
