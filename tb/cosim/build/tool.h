// SPDX-License-Identifier: Apache-2.0
// Compilers as child processes.
#pragma once

#include <string>
#include <vector>

namespace warpfold::cosim {

struct Tool {
  std::vector<std::string> command;
  std::string log;  // file for what it prints on both streams
};

// Runs them all at once and waits; true if all of them succeed. They read nothing. UserError if one cannot be started.
bool run_tools(const std::vector<Tool>& tools);

}  // namespace warpfold::cosim
