// SPDX-License-Identifier: Apache-2.0
// Walks cycle by cycle of mechanisms that issue several parts in one, where each instruction takes a cycle.
#pragma once

#include <string>
#include <vector>

#include "tests/divergence/example_programs.h"

namespace warpfold::divergence {

struct PartsWalk {
  std::string text;  // "0:f 2:3|4:c": a cycle a word
  unsigned cycles = 0;
};

// Of `threads` threads of one block; the text is of use for those of one row.
inline PartsWalk walk_in_parts(FlowMachine& machine, unsigned threads) {
  PartsWalk walk;
  for (machine.start(0, 0, threads); machine.live() > 0; ++walk.cycles) {
    walk.text += (walk.cycles == 0 ? "" : " ") + machine.issue_parts();
    machine.core.check_places();
  }
  machine.end();
  return walk;
}
inline PartsWalk walk_in_parts(const std::string& mechanism, const std::vector<std::string>& parameters,
                               Program program, unsigned threads = 4) {
  FlowMachine machine({mechanism, parameters}, std::move(program));
  return walk_in_parts(machine, threads);
}

}  // namespace warpfold::divergence
