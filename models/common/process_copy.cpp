// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/process_copy.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <utility>

#include "warpfold/common/error.h"

namespace warpfold {
namespace {

constexpr char kGood = '+', kError = '-';  // the first byte of an answer

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(to, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // nobody listens any more
    done += static_cast<std::size_t>(wrote);
  }
}

std::string read_all(int from) {
  std::string text;
  std::array<char, 4096> part;
  while (true) {
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

void close_pipe(int& end) {
  if (end >= 0) close(std::exchange(end, -1));
}

std::string answer_of(const std::function<std::string()>& act) {
  try {
    return kGood + act();
  } catch (const std::exception& error) {
    return kError + std::string(error.what());
  }
}

}  // namespace

ProcessCopy::ProcessCopy(const std::function<std::string()>& act, const std::function<void()>& prepare)
    : parent_(getpid()) {
  std::array<int, 2> start{-1, -1}, answer{-1, -1};
  const bool piped = pipe2(start.data(), O_CLOEXEC) == 0 && pipe2(answer.data(), O_CLOEXEC) == 0;
  copy_ = piped ? fork() : -1;
  if (copy_ == 0) {
    close(start[1]);
    close(answer[0]);
    if (prepare) {
      prepare();
      write_all(answer[1], "r");
    }
    live(act, start[0], answer[1]);
  }
  const int why = errno;
  close_pipe(start[0]);
  close_pipe(answer[1]);
  start_ = start[1];
  answer_ = answer[0];
  char ready = 0;
  while (copy_ > 0 && prepare && read(answer_, &ready, 1) < 0 && errno == EINTR) continue;
  if (copy_ > 0) return;
  close_pipe(start_);
  close_pipe(answer_);
  user_error("a sampled run cannot make a copy of its process: {}", std::strerror(why));
}

void ProcessCopy::live(const std::function<std::string()>& act, int start, int answer) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent_) _exit(1);  // it was too late for that
  std::signal(SIGINT, SIG_IGN);        // the original decides
  char go = 0;
  ssize_t got = 0;
  do got = read(start, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) write_all(answer, answer_of(act));
  _exit(0);
}

void ProcessCopy::go() {
  write_all(start_, "g");
  close_pipe(start_);
}

std::string ProcessCopy::result() {
  check(start_ < 0 && copy_ > 0, "a copy that is asked was let go, and is asked once");
  std::string text = read_all(answer_);
  bury();
  if (text.empty()) throw InternalError("the copy of this process that timed a launch has died");
  const bool good = text.front() == kGood;
  text.erase(0, 1);
  if (!good) throw UserError(text);
  return text;
}

void ProcessCopy::bury() {
  close_pipe(start_);
  close_pipe(answer_);
  while (copy_ > 0 && waitpid(copy_, nullptr, 0) < 0 && errno == EINTR) continue;
  copy_ = -1;
}

ProcessCopy::~ProcessCopy() {
  if (copy_ > 0) kill(copy_, SIGKILL);
  bury();
}

}  // namespace warpfold
