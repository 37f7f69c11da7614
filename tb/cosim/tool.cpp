// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "warpfold/common/error.h"

namespace warpfold::cosim {
namespace {

// 0 or an errno.
int spawn(const Tool& tool, pid_t& child) {
  std::vector<char*> words;
  for (const std::string& word : tool.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, tool.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&streams, 1, 2);
  const int failed = posix_spawnp(&child, words[0], &streams, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  return failed;
}

bool succeeded(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool run_tools(const std::vector<Tool>& tools) {
  std::vector<pid_t> children;
  int failed = 0;
  for (const Tool& tool : tools) {
    pid_t child = 0;
    failed = spawn(tool, child);
    if (failed != 0) break;
    children.push_back(child);
  }
  bool all = true;
  for (const pid_t child : children) all = succeeded(child) && all;
  if (failed != 0) {
    user_error("{}: cannot run it: {}; RTL needs the packages verilator and g++", tools[children.size()].command[0],
               std::strerror(failed));
  }
  return all;
}

}  // namespace warpfold::cosim
