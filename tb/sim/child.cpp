// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "models/common/error.h"
#include "models/gpu/run_options.h"

namespace warpfold::sim {
namespace {

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// In the child, between fork and exec. What fails is told through `complaint`, which exec closes.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& output, int complaint) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGINT, SIG_DFL);
  bool ready = true;
  if (!output.empty()) {
    setpgid(0, 0);
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ready = in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0;
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (ready) execvp(words[0], words.data());
  const int why = errno;
  const ssize_t told = write(complaint, &why, sizeof why);
  _exit(told == sizeof why ? 127 : 126);
}

}  // namespace

std::string Ending::text() const {
  return signal == 0 ? fmt::format("exit status {}", status)
                     : fmt::format("killed by signal {} ({})", signal, strsignal(signal));
}

pid_t start(const std::vector<std::string>& command, const std::string& run_file, const std::string& output) {
  int complaint[2];
  if (pipe2(complaint, O_CLOEXEC) != 0) user_error("{}: cannot start it: {}", command[0], std::strerror(errno));
  setenv(kRunVariable, run_file.c_str(), 1);
  const pid_t child = fork();
  if (child == 0) become(command, output, complaint[1]);
  const int fork_error = errno;
  close(complaint[1]);
  int why = 0;
  const bool failed = child > 0 && read(complaint[0], &why, sizeof why) == sizeof why;
  close(complaint[0]);
  if (child < 0) user_error("{}: cannot start it: {}", command[0], std::strerror(fork_error));
  if (failed) {
    wait_for(child);
    user_error("{}: cannot start it: {}", command[0], std::strerror(why));
  }
  if (!output.empty()) setpgid(child, child);  // whichever of the two comes first
  return child;
}

Ending wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ending_of(status);
}

std::optional<Ending> has_ended(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child) return std::nullopt;
  return ending_of(status);
}

void end_group(pid_t child) {
  kill(-child, SIGTERM);
  for (int i = 0; i < 100; ++i) {
    if (has_ended(child)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  kill(-child, SIGKILL);
  wait_for(child);
}

}  // namespace warpfold::sim
