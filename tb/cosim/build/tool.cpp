// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/build/tool.h"

#include <cstring>

#include "warpfold/common/error.h"
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
    user_error("{}: cannot run it: {}; {}", tool, std::strerror(failed),
               tool == "ghdl" ? "VHDL needs the package ghdl-mcode" : "scripts/setup rtl installs what RTL needs");
  }
  return all;
}

}  // namespace warpfold::cosim
