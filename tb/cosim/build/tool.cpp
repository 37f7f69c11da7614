// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/tool.h"

#include <cstring>

#include "warpfold/common/error.h"
#include "warpfold/common/files/cache.h"
#include "warpfold/common/files/command.h"

namespace warpfold::cosim {

bool run_tools(const std::vector<Tool>& tools) {
  std::vector<pid_t> children;
  int failed = 0;
  for (const Tool& tool : tools) {
    pid_t child = 0;
    failed = start_command(tool.command, tool.log, child);
    if (failed != 0) break;
    children.push_back(child);
  }
  bool all = true;
  for (const pid_t child : children) all = ends_well(child) && all;
  if (failed != 0) {
    const std::string& tool = tools[children.size()].command[0];
    user_error("{}: cannot run it: {}; scripts/setup rtl installs what RTL needs", tool, std::strerror(failed));
  }
  return all;
}

std::string run_rtl_verilog(const std::vector<std::string>& words, const std::string& place) {
  const Scratch scratch("rtl-verilog");
  const std::string log = scratch.file("log");
  std::vector<std::string> command{WARPFOLD_SOURCE_DIRECTORY "/scripts/rtl-verilog"};
  command.insert(command.end(), words.begin(), words.end());
  const bool well = run_tools({{command, log}});
  std::string said = read_text(log).value_or("");
  if (well) return said;
  const std::string mark = "error: ";
  const std::size_t begin = said.find(mark);
  if (begin != std::string::npos) said.erase(0, begin + mark.size());
  user_error("{}: {}", place, said.substr(0, said.find('\n')));
}

}  // namespace warpfold::cosim
