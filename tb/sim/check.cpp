// SPDX-License-Identifier: Apache-2.0
// `warpfold check`: a program under the memory checker (docs/checking.md).
#include <algorithm>

#include "tb/sim/commands.h"
#include "tb/sim/setup.h"
#include "warpfold/common/error.h"
#include "warpfold/common/nearest.h"

namespace warpfold::sim {

int check(const CheckCommand& command) {
  const std::vector<std::string> known{"memory", "initialized", "races"};
  RunCommand run_command = command;
  run_command.show = [](const Point&) {};  // findings are told as they come
  for (const std::string& tool : names_in("--tools", command.tools, known, [&](const std::string& name) {
         if (std::find(known.begin(), known.end(), name) != known.end()) return;
         user_error("--tools {}: no such tool; {}", name, suggestion(name, known));
       })) {
    run_command.sets.push_back("check." + tool + "=true");
  }
  run_command.sets.push_back("check.stray_reads=" + command.stray_reads);
  if (command.independent_threads) run_command.sets.emplace_back("check.independent_threads=true");
  return run(run_command);
}

}  // namespace warpfold::sim
