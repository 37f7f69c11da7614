// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/keeper.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>

namespace warpfold::sim {
namespace {

constexpr std::size_t kMostGroups = 4096;  // as many as --jobs may be

// Is told groups, a negative number to forget one, until nobody holds the other end: then who told them is gone. The
// process is a fork of one that may have been anywhere, so nothing here wants memory.
[[noreturn]] void keep(int told_by) {
  setsid();  // a terminal's signals are not for it
  const int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream) dup2(nothing, stream);
  told_by = dup2(told_by, 3);
  close_range(4, ~0U, 0);  // locks, above all
  static pid_t groups[kMostGroups];
  std::size_t count = 0;
  for (;;) {
    pid_t told = 0;
    const ssize_t got = recv(told_by, &told, sizeof told, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof told) break;
    if (told > 0 && count < kMostGroups) groups[count++] = told;
    for (std::size_t i = 0; told < 0 && i < count; ++i) {
      if (groups[i] == -told) groups[i] = groups[--count];
    }
  }
  for (std::size_t i = 0; i < count; ++i) kill(-groups[i], SIGKILL);
  _exit(0);
}

class Keeper {
 public:
  ~Keeper() {
    if (process_ <= 0) return;
    close(line_);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  void start() {
    int ends[2];
    if (process_ != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      close(ends[1]);
      keep(ends[0]);
    }
    close(ends[0]);
    line_ = ends[1];
  }
  void tell(pid_t group) const {
    if (process_ <= 0) return;
    while (send(line_, &group, sizeof group, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }

 private:
  pid_t process_ = 0;  // 0: not started, negative: could not be
  int line_ = -1;
};

Keeper keeper;

}  // namespace

void start_keeper() { keeper.start(); }
void keep_group(pid_t group) { keeper.tell(group); }
void release_group(pid_t group) { keeper.tell(-group); }

}  // namespace warpfold::sim
