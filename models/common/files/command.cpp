// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/files/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace warpfold {

int start_command(const std::vector<std::string>& command, const std::string& log, pid_t& child) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (!log.empty()) {
    posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&streams, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&streams, 1, 2);
  }
  const int failed = posix_spawnp(&child, words[0], &streams, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  return failed;
}

bool ends_well(pid_t child) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace warpfold
