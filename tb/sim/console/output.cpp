// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/console/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "warpfold/common/files/whole_file.h"

namespace warpfold::sim {
namespace {

bool is_quiet = false;  // the whole process is

}  // namespace

void open_closed_streams() {
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    if (open("/dev/null", kModes[stream]) < 0) return;  // gets the lowest free number: this one
  }
}

void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

void be_quiet() { is_quiet = true; }
bool quiet() { return is_quiet; }

unsigned terminal_columns(int stream) {
  constexpr unsigned kUsual = 80;
  if (isatty(stream) != 1) return 0;
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

OutputAside::OutputAside(bool wanted) {
  std::fflush(nullptr);
  if (!wanted) return;
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (output_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

OutputAside::~OutputAside() {
  if (output_ < 0) return;
  std::fflush(nullptr);
  dup2(output_, STDOUT_FILENO);
  close(output_);
}

void deliver(const std::string& text, const std::string& file) {
  if (file.empty()) {
    fmt::print("{}", text);
  } else {
    write_whole_file(file, text);
  }
}

int written(int status) {
  errno = 0;
  const bool lost = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!lost || status != 0) return status;
  tell("warpfold: error: cannot write standard output: {}\n", std::strerror(errno == 0 ? EIO : errno));
  return 1;
}

}  // namespace warpfold::sim
