// SPDX-License-Identifier: Apache-2.0
// Compilers and scripts as child processes.
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

// What scripts/rtl-verilog prints when it is called with these words. UserError, after `place`: what it says of a
// failure.
std::string run_rtl_verilog(const std::vector<std::string>& words, const std::string& place);

}  // namespace warpfold::cosim
