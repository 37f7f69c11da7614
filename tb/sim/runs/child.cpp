// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/runs/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tb/sim/console/launch_progress.h"
#include "tb/sim/console/output.h"
#include "tb/sim/runs/keeper.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/run/run_options.h"

namespace warpfold::sim {
namespace {

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

std::vector<char*> words_of(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

// In the child, between vfork and exec, where nothing may want memory: it is still the parent's, which waits. What
// fails is told through `complaint`, which exec closes.
[[noreturn]] void become(const std::vector<char*>& words, const char* output, const char* directory, int complaint) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  bool ready = true;
  if (*output != 0) {
    setpgid(0, 0);
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ready = in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0;
  }
  if (ready && *directory != 0) ready = chdir(directory) == 0;
  if (ready) execvp(words[0], words.data());
  const int why = errno;
  const ssize_t told = write(complaint, &why, sizeof why);
  _exit(told == sizeof why ? 127 : 126);
}

// Why the child could not become its program, or 0.
int complaint_from(int pipe) {
  int why = 0;
  ssize_t got = 0;
  do got = read(pipe, &why, sizeof why);
  while (got < 0 && errno == EINTR);
  return got == sizeof why ? why : 0;
}

// Ended, but not reaped: its number is still its own.
bool is_over(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

void wait_a_while_for(const std::vector<pid_t>& children) {
  for (int i = 0; i < 100 && !std::all_of(children.begin(), children.end(), is_over); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

std::string Ending::text() const {
  return signal == 0 ? fmt::format("exit status {}", status)
                     : fmt::format("killed by signal {} ({})", signal, strsignal(signal));
}

pid_t start(const std::vector<std::string>& command, const std::string& run_file, const std::string& output,
            const std::string& directory) {
  const std::vector<char*> words = words_of(command);
  if (!output.empty()) start_keeper();  // before the pipe, whose end it would hold open
  int complaint[2];
  if (pipe2(complaint, O_CLOEXEC) != 0) user_error("{}: cannot start it: {}", command[0], std::strerror(errno));
  setenv(kRunVariable, run_file.c_str(), 1);
  // A machine is some megabytes of small objects: in large pages it starts a tenth sooner. Whoever has settings of the
  // allocator keeps them.
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  if (output.empty() && !quiet()) {
    setenv(kProgressVariable, "1", 1);
  } else {
    unsetenv(kProgressVariable);
  }
  const pid_t child = vfork();  // copies no page tables
  if (child == 0) become(words, output.c_str(), directory.c_str(), complaint[1]);
  int why = child < 0 ? errno : 0;
  close(complaint[1]);
  if (child > 0 && !output.empty()) {
    setpgid(child, child);  // whichever of the two comes first
    keep_group(child);
  }
  if (child > 0) why = complaint_from(complaint[0]);
  close(complaint[0]);
  if (why == 0) return child;
  if (child > 0) wait_for(child);
  user_error("{}: cannot start it: {}", command[0], std::strerror(why));
}

Ending wait_for(pid_t child) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  release_group(child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ending_of(status);
}

std::optional<Ending> has_ended(pid_t child) {
  if (!is_over(child)) return std::nullopt;
  return wait_for(child);
}

void end_groups(const std::vector<pid_t>& children) {
  for (const pid_t child : children) kill(-child, SIGTERM);
  wait_a_while_for(children);
  for (const pid_t child : children) {
    kill(-child, SIGKILL);  // those of the group that its leader has left, too
    wait_for(child);
  }
}

}  // namespace warpfold::sim
